/// A place in one tree of a snapshot, and the entry beside it.
///
/// Everything is called with the cache's epochs pinned. Between pins the cursor is *parked* (``park()``): it has no place
/// then until the next seek.
struct SnapshotCursor {
  private struct Step {
    var page: PageReader
    /// Of the child that was taken.
    var index: Int
  }

  private let snapshot: TreeSnapshot
  private let tree: TreeID
  /// The inner pages, from the root down.
  private var path: [Step] = []
  private var leaf: PageReader?
  private var index = 0
  private var count = 0
  private var leavesPassed = 0

  /// Who goes through more leaves than this is a scan, whose pages go first.
  private static let scanLeaves = 8

  init(_ snapshot: TreeSnapshot, _ tree: TreeID) {
    self.snapshot = snapshot
    self.tree = tree
    path.reserveCapacity(8)
  }

  /// The leaf and the place in it of the current entry, `nil` when there is none.
  @inline(__always)
  var current: (leaf: PageReader, index: Int)? {
    guard let leaf, index >= 0, index < count else { return nil }
    return (leaf, index)
  }

  mutating func park() {
    path.removeAll(keepingCapacity: true)
    leaf = nil
    count = 0
    index = 0
  }

  /// Makes the first entry at or above `key` (above it when `isAfter`) current; `nil` is the end of the tree.
  mutating func seekForward(_ key: KeyBytes?, isAfter: Bool) throws(StorageError) {
    try place(key, isAfter: isAfter)
    if index >= count { try climbForward() }
  }

  /// Makes the last entry below `key` (at or below it when `isAfter`) current; `nil` is the end of the tree.
  mutating func seekBackward(_ key: KeyBytes?, isAfter: Bool) throws(StorageError) {
    try place(key, isAfter: isAfter)
    index -= 1
    if index < 0 { try climbBackward() }
  }

  /// Makes another entry of the leaf current; from before its first one and from behind its last one it goes on to the
  /// neighbouring leaf.
  @inline(__always)
  mutating func move(to index: Int) throws(StorageError) {
    self.index = index
    if index >= count { try climbForward() } else if index < 0 { try climbBackward() }
  }

  /// Goes to the gap before the first entry that is not below `key`, or above it when `isAfter`.
  private mutating func place(_ key: KeyBytes?, isAfter: Bool) throws(StorageError) {
    park()
    guard let root = snapshot.root(tree) else { return }
    var page = try snapshot.rootPage(root, tree)
    while !page.isLeaf {
      let child = key.map { page.childIndex($0) } ?? page.count - 1
      path.append(Step(page: page, index: child))
      page = try snapshot.child(child, of: page, tree)
    }
    leaf = page
    count = page.count
    guard let key else {
      index = count
      return
    }
    let place = page.search(key)
    index = place.isFound && isAfter ? place.index + 1 : place.index
  }

  @inline(never)
  private mutating func climbForward() throws(StorageError) {
    while let step = path.last, step.index + 1 >= step.page.count { path.removeLast() }
    guard !path.isEmpty else { return end() }
    path[path.count - 1].index += 1
    try descend { _ in 0 }
    index = 0
  }

  @inline(never)
  private mutating func climbBackward() throws(StorageError) {
    while let step = path.last, step.index == 0 { path.removeLast() }
    guard !path.isEmpty else { return end() }
    path[path.count - 1].index -= 1
    try descend { $0.count - 1 }
    index = count - 1
  }

  private mutating func end() {
    leaf = nil
    count = 0
    index = 0
  }

  /// From the last step's child to a leaf. Leaves are checked against their parents again: a forged tree that has one twice
  /// would give keys out of order.
  private mutating func descend(_ choose: (PageReader) -> Int) throws(StorageError) {
    leavesPassed += 1
    let weight: PageCache.Weight = leavesPassed > Self.scanLeaves ? .passing : .leaf
    while let step = path.last {
      let page = try snapshot.child(step.index, of: step.page, tree, weight)
      guard
        page.isWithin(
          lower: step.page.lowerFence(ofChild: step.index), upper: step.page.upperFence(ofChild: step.index))
      else { throw StorageError(.corruption, "a page of the tree lies outside the bounds that its parent gives") }
      if page.isLeaf {
        leaf = page
        count = page.count
        return
      }
      path.append(Step(page: page, index: choose(page)))
    }
  }
}
