/// Builds the pages of one level from entries or children in key order, and decides where one page ends and the next
/// begins.
///
/// A page is finished when the next entry would fill it beyond `sizing`; it is handed out one page late, so that a last
/// page that became too small can still be joined with it or take half of it. Memory is bounded by two pages and reused;
/// nothing is allocated per page. Not thread-safe.
final class PageBuilder {
  /// Receives a finished page; an error goes on to the caller of the builder, who must then drop it.
  typealias Sink = (BuiltPage) throws(StorageError) -> Void

  /// An entry or child that waits: its key and what follows it in `staged`.
  struct Item: BitwiseCopyable {
    var offset: Int
    var keyLength: Int
    var payloadLength: Int
    /// Entries that it stands for.
    var entryCount: Int
    var isBlob: Bool
  }

  let level: UInt8
  let sizing: PageSizing
  private let staged = ByteBuffer(capacity: 64 << 10)
  let page = ByteBuffer(capacity: 32 << 10)
  private(set) var items: [Item] = []
  /// Items before this one make a page that is waiting, those from here on the page that is being filled.
  private var open = 0
  /// What the keys of the open page begin with.
  private var openPrefix = 0
  /// ``begin(lower:)`` was called and the stretch has not ended.
  private var isBegun = false
  private let joined = ByteBuffer(capacity: 1024)
  /// The lower fence of the first item's page.
  private(set) var lower: [UInt8]

  /// - Parameter lower: the lower fence of the first page; no key is below it.
  init(level: UInt8, lower: [UInt8] = [], sizing: PageSizing = PageSizing()) {
    precondition(level <= BlockFormat.levelMax, "a page of level \(level)")
    self.level = level
    self.lower = lower
    self.sizing = sizing
    items.reserveCapacity(512)
  }

  /// Adds an entry to a level of leaves.
  ///
  /// - Parameter isBlob: whether `value` only stands for the value.
  /// - Throws: `.invalidArgument` if the key is not above the one before or a size is out of range, and nothing is
  ///   added; what `sink` throws.
  func append(
    _ key: KeyBytes, _ value: UnsafeRawBufferPointer, isBlob: Bool = false, _ sink: Sink
  ) throws(StorageError) {
    precondition(level == 0, "an entry at level \(level)")
    guard value.count <= PageFormat.valueBytesMax else {
      throw StorageError(
        .invalidArgument, "a value of \(value.count) bytes is too long for a page (at most \(PageFormat.valueBytesMax))"
      )
    }
    try admit(key, payload: value.count, sink)
    add(key, value, entryCount: 1, isBlob: isBlob)
  }

  /// Adds a child to a level of inner pages.
  ///
  /// - Parameter separator: the child's lower fence.
  /// - Throws: as ``append(_:_:isBlob:_:)``.
  func append(_ separator: KeyBytes, _ child: ChildReference, _ sink: Sink) throws(StorageError) {
    precondition(level > 0, "a child of a leaf")
    precondition(child.entryCount > 0, "a child without entries")
    try admit(separator, payload: ChildFormat.byteCount, sink)
    try withUnsafeTemporaryAllocation(byteCount: ChildFormat.byteCount, alignment: 8) {
      (reference) throws(StorageError) in
      guard let start = reference.baseAddress else { return }
      child.encode(to: start)
      add(separator, UnsafeRawBufferPointer(reference), entryCount: child.entryCount, isBlob: false)
    }
  }

  /// As the other form, for a key in two pieces.
  func append(
    _ key: PageKey, _ value: UnsafeRawBufferPointer, isBlob: Bool = false, _ sink: Sink
  ) throws(StorageError) {
    joined.removeAll()
    let start = joined.extend(key.count)
    key.copy(to: start)
    try append(KeyBytes(UnsafeRawPointer(start), key.count), value, isBlob: isBlob, sink)
  }

  /// Whether nothing waits to be handed out.
  var isEmpty: Bool { items.isEmpty }

  /// Whether what waits is one page that should be joined with what follows.
  var isSmall: Bool { !items.isEmpty && open == 0 && openBytes < sizing.joinBytes }

  /// The only child that waits, if there is just one.
  var onlyChild: ChildReference? {
    guard level > 0, items.count == 1, let start = payload(0).baseAddress else { return nil }
    return ChildReference(unchecked: start, entryCount: items[0].entryCount)
  }

  /// Begins a stretch of pages with this lower fence, unless one is under way.
  func begin(lower: KeyBytes) {
    guard items.isEmpty, !isBegun else { return }
    isBegun = true
    self.lower.removeAll(keepingCapacity: true)
    self.lower.append(contentsOf: lower.bytes)
  }

  /// Hands out what is left. The builder may begin another stretch of pages after that.
  ///
  /// - Parameter upper: the upper fence of the last page, `nil` at the end of the tree.
  func finish(upper: KeyBytes? = nil, _ sink: Sink) throws(StorageError) {
    isBegun = false
    guard !items.isEmpty else { return }
    if open > 0, openBytes < sizing.joinBytes || items.count - open < groupMin { redivide() }
    if open > 0 { try emitWaiting(sink) }
    try emit(items.count, upper: upper, sink)
    items.removeAll(keepingCapacity: true)
    staged.removeAll()
    open = 0
  }

  // MARK: Sizes

  /// The fewest items of a page that could also be two. A page of one child would make no progress towards the root.
  private var groupMin: Int { level == 0 ? 1 : 2 }

  /// Bytes of a page of the items `range` and perhaps one more, without its upper fence.
  func byteCount(_ range: Range<Int>, prefix: Int, and next: (key: Int, value: Int)? = nil) -> Int {
    guard let first = items[range].first, let last = items[range].last else { return 0 }
    var count = range.count
    var content = last.offset + last.keyLength + last.payloadLength - first.offset
    if let next {
      count += 1
      content += next.key + next.value
    }
    let fixed = PageFormat.headerBytes + PageFormat.padded(prefix: prefix) + lowerRest(range, prefix: prefix)
    if level == 0 {
      return fixed + (count + 1) * PageFormat.slotBytes
        + count * (PageFormat.entryHeaderBytes - prefix) + content
    }
    // The first child's separator is the lower fence, and child references are staged as content.
    return fixed + (count + 1) * (PageFormat.slotBytes + PageFormat.countBytes)
      + content - first.keyLength - (count - 1) * prefix
  }

  /// Bytes of the lower fence of a page of these items that its prefix does not hold.
  private func lowerRest(_ range: Range<Int>, prefix: Int) -> Int {
    let first = range.lowerBound
    if first > 0, level == 0 {
      let length = fenceLength(first)
      return length - min(length, prefix)
    }
    let shown = level == 0 ? first : first + 1
    if first > 0 {
      return items[first].keyLength - (shown < range.upperBound ? shared(key(first), shown, prefix) : 0)
    }
    return lower.withKeyBytes { $0.count - (shown < range.upperBound ? shared($0, shown, prefix) : 0) }
  }

  /// How much of `fence` a prefix holds that is the beginning of an item's key.
  func shared(_ fence: KeyBytes, _ item: Int, _ prefix: Int) -> Int {
    min(prefix, fence.commonPrefix(with: key(item)))
  }

  private var openBytes: Int { byteCount(open..<items.count, prefix: openPrefix) }

  func key(_ index: Int) -> KeyBytes {
    KeyBytes(UnsafeRawPointer(staged.base) + items[index].offset, items[index].keyLength)
  }

  func payload(_ index: Int) -> UnsafeRawBufferPointer {
    let item = items[index]
    return UnsafeRawBufferPointer(
      start: UnsafeRawPointer(staged.base) + item.offset + item.keyLength, count: item.payloadLength)
  }

  /// How much of an item's key it takes to tell it from the item before: the fence between their pages.
  private func fenceLength(_ index: Int) -> Int {
    level == 0 ? key(index - 1).commonPrefix(with: key(index)) + 1 : items[index].keyLength
  }

  /// What the keys of a page of these items begin with. Inner pages don't store their first separator.
  func prefix(_ range: Range<Int>) -> Int {
    let first = level == 0 ? range.lowerBound : range.lowerBound + 1
    guard first < range.upperBound else { return 0 }
    return key(first).commonPrefix(with: key(range.upperBound - 1))
  }

  // MARK: Filling

  /// Checks an entry or child and finishes the open page if it has no room for it.
  private func admit(_ key: KeyBytes, payload: Int, _ sink: Sink) throws(StorageError) {
    guard key.count <= StorageLimits.keyBytesMax else {
      throw StorageError(
        .invalidArgument, "a key of \(key.count) bytes is too long (at most \(StorageLimits.keyBytesMax))")
    }
    guard let last = items.indices.last else {
      try lower.withKeyBytes { (lower) throws(StorageError) in
        guard lower.compare(key) <= 0 else {
          throw StorageError(.invalidArgument, "key \(key.hex) is below the fence \(lower.hex)")
        }
      }
      openPrefix = level == 0 ? key.count : 0
      return
    }
    guard self.key(last).compare(key) < 0 else {
      throw StorageError(.invalidArgument, "keys out of order (key \(key.hex) after \(self.key(last).hex))")
    }
    let grown = openPrefix(with: key)
    if closes(byteCount(open..<items.count, prefix: grown, and: (key.count, payload))) {
      if open > 0 { try emitWaiting(sink) }
      open = items.count
      openPrefix = level == 0 ? key.count : 0
    } else {
      openPrefix = grown
    }
  }

  /// What the keys of the open page begin with once `key` is among them.
  private func openPrefix(with key: KeyBytes) -> Int {
    if level == 0 { return min(openPrefix, self.key(open).commonPrefix(with: key)) }
    // The first child's separator is not stored.
    if items.count == open + 1 { return key.count }
    return min(openPrefix, self.key(open + 1).commonPrefix(with: key))
  }

  /// Whether the open page ends before the entry that would give it so many bytes.
  private func closes(_ byteCount: Int) -> Bool {
    let count = items.count - open
    if byteCount <= min(sizing.filledBytes, PageBuilder.byteCountMax) || count < groupMin { return false }
    return count >= sizing.countMin || byteCount > min(sizing.grownBytesMax, PageBuilder.byteCountMax)
  }

  /// What a page may have without its upper fence, which is not known before the next page begins.
  private static let byteCountMax = PageFormat.byteCountMax - StorageLimits.keyBytesMax

  private func add(_ key: KeyBytes, _ payload: UnsafeRawBufferPointer, entryCount: Int, isBlob: Bool) {
    let offset = staged.count
    let start = staged.extend(key.count + payload.count)
    start.copyMemory(from: key.start, byteCount: key.count)
    if let source = payload.baseAddress {
      (start + key.count).copyMemory(from: source, byteCount: payload.count)
    }
    items.append(
      Item(
        offset: offset, keyLength: key.count, payloadLength: payload.count, entryCount: entryCount, isBlob: isBlob))
  }

  /// Joins the waiting page with the open one, which is small, or gives both about half of their bytes.
  private func redivide() {
    let all = items.indices
    let whole = byteCount(all, prefix: prefix(all))
    let isIndivisible = items.count < 2 * groupMin
    if whole <= min(isIndivisible ? PageBuilder.byteCountMax : sizing.targetBytes, PageBuilder.byteCountMax) {
      open = 0
      return
    }
    let half = staged.count / 2
    let middle = items.firstIndex { $0.offset >= half } ?? open
    let divided = max(groupMin, min(middle, items.count - groupMin))
    let parts = [0..<divided, divided..<items.count]
    let sizes = parts.map { byteCount($0, prefix: prefix($0)) }
    guard sizes.allSatisfy({ $0 <= PageBuilder.byteCountMax }) else { return }
    // Where the keys change, entries that move to the other side may lose a long prefix.
    let current = byteCount(0..<open, prefix: prefix(0..<open)) + openBytes
    if items.count - open < groupMin || sizes[0] + sizes[1] <= current + sizing.joinBytes { open = divided }
  }

  /// Hands out the waiting page; the open one is then the first.
  private func emitWaiting(_ sink: Sink) throws(StorageError) {
    let upper = KeyBytes(key(open).start, fenceLength(open))
    try emit(open, upper: upper, sink)
    lower.removeAll(keepingCapacity: true)
    lower.append(contentsOf: upper.bytes)
    let gone = items[open].offset
    staged.base.copyMemory(from: staged.base + gone, byteCount: staged.count - gone)
    staged.removeLast(gone)
    items.removeFirst(open)
    for index in items.indices { items[index].offset -= gone }
    open = 0
  }
}
