/// A place in one tree of one layer, and the entry beside it.
///
/// A plain value over memory that its owner provides and keeps, as it keeps the layer.
struct LayerCursor {
  private let path: UnsafeMutablePointer<Memtable.PathStep>
  private var depth = 0
  private var leaf: Node?
  private var index = 0
  private var count = 0
  private let root: Root

  /// The entry after (or, going down, before) the place; `nil` when there is none.
  private(set) var current: Entry?

  /// - Parameter path: Room for ``Memtable/heightMax`` steps.
  init(_ root: Root, path: UnsafeMutablePointer<Memtable.PathStep>) {
    self.root = root
    self.path = path
  }

  /// Makes the first entry at or above `key` (above it when `isAfter`) current; `nil` is the end of the tree.
  mutating func seekForward(_ key: KeyBytes?, isAfter: Bool) {
    place(key, isAfter: isAfter)
    guard let leaf else { return climbForward() }
    if index < count { current = leaf.entries[index] } else { climbForward() }
  }

  /// Makes the last entry below `key` (at or below it when `isAfter`) current; `nil` is the end of the tree.
  mutating func seekBackward(_ key: KeyBytes?, isAfter: Bool) {
    place(key, isAfter: isAfter)
    guard let leaf else { return climbBackward() }
    index -= 1
    if index >= 0 { current = leaf.entries[index] } else { climbBackward() }
  }

  @inline(__always)
  mutating func next() {
    index &+= 1
    if index < count { current = leaf.unsafelyUnwrapped.entries[index] } else { climbForward() }
  }

  @inline(__always)
  mutating func previous() {
    index &-= 1
    if index >= 0 { current = leaf.unsafelyUnwrapped.entries[index] } else { climbBackward() }
  }

  /// Goes to the gap before the first entry that is not below `key`, or above it when `isAfter`. The path may end in
  /// an empty slot.
  private mutating func place(_ key: KeyBytes?, isAfter: Bool) {
    depth = 0
    leaf = nil
    current = nil
    var next = root
    while let node = next.node {
      if node.isLeaf {
        leaf = node
        count = node.count
        if let key {
          let (found, isFound) = node.search(key)
          index = isFound && isAfter ? found + 1 : found
        } else {
          index = count
        }
        return
      }
      let child = key.map { node.childIndex($0) } ?? node.count - 1
      path[depth] = Memtable.PathStep(node: node, index: child)
      depth += 1
      next = node.children[child]
    }
  }

  @inline(never)
  private mutating func climbForward() {
    while depth > 0 {
      let node = path[depth - 1].node
      var child = path[depth - 1].index + 1
      while child < node.count, node.children[child].isEmpty { child += 1 }
      if child == node.count {
        depth -= 1
        continue
      }
      path[depth - 1].index = child
      var next = node.children[child]
      while let node = next.node {
        if node.isLeaf {
          leaf = node
          count = node.count
          index = 0
          current = node.entries[0]
          return
        }
        // Every inner node has a child.
        var first = 0
        while node.children[first].isEmpty { first += 1 }
        path[depth] = Memtable.PathStep(node: node, index: first)
        depth += 1
        next = node.children[first]
      }
    }
    current = nil
  }

  @inline(never)
  private mutating func climbBackward() {
    while depth > 0 {
      let node = path[depth - 1].node
      var child = path[depth - 1].index - 1
      while child >= 0, node.children[child].isEmpty { child -= 1 }
      if child < 0 {
        depth -= 1
        continue
      }
      path[depth - 1].index = child
      var next = node.children[child]
      while let node = next.node {
        if node.isLeaf {
          leaf = node
          count = node.count
          index = count - 1
          current = node.entries[index]
          return
        }
        var last = node.count - 1
        while node.children[last].isEmpty { last -= 1 }
        path[depth] = Memtable.PathStep(node: node, index: last)
        depth += 1
        next = node.children[last]
      }
    }
    current = nil
  }
}
