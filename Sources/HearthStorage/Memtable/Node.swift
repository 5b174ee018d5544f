import CHearth

/// A node of a layer's tree: 512 bytes in the layer's slab, seen through a pointer.
///
///     offset  size  field
///     0       8     birth: the number of the change that made it; only that change may still alter it in place
///     8       8     newest entry version in the subtree (an upper bound: it never falls)
///     16      8     newest version at which a pair vanished in the subtree
///     24      4     signed entry count of the subtree
///     28      2     prefix: leading bytes that all keys between the node's fences share
///     30      1     number of slots
///     31      1     flags
///
///     leaf   32 8×30 heads, 272 8×30 entries
///     inner  32 8×17 heads, 168 8×17 children, 304 8×17 separators, 440 4×17 signed counts
///
/// *Heads* are the eight key bytes after the prefix. A key is only ever looked for in a node whose fences enclose it,
/// so it shares the prefix and heads alone decide nearly always. Fences never widen, which keeps a stored prefix valid:
/// a child that lost its last entry leaves an *empty slot* behind instead of giving its range to a neighbour. Empty
/// slots that meet become one, so that each inner node has at least one child.
///
/// Child i holds the keys from separator i (none for the first child: the node's lower fence) to separator i + 1.
/// Separators point to entries, whose bytes live as long as the layer.
struct Node: Equatable {
  let start: UnsafeMutableRawPointer

  static let byteCount = 512
  static let leafCapacity = 30
  static let innerCapacity = 17

  private static let headsOffset = 32
  private static let entriesOffset = 272
  private static let childrenOffset = 168
  private static let separatorsOffset = 304
  private static let countsOffset = 440

  private static let leafFlag: UInt8 = 1
  private static let coarseFlag: UInt8 = 2

  @inline(__always)
  init(_ start: UnsafeMutableRawPointer) { self.start = start }

  @inline(__always)
  var birth: UInt64 {
    get { start.load(as: UInt64.self) }
    nonmutating set { start.storeBytes(of: newValue, as: UInt64.self) }
  }

  @inline(__always)
  var newest: UInt64 {
    get { start.load(fromByteOffset: 8, as: UInt64.self) }
    nonmutating set { start.storeBytes(of: newValue, toByteOffset: 8, as: UInt64.self) }
  }

  @inline(__always)
  var vanished: UInt64 {
    get { start.load(fromByteOffset: 16, as: UInt64.self) }
    nonmutating set { start.storeBytes(of: newValue, toByteOffset: 16, as: UInt64.self) }
  }

  @inline(__always)
  var total: Int {
    get { Int(start.load(fromByteOffset: 24, as: Int32.self)) }
    nonmutating set { start.storeBytes(of: Int32(truncatingIfNeeded: newValue), toByteOffset: 24, as: Int32.self) }
  }

  @inline(__always)
  var prefix: Int {
    get { Int(start.load(fromByteOffset: 28, as: UInt16.self)) }
    nonmutating set { start.storeBytes(of: UInt16(truncatingIfNeeded: newValue), toByteOffset: 28, as: UInt16.self) }
  }

  @inline(__always)
  var count: Int {
    get { Int(start.load(fromByteOffset: 30, as: UInt8.self)) }
    nonmutating set { start.storeBytes(of: UInt8(truncatingIfNeeded: newValue), toByteOffset: 30, as: UInt8.self) }
  }

  @inline(__always)
  private var flags: UInt8 {
    get { start.load(fromByteOffset: 31, as: UInt8.self) }
    nonmutating set { start.storeBytes(of: newValue, toByteOffset: 31, as: UInt8.self) }
  }

  @inline(__always)
  var isLeaf: Bool { flags & Node.leafFlag != 0 }

  /// Set on an inner node when its vanished version is not accounted for by its children (it was taken over from
  /// another layer), so that it counts for every range that touches the node.
  @inline(__always)
  var isCoarse: Bool { flags & Node.coarseFlag != 0 }

  func markCoarse() { flags |= Node.coarseFlag }

  /// Asks for all of the node at once. A search would otherwise wait for one cache line after the other: the slot
  /// count, then a head or two, then the entry.
  @inline(__always)
  func prefetch() {
    hearth_prefetch(start)
    hearth_prefetch(start + 64)
    hearth_prefetch(start + 128)
    hearth_prefetch(start + 192)
    hearth_prefetch(start + 256)
    hearth_prefetch(start + 320)
    hearth_prefetch(start + 384)
    hearth_prefetch(start + 448)
  }

  @inline(__always)
  func initialize(isLeaf: Bool, birth: UInt64) {
    start.initializeMemory(as: UInt64.self, repeating: 0, count: 4)
    self.birth = birth
    flags = isLeaf ? Node.leafFlag : 0
  }

  @inline(__always)
  var heads: UnsafeMutablePointer<UInt64> {
    (start + Node.headsOffset).assumingMemoryBound(to: UInt64.self)
  }

  /// A leaf's entries.
  @inline(__always)
  var entries: UnsafeMutablePointer<Entry> {
    (start + Node.entriesOffset).assumingMemoryBound(to: Entry.self)
  }

  /// An inner node's children.
  @inline(__always)
  var children: UnsafeMutablePointer<Root> {
    (start + Node.childrenOffset).assumingMemoryBound(to: Root.self)
  }

  /// An inner node's separators; the first is not used.
  @inline(__always)
  var separators: UnsafeMutablePointer<Entry> {
    (start + Node.separatorsOffset).assumingMemoryBound(to: Entry.self)
  }

  /// The signed entry counts of an inner node's children.
  @inline(__always)
  var counts: UnsafeMutablePointer<Int32> {
    (start + Node.countsOffset).assumingMemoryBound(to: Int32.self)
  }
}

// MARK: - Searching

extension Node {
  /// Leaf: the index of the first entry whose key is not below `key`, and whether it has that very key.
  @inline(__always)
  func search(_ key: KeyBytes) -> (index: Int, isFound: Bool) {
    let prefix = prefix
    let run = slots(withHead: key.head(at: prefix), from: 0)
    if run.isEmpty { return (run.lowerBound, false) }
    return search(key, in: run, prefix: prefix)
  }

  @inline(__always)
  private func search(_ key: KeyBytes, in run: Range<Int>, prefix: Int) -> (index: Int, isFound: Bool) {
    var low = run.lowerBound
    var length = run.count
    if length > 2 { prefetchMiddles(of: run, entries) }
    while length > 0 {
      let half = length &>> 1
      let middle = low &+ half
      let entry = entries[middle]
      // The key may reach into the next line, and whoever finds it reads on.
      hearth_prefetch(entry.start + 64)
      let order = entry.key.compare(key, afterHeadAt: prefix)
      if order == 0 { return (middle, true) }
      if order < 0 {
        low = middle &+ 1
        length = length &- half &- 1
      } else {
        length = half
      }
    }
    return (low, false)
  }

  /// Inner: the index of the child that `key` belongs to.
  @inline(__always)
  func childIndex(_ key: KeyBytes) -> Int {
    let prefix = prefix
    let run = slots(withHead: key.head(at: prefix), from: 1)
    if run.isEmpty { return run.lowerBound &- 1 }
    return childIndex(key, in: run, prefix: prefix)
  }

  @inline(__always)
  private func childIndex(_ key: KeyBytes, in run: Range<Int>, prefix: Int) -> Int {
    var low = run.lowerBound
    var length = run.count
    if length > 2 { prefetchMiddles(of: run, separators) }
    while length > 0 {
      let half = length &>> 1
      let middle = low &+ half
      if separators[middle].key.compare(key, afterHeadAt: prefix) <= 0 {
        low = middle &+ 1
        length = length &- half &- 1
      } else {
        length = half
      }
    }
    return low &- 1
  }

  /// The slots from `first` on whose heads equal `head`; empty, at the place where such a one would be, if there are
  /// none. Reads nothing but the node: only what lies in the run must be compared whole, which costs a cache miss each.
  @inline(__always)
  private func slots(withHead head: UInt64, from first: Int) -> Range<Int> {
    let heads = heads
    let count = count
    var low = first
    var length = count &- first
    while length > 0 {
      let half = length &>> 1
      let isBelow = heads[low &+ half] < head
      low = isBelow ? low &+ half &+ 1 : low
      length = isBelow ? length &- half &- 1 : half
    }
    var end = low
    while end < count, heads[end] == head { end &+= 1 }
    return Range(uncheckedBounds: (low, end))
  }

  /// Asks for the keys that a binary search in `run` compares first, all at once.
  @inline(__always)
  private func prefetchMiddles(of run: Range<Int>, _ entries: UnsafeMutablePointer<Entry>) {
    let last = run.upperBound &- 1
    let middle = run.lowerBound &+ run.count &>> 1
    Node.prefetch(entries[middle])
    Node.prefetch(entries[run.lowerBound &+ (middle &- run.lowerBound) &>> 1])
    Node.prefetch(entries[min(middle &+ 1 &+ (last &- middle) &>> 1, last)])
  }

  @inline(__always)
  private static func prefetch(_ entry: Entry) {
    hearth_prefetch(entry.start)
    hearth_prefetch(entry.start + 64)
  }

  /// Inner: the signed count of the children before `index`.
  @inline(__always)
  func countBefore(child index: Int) -> Int {
    let counts = counts
    var sum: Int32 = 0
    var at = 0
    while at < index {
      sum &+= counts[at]
      at &+= 1
    }
    return Int(sum)
  }

  /// Leaf: the signed count of the entries before `index`.
  @inline(__always)
  func countBefore(entry index: Int) -> Int {
    let entries = entries
    var sum = 0
    var at = 0
    while at < index {
      sum &+= entries[at].sign
      at &+= 1
    }
    return sum
  }
}

// MARK: - Changing (only by the change that made the node)

extension Node {
  func insertEntry(_ entry: Entry, at index: Int) {
    let count = count
    let heads = heads + index
    let entries = entries + index
    if index < count {
      (heads + 1).update(from: heads, count: count &- index)
      (entries + 1).update(from: entries, count: count &- index)
    }
    heads.pointee = entry.key.head(at: prefix)
    entries.pointee = entry
    self.count = count &+ 1
  }

  func removeEntry(at index: Int) {
    let rest = count &- index &- 1
    if rest > 0 {
      (heads + index).update(from: heads + index + 1, count: rest)
      (entries + index).update(from: entries + index + 1, count: rest)
    }
    count = count &- 1
  }

  func insertChild(_ child: Root, separator: Entry, count childCount: Int, at index: Int) {
    let count = count
    let rest = count &- index
    if rest > 0 {
      (heads + index + 1).update(from: heads + index, count: rest)
      (children + index + 1).update(from: children + index, count: rest)
      (separators + index + 1).update(from: separators + index, count: rest)
      (counts + index + 1).update(from: counts + index, count: rest)
    }
    heads[index] = separator.key.head(at: prefix)
    children[index] = child
    separators[index] = separator
    counts[index] = Int32(truncatingIfNeeded: childCount)
    self.count = count &+ 1
  }

  func removeChild(at index: Int) {
    let rest = count &- index &- 1
    if rest > 0 {
      (heads + index).update(from: heads + index + 1, count: rest)
      (children + index).update(from: children + index + 1, count: rest)
      (separators + index).update(from: separators + index + 1, count: rest)
      (counts + index).update(from: counts + index + 1, count: rest)
    }
    count = count &- 1
  }

  /// Moves the slots from `index` on to `target`, which is empty and has the same prefix, and recounts both.
  func moveSlots(from index: Int, to target: Node) {
    let moved = count &- index
    if moved > 0 {
      target.heads.update(from: heads + index, count: moved)
      if isLeaf {
        target.entries.update(from: entries + index, count: moved)
      } else {
        target.children.update(from: children + index, count: moved)
        target.separators.update(from: separators + index, count: moved)
        target.counts.update(from: counts + index, count: moved)
      }
    }
    target.count = moved
    count = index
  }

  func recount() {
    total = isLeaf ? countBefore(entry: count) : countBefore(child: count)
  }

  /// Makes `prefix` the node's prefix and computes all heads anew, which reads every key.
  func rebuildHeads(prefix: Int) {
    self.prefix = prefix
    let heads = heads
    if isLeaf {
      for index in 0..<count { heads[index] = entries[index].key.head(at: prefix) }
    } else if count > 1 {
      for index in 1..<count { heads[index] = separators[index].key.head(at: prefix) }
    }
  }

  /// Follows fences that have drawn closer. A few shared bytes at the front of a head cost nothing, reading all keys
  /// does (a cache miss each), so heads move on only when half of their bytes say nothing.
  func tightenPrefix(_ lower: Entry?, _ upper: Entry?) {
    guard let lower, let upper else { return }
    let prefix = lower.key.commonPrefix(with: upper.key)
    if prefix >= self.prefix + 4 { rebuildHeads(prefix: prefix) }
  }
}
