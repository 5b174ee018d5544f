/// Builds one tree of a fresh layer from strictly ascending inserts, with full nodes.
///
/// Threading: as for changes of the layer. The tree becomes visible with the root that ``finish()`` returns; a builder
/// that is dropped before leaves its memory to the layer.
struct BulkBuilder {
  private struct Level {
    /// The node being filled.
    var node: Node
    /// Its lower fence; `nil` is the beginning of the tree.
    var lower: Entry?
  }

  private let memtable: Memtable
  private let tree: TreeID
  private let number: UInt64
  /// The right edge of the tree, from the leaf up.
  private var levels: [Level] = []
  private var last: Entry?
  private var newest: UInt64 = 0

  /// - Parameter number: The number of the root; changes to it have higher ones.
  init(_ memtable: Memtable, _ tree: TreeID, number: UInt64) {
    precondition(number >= memtable.highestNumber)
    memtable.highestNumber = number
    self.memtable = memtable
    self.tree = tree
    self.number = number
  }

  /// Adds an insert of the commit `version`.
  ///
  /// - Throws: `.invalidArgument` if the key is not above the one before, or a size is out of range; the builder can
  ///   go on with another key.
  mutating func append(
    key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer, version: UInt64
  ) throws(StorageError) {
    let key = KeyBytes(key)
    try memtable.checkSizes(key, value, tree)
    if let last, last.key.compare(key) >= 0 {
      throw StorageError(
        .invalidArgument, "keys out of order (\(tree), key \(key.hex) after \(last.key.hex))")
    }
    let entry = memtable.arena.append(.insert, version: version, oldSize: 0, key: key, value: value)
    last = entry
    if levels.isEmpty { levels.append(Level(node: makeNode(isLeaf: true), lower: nil)) }
    var leaf = levels[0].node
    if leaf.count == memtable.leafSlotsMax {
      close(0, upper: entry)
      leaf = makeNode(isLeaf: true)
      levels[0] = Level(node: leaf, lower: entry)
    }
    leaf.entries[leaf.count] = entry
    leaf.count += 1
    if version > leaf.newest { leaf.newest = version }
  }

  /// The finished tree. The builder is used up.
  mutating func finish() -> Root {
    guard !levels.isEmpty else { return .empty }
    var level = 0
    while level + 1 < levels.count {
      close(level, upper: nil)
      level += 1
    }
    complete(levels[level], upper: nil)
    defer { levels = [] }
    return Root(levels[level].node)
  }

  private func makeNode(isLeaf: Bool) -> Node {
    let node = memtable.slab.allocateForGood()
    node.initialize(isLeaf: isLeaf, birth: number)
    return node
  }

  /// Heads wait until both fences are known.
  private func complete(_ level: Level, upper: Entry?) {
    let node = level.node
    if let lower = level.lower, let upper {
      node.rebuildHeads(prefix: lower.key.commonPrefix(with: upper.key))
    } else {
      node.rebuildHeads(prefix: 0)
    }
    node.recount()
  }

  /// Completes the node of `level` and hangs it into the level above. The caller starts the next one.
  private mutating func close(_ level: Int, upper: Entry?) {
    let done = levels[level]
    complete(done, upper: upper)
    if level + 1 == levels.count { levels.append(Level(node: makeNode(isLeaf: false), lower: nil)) }
    var parent = levels[level + 1].node
    if parent.count == memtable.innerSlotsMax {
      close(level + 1, upper: done.lower)
      parent = makeNode(isLeaf: false)
      levels[level + 1] = Level(node: parent, lower: done.lower)
    }
    let index = parent.count
    parent.children[index] = Root(done.node)
    if let lower = done.lower { parent.separators[index] = lower }
    parent.counts[index] = Int32(truncatingIfNeeded: done.node.total)
    parent.count = index + 1
    if done.node.newest > parent.newest { parent.newest = done.node.newest }
  }
}
