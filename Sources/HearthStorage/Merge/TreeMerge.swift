/// Writes one tree anew with what layers change in it: pages that change are written, those that don't stay where they
/// are and get a new parent.
///
/// The walk goes down only where there are changes, in key order, and streams what it reads and the changes into one
/// ``TreeBuilder``. So pages split as they are filled, an emptied one is gone, and one that became small goes on with its
/// right neighbour, changed or not; only the last of a level may stay small.
///
/// Works in steps. Not thread-safe; the caller keeps the layers readable.
final class TreeMerge {
  /// What became of the tree.
  struct Result {
    var root: TreeRoot?
    /// Blocks that the new tree no longer has.
    var killed: [BlockReference]
    /// By how many bytes keys and values grew.
    var growth: Int
  }

  /// An inner page of the old tree on the way to the current place.
  private struct Step {
    var page: LoadedPage
    /// Of the next child.
    var index: Int
    /// The bounds that its parent gives the page, which may be narrower itself.
    var lower: [UInt8]
    var upper: [UInt8]?
  }

  private let tree: TreeID
  private let snapshot: TreeSnapshot?
  private let builder: TreeBuilder
  /// Whether every page and every long value is written anew.
  private let rewritesAll: Bool
  private let warmth: PageWarmth
  private let buffer = ByteBuffer()
  private var changes: MergedCursor
  private var change: Entry?
  private var path: [Step] = []
  private var isBegun = false
  private var isUnchanged = false
  private var killed: [BlockReference] = []
  private var growth = 0
  private let expectedCount: Int
  private let faults = StorageFaults.injected

  /// - Parameters:
  ///   - stack: layers that take no more changes, over the snapshot whose tree is written anew.
  ///   - sink: takes the new blocks.
  init(
    _ stack: LayerStack, _ tree: TreeID, into sink: any BlockSink, sizing: PageSizing, rewritesAll: Bool
  ) throws(StorageError) {
    self.tree = tree
    snapshot = stack.snapshot
    self.rewritesAll = rewritesAll
    let warmth = PageWarmth(stack.snapshot?.cache)
    self.warmth = warmth
    builder = TreeBuilder(sink, tree, sizing: sizing) { page, block in warmth.keep(page, block) }
    expectedCount = stack.total(tree)
    var layers = stack
    layers.snapshot = nil
    changes = MergedCursor(layers, tree)
    change = try changes.nextChange()
  }

  /// Goes on for about `budget` entries and children. Returns whether all are written.
  ///
  /// - Throws: what reading and writing throws; the merge is of no use then.
  func step(budget: Int) throws(StorageError) -> Bool {
    var rest = budget
    if !isBegun {
      isBegun = true
      isUnchanged = change == nil && !rewritesAll
      if isUnchanged { return true }
      if let root = snapshot?.root(tree) {
        rest -= try open(root.child, level: root.level, lower: [], upper: nil)
      }
    }
    while rest > 0, !path.isEmpty { rest -= try advance() }
    guard path.isEmpty else { return false }
    // Without a tree so far, all changes are still there.
    while rest > 0, let change {
      try addChange(change)
      rest -= 1
    }
    return change == nil
  }

  /// The new tree, once all is written.
  ///
  /// - Throws: `.corruption` when the tree has not as many entries as its parts say it should.
  func finish() throws(StorageError) -> Result {
    if isUnchanged { return Result(root: snapshot?.root(tree), killed: [], growth: 0) }
    let root = try builder.finish()
    let count = root?.child.entryCount ?? 0
    guard count == expectedCount else {
      throw StorageError(
        .corruption, "the merged tree of \(tree) has \(count) entries, its parts count \(expectedCount)")
    }
    return Result(root: root, killed: killed, growth: growth)
  }

  /// Pages for the cache, once the new tree is in force.
  func warm() { warmth.publish() }

  // MARK: Walking

  /// Handles the next child of the lowest page of the path; returns how much work that was.
  private func advance() throws(StorageError) -> Int {
    let depth = path.count - 1
    let step = path[depth]
    let page = step.page.reader
    guard step.index < page.count else {
      path.removeLast()
      return 1
    }
    path[depth].index += 1
    let level = page.level - 1
    let child = page.child(step.index)
    let lower = step.index == 0 ? step.lower : page.lowerFence(ofChild: step.index).bytes
    let upper = step.index + 1 < page.count ? page.lowerFence(ofChild: step.index + 1).bytes : step.upper
    let isTouched = change.map { isBelow($0.key, upper) } ?? false
    if isTouched || rewritesAll || builder.wantsMore(upTo: level) {
      return try open(child, level: level, lower: lower, upper: upper)
    }
    try lower.withKeyBytes { (lower) throws(StorageError) in try builder.append(child, level: level, lower: lower) }
    return 1
  }

  /// Reads a page that will be written anew: a leaf is merged with its changes, an inner page joins the path.
  private func open(
    _ child: ChildReference, level: UInt8, lower: [UInt8], upper: [UInt8]?
  ) throws(StorageError) -> Int {
    let page = try load(child, level: level, lower: lower, upper: upper)
    if !faults.contains(.killsForgotten) { killed.append(child.base) }
    guard level > 0 else { return try merge(page, lower: lower, upper: upper) }
    path.append(Step(page: page, index: 0, lower: lower, upper: upper))
    return 1
  }

  private func load(
    _ child: ChildReference, level: UInt8, lower: [UInt8], upper: [UInt8]?
  ) throws(StorageError) -> LoadedPage {
    guard let snapshot else { throw StorageError(.corruption, "a page without a tree") }
    let resident = snapshot.withPin { () -> LoadedPage? in
      guard let frame = snapshot.cache.resident(child.base.place.word) else { return nil }
      let page = PageReader(unchecked: frame.content)
      // Else it was read for another parent: reading it again finds out what is wrong.
      guard page.level == level, page.entryCount == child.entryCount else { return nil }
      return LoadedPage(copying: page)
    }
    warmth.isWarm = resident != nil || level > 0
    if let resident { return resident }
    let (tree, segments, buffer) = (tree, snapshot.segments, buffer)
    return try lower.withKeyBytes { (lower) throws(StorageError) in
      let none = KeyBytes(lower.start, 0)
      let lowerKey = PageKey(prefix: none, suffix: lower)
      guard let upper else {
        return try LoadedPage(
          child, tree: tree, level: level, lower: lowerKey, upper: nil, segments, using: buffer)
      }
      return try upper.withKeyBytes { (upper) throws(StorageError) in
        try LoadedPage(
          child, tree: tree, level: level, lower: lowerKey, upper: PageKey(prefix: none, suffix: upper), segments,
          using: buffer)
      }
    }
  }

  // MARK: Leaves

  /// Streams a leaf's entries and the changes of its range into the builder.
  private func merge(_ page: LoadedPage, lower: [UInt8], upper: [UInt8]?) throws(StorageError) -> Int {
    lower.withKeyBytes { builder.begin(lower: $0) }
    let leaf = page.reader
    var work = leaf.count
    var index = 0
    while index < leaf.count {
      let key = leaf.key(index)
      // A change beyond the leaf's range is above all of its keys, too.
      let order = change.map { key.compare($0.key) } ?? -1
      guard let change, order >= 0 else {
        try keep(index, of: leaf)
        index += 1
        continue
      }
      if order == 0 {
        growth -= key.count + (try drop(index, of: leaf))
        index += 1
      }
      try addChange(change)
      work += 1
    }
    while let change, isBelow(change.key, upper) {
      try addChange(change)
      work += 1
    }
    return withExtendedLifetime(page) { work }
  }

  /// An entry stays; a long value's block stays where it is, unless everything is to move.
  private func keep(_ index: Int, of leaf: PageReader) throws(StorageError) {
    guard rewritesAll, leaf.isBlob(index), let snapshot else { return try builder.append(index, of: leaf) }
    let blob = try BlobReference(leaf.value(index))
    let value = ByteBuffer(capacity: blob.valueBytes)
    defer { withExtendedLifetime(value) {} }
    try blob.appendValue(snapshot.segments, tree, to: value)
    killed.append(blob.block)
    try leaf.key(index).bytes.withKeyBytes { (key) throws(StorageError) in try builder.append(key, value.bytes) }
  }

  private func addChange(_ change: Entry) throws(StorageError) {
    if !change.isTombstone {
      try builder.append(change.key, change.value)
      growth += change.key.count + change.valueSize
    }
    self.change = try changes.nextChange()
  }

  private func isBelow(_ key: KeyBytes, _ upper: [UInt8]?) -> Bool {
    upper.map { $0.withKeyBytes { key.compare($0) < 0 } } ?? true
  }

  /// An entry goes, and with it a long value's block. Returns the size of the value.
  private func drop(_ index: Int, of leaf: PageReader) throws(StorageError) -> Int {
    guard leaf.isBlob(index) else { return leaf.value(index).count }
    let blob = try BlobReference(leaf.value(index))
    killed.append(blob.block)
    return blob.valueBytes
  }
}
