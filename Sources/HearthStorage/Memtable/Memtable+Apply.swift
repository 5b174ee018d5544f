extension Memtable {
  /// Applies one operation of the commit `version` to `tree`.
  ///
  /// - Parameters:
  ///   - value: Ignored for a remove.
  ///   - oldSize: For replace and remove the size of the value that the layers below have.
  ///   - number: The same for all operations of a commit, higher from commit to commit.
  /// - Returns: The entry made, `nil` where the operation and an earlier insert vanished.
  /// - Throws: `.invalidArgument` when the operation's claim contradicts this layer, or a size is out of range;
  ///   nothing has changed then.
  @discardableResult
  func apply(
    _ kind: EntryKind, _ tree: TreeID, key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer, oldSize: Int = 0,
    version: UInt64, number: UInt64, to roots: inout Roots
  ) throws(StorageError) -> Entry? {
    let key = KeyBytes(key)
    try checkSizes(key, value, tree)
    let location = locate(key, in: roots[tree])
    switch compose(kind, oldSize: oldSize, on: location.found) {
    case .store(let kind, let oldSize):
      let value = kind == .remove ? UnsafeRawBufferPointer(start: nil, count: 0) : value
      let entry = arena.append(kind, version: version, oldSize: oldSize, key: key, value: value)
      store(entry, at: location, version: version, number: number, to: &roots[tree])
      return entry
    case .vanish:
      vanish(at: location, version: version, number: number, from: &roots[tree])
      return nil
    case .wrongClaim:
      throw Memtable.wrongClaim(kind, tree, key)
    }
  }

  /// Applies an entry of another layer, whose arena this one has adopted, under the entry's own version.
  ///
  /// Its bytes are shared. Only where the entry meets a replacement or tombstone of this layer are they copied, since
  /// the size of the value below changes.
  ///
  /// - Throws: As the other form.
  func apply(_ entry: Entry, _ tree: TreeID, number: UInt64, to roots: inout Roots) throws(StorageError) {
    let key = entry.key
    let location = locate(key, in: roots[tree])
    let version = entry.version
    switch compose(entry.kind, oldSize: entry.oldSize, on: location.found) {
    case .store(let kind, let oldSize):
      let isShared = kind == .insert || oldSize == entry.storedOldSize
      let result =
        isShared
        ? Entry(entry.start, kind)
        : arena.append(kind, version: version, oldSize: oldSize, key: key, value: entry.value)
      store(result, at: location, version: version, number: number, to: &roots[tree])
    case .vanish:
      vanish(at: location, version: version, number: number, from: &roots[tree])
    case .wrongClaim:
      throw Memtable.wrongClaim(entry.kind, tree, key)
    }
  }

  @inline(__always)
  func checkSizes(_ key: KeyBytes, _ value: UnsafeRawBufferPointer, _ tree: TreeID) throws(StorageError) {
    if key.count > StorageLimits.keyBytesMax || value.count > StorageLimits.valueBytesMax {
      throw StorageError(
        .invalidArgument,
        "a key of \(key.count) bytes with a value of \(value.count) exceeds the limits (\(tree), key \(key.hex))")
    }
  }

  @inline(never)
  private static func wrongClaim(_ kind: EntryKind, _ tree: TreeID, _ key: KeyBytes) -> StorageError {
    let found = kind == .insert ? "present" : "absent"
    return StorageError(.invalidArgument, "\(kind) of a key that is \(found) (\(tree), key \(key.hex))")
  }
}

// MARK: - Composition

extension Memtable {
  private enum Composition {
    case store(EntryKind, oldSize: Int)
    case vanish
    case wrongClaim
  }

  /// What an operation makes of the entry that its key has in this layer: the first entry's claim about the layers
  /// below stays.
  @inline(__always)
  private func compose(_ kind: EntryKind, oldSize: Int, on found: Entry?) -> Composition {
    guard let found else { return .store(kind, oldSize: kind == .insert ? 0 : oldSize) }
    switch (kind, found.kind) {
    case (.insert, .remove), (.replace, .replace): return .store(.replace, oldSize: found.oldSize)
    case (.replace, .insert): return .store(.insert, oldSize: 0)
    case (.remove, .insert): return .vanish
    case (.remove, .replace): return .store(.remove, oldSize: found.oldSize)
    case (.insert, .insert), (.insert, .replace), (.replace, .remove), (.remove, .remove): return .wrongClaim
    }
  }
}

// MARK: - The path of a change

extension Memtable {
  struct Location {
    /// Steps in ``path``.
    var depth: Int
    /// Whether the last step is a leaf; otherwise it is an inner node with an empty slot, or there is no node at all.
    var hasLeaf: Bool
    var index: Int
    var found: Entry?
  }

  /// Fills ``path`` without changing anything, so that a wrong claim is known before the first copy.
  @inline(__always)
  private func locate(_ key: KeyBytes, in root: Root) -> Location {
    var depth = 0
    var next = root
    while let node = next.node {
      node.prefetch()
      precondition(depth < Memtable.heightMax, "a tree of more than \(Memtable.heightMax) levels")
      if node.isLeaf {
        let (index, isFound) = node.search(key)
        path[depth] = PathStep(node: node, index: index)
        return Location(depth: depth + 1, hasLeaf: true, index: index, found: isFound ? node.entries[index] : nil)
      }
      let index = node.childIndex(key)
      path[depth] = PathStep(node: node, index: index)
      depth &+= 1
      next = node.children[index]
    }
    return Location(depth: depth, hasLeaf: false, index: 0, found: nil)
  }

  /// A node that the change `number` may alter: `node` itself if it made it, else a copy.
  @inline(__always)
  func writable(_ node: Node, _ number: UInt64) -> Node {
    if node.birth == number { return node }
    let copy = slab.allocate(birth: number)
    copy.start.copyMemory(from: node.start, byteCount: Node.byteCount)
    copy.birth = number
    slab.retire(node, at: number)
    return copy
  }

  /// Makes the nodes on the path writable and brings their sums up to date.
  @inline(__always)
  private func makePathWritable(
    _ location: Location, delta: Int, newest: UInt64, vanished: UInt64, number: UInt64, root: inout Root
  ) {
    precondition(number >= highestNumber, "number \(number) after \(highestNumber)")
    highestNumber = number
    var depth = 0
    while depth < location.depth {
      let old = path[depth].node
      let node = writable(old, number)
      if node != old {
        path[depth].node = node
        if depth == 0 {
          root = Root(node)
        } else {
          path[depth &- 1].node.children[path[depth &- 1].index] = Root(node)
        }
      }
      node.total = node.total &+ delta
      if newest > node.newest { node.newest = newest }
      if vanished > node.vanished { node.vanished = vanished }
      if !node.isLeaf {
        let counts = node.counts + path[depth].index
        counts.pointee = counts.pointee &+ Int32(truncatingIfNeeded: delta)
      }
      depth &+= 1
    }
  }

  /// The fences of the node at `depth` of the path.
  func fences(depth: Int) -> (lower: Entry?, upper: Entry?) {
    var lower: Entry?
    var upper: Entry?
    for step in stride(from: depth - 1, through: 0, by: -1) {
      let (node, index) = (path[step].node, path[step].index)
      if lower == nil, index > 0 { lower = node.separators[index] }
      if upper == nil, index + 1 < node.count { upper = node.separators[index + 1] }
    }
    return (lower, upper)
  }
}

// MARK: - Storing and splitting

extension Memtable {
  @inline(__always)
  private func store(_ entry: Entry, at location: Location, version: UInt64, number: UInt64, to root: inout Root) {
    let delta = entry.sign &- (location.found?.sign ?? 0)
    makePathWritable(location, delta: delta, newest: version, vanished: 0, number: number, root: &root)
    if !location.hasLeaf {
      plantLeaf(entry, at: location, version: version, number: number, root: &root)
      return
    }
    let leaf = path[location.depth &- 1].node
    if location.found != nil {
      leaf.entries[location.index] = entry
    } else if leaf.count < leafSlotsMax {
      leaf.insertEntry(entry, at: location.index)
    } else {
      splitLeaf(entry, at: location, number: number, root: &root)
    }
  }

  /// Puts a new leaf where the path ended in an empty slot.
  private func plantLeaf(
    _ entry: Entry, at location: Location, version: UInt64, number: UInt64, root: inout Root
  ) {
    let leaf = slab.allocate(birth: number)
    leaf.initialize(isLeaf: true, birth: number)
    leaf.newest = version
    leaf.tightenPrefix(fences(depth: location.depth).lower, fences(depth: location.depth).upper)
    leaf.insertEntry(entry, at: 0)
    leaf.total = entry.sign
    if location.depth == 0 {
      leaf.vanished = root.vanished
      root = Root(leaf)
    } else {
      let (parent, index) = (path[location.depth - 1].node, path[location.depth - 1].index)
      leaf.vanished = parent.children[index].vanished
      parent.children[index] = Root(leaf)
    }
  }

  /// Inserts into a full leaf. At the right edge of the tree all entries stay, so that ascending keys fill nodes.
  @inline(never)
  private func splitLeaf(_ entry: Entry, at location: Location, number: UInt64, root: inout Root) {
    let depth = location.depth - 1
    let left = path[depth].node
    let (lower, upper) = fences(depth: depth)
    let isAppend = location.index == left.count && upper == nil
    let middle = isAppend ? left.count : left.count / 2
    let right = sibling(of: left, number)
    left.moveSlots(from: middle, to: right)
    if location.index > middle || isAppend {
      right.insertEntry(entry, at: location.index - middle)
    } else {
      left.insertEntry(entry, at: location.index)
    }
    left.recount()
    right.recount()
    let separator = right.entries[0]
    left.tightenPrefix(lower, separator)
    right.tightenPrefix(separator, upper)
    insertSibling(right, separator, of: left, depth: depth, number: number, root: &root)
  }

  /// A new empty node that shares a node's sums and prefix. Both keep the newest versions: too high is allowed.
  private func sibling(of node: Node, _ number: UInt64) -> Node {
    let sibling = slab.allocate(birth: number)
    sibling.start.copyMemory(from: node.start, byteCount: Node.byteCount)
    sibling.birth = number
    sibling.count = 0
    return sibling
  }

  /// Hangs `right` beside `left`, the node at `depth` of the path, splitting full parents on the way up.
  private func insertSibling(
    _ right: Node, _ separator: Entry, of left: Node, depth: Int, number: UInt64, root: inout Root
  ) {
    if depth == 0 {
      let top = slab.allocate(birth: number)
      top.initialize(isLeaf: false, birth: number)
      top.newest = max(left.newest, right.newest)
      top.vanished = max(left.vanished, right.vanished)
      top.insertChild(Root(left), separator: separator, count: left.total, at: 0)
      top.insertChild(Root(right), separator: separator, count: right.total, at: 1)
      top.recount()
      root = Root(top)
      return
    }
    let (parent, index) = (path[depth - 1].node, path[depth - 1].index)
    parent.counts[index] = Int32(truncatingIfNeeded: left.total)
    if parent.count < innerSlotsMax {
      parent.insertChild(Root(right), separator: separator, count: right.total, at: index + 1)
      return
    }
    let (lower, upper) = fences(depth: depth - 1)
    let isAppend = index + 1 == parent.count && upper == nil
    let middle = isAppend ? parent.count : parent.count / 2
    let uncle = sibling(of: parent, number)
    parent.moveSlots(from: middle, to: uncle)
    if index + 1 > middle || isAppend {
      uncle.insertChild(Root(right), separator: separator, count: right.total, at: index + 1 - middle)
    } else {
      parent.insertChild(Root(right), separator: separator, count: right.total, at: index + 1)
    }
    parent.recount()
    uncle.recount()
    let divider = uncle.separators[0]
    parent.tightenPrefix(lower, divider)
    uncle.tightenPrefix(divider, upper)
    insertSibling(uncle, divider, of: parent, depth: depth - 1, number: number, root: &root)
  }
}

// MARK: - Vanishing

extension Memtable {
  private func vanish(at location: Location, version: UInt64, number: UInt64, from root: inout Root) {
    makePathWritable(location, delta: -1, newest: 0, vanished: version, number: number, root: &root)
    let leaf = path[location.depth - 1].node
    leaf.removeEntry(at: location.index)
    if leaf.count == 0 { drop(leaf, depth: location.depth - 1, number: number, root: &root) }
  }

  /// Takes an empty leaf out of the tree, and every inner node that has nothing else. What vanished there stays known
  /// in the slot that remains.
  private func drop(_ leaf: Node, depth: Int, number: UInt64, root: inout Root) {
    var gone = leaf
    for depth in stride(from: depth - 1, through: 0, by: -1) {
      var slot = Root(vanished: gone.vanished)
      slab.retire(gone, at: number)
      let parent = path[depth].node
      var index = path[depth].index
      parent.counts[index] = 0
      if index + 1 < parent.count, parent.children[index + 1].isEmpty {
        slot = Root(vanished: max(slot.vanished, parent.children[index + 1].vanished))
        parent.removeChild(at: index + 1)
      }
      if index > 0, parent.children[index - 1].isEmpty {
        slot = Root(vanished: max(slot.vanished, parent.children[index - 1].vanished))
        parent.removeChild(at: index)
        index -= 1
      }
      parent.children[index] = slot
      if parent.count > 1 {
        collapse(&root, number: number)
        return
      }
      gone = parent
    }
    let vanished = gone.vanished
    slab.retire(gone, at: number)
    root = Root(vanished: vanished)
  }

  /// Lowers the tree while its root has a single child beside empty slots. The child takes those over, so that its
  /// fences become the root's.
  private func collapse(_ root: inout Root, number: UInt64) {
    while let top = root.node, !top.isLeaf, top.count <= 3 {
      let full = (0..<top.count).filter { !top.children[$0].isEmpty }
      guard full.count == 1, let index = full.first, let only = top.children[index].node else { return }
      let child: Node
      if only.isLeaf {
        child = writable(only, number)
      } else {
        if only.count + top.count - 1 > innerSlotsMax { return }
        child = writable(only, number)
        if index > 0 {
          adoptEmptySlot(top.children[index - 1], in: child, at: 0, separator: top.separators[index])
        }
        if index + 1 < top.count {
          adoptEmptySlot(top.children[index + 1], in: child, at: child.count, separator: top.separators[index + 1])
        }
      }
      child.vanished = max(child.vanished, top.vanished)
      if top.isCoarse { child.markCoarse() }
      child.rebuildHeads(prefix: 0)
      slab.retire(top, at: number)
      root = Root(child)
    }
  }

  /// Adds an empty slot at one end of an inner node whose fence on that side was `separator`.
  private func adoptEmptySlot(_ slot: Root, in node: Node, at index: Int, separator: Entry) {
    let neighbour = index == 0 ? 0 : index - 1
    if node.children[neighbour].isEmpty {
      node.children[neighbour] = Root(vanished: max(slot.vanished, node.children[neighbour].vanished))
    } else {
      node.insertChild(slot, separator: separator, count: 0, at: index)
      // Entering in front, it pushed the former first child, which had no separator, to the second place.
      if index == 0 { node.separators[1] = separator }
    }
  }
}
