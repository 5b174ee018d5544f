/// Applies a frozen layer to the one below it, a bounded piece at a time, without copying keys or values.
///
/// The lower layer's new roots are meaningless together with the upper layer (its entries would count twice): they are
/// published when the fold is done, in place of both.
///
/// Threading: steps are changes of the lower layer. The upper one is only read; it must not change any more.
struct LayerFold: ~Copyable {
  private let upper: Memtable
  private let upperRoots: Roots
  private let lower: Memtable
  private var trees = TreeID.allCases[...]
  private var cursor: LayerCursor?
  private let path: UnsafeMutablePointer<Memtable.PathStep>

  init(_ upper: Memtable, _ upperRoots: Roots, into lower: Memtable) {
    self.upper = upper
    self.upperRoots = upperRoots
    self.lower = lower
    path = .allocate(capacity: Memtable.heightMax)
    lower.adoptArena(of: upper)
  }

  deinit { path.deallocate() }

  /// Applies up to `entriesMax` entries under `number`. Returns whether the fold is done.
  ///
  /// - Throws: `.invalidArgument` when the layers contradict each other; the fold can't go on then.
  mutating func step(entriesMax: Int, number: UInt64, to roots: inout Roots) throws(StorageError) -> Bool {
    var rest = entriesMax
    while let tree = trees.first {
      if cursor == nil {
        cursor = LayerCursor(upperRoots[tree], path: path)
        cursor?.seekForward(KeyBytes(UnsafeRawBufferPointer(start: nil, count: 0)), isAfter: false)
      }
      while let entry = cursor?.current {
        if rest == 0 { return false }
        try lower.apply(entry, tree, number: number, to: &roots)
        cursor?.next()
        rest -= 1
      }
      lower.noteVanished(upperRoots[tree].vanished, number: number, in: &roots[tree])
      cursor = nil
      trees.removeFirst()
    }
    return true
  }
}

extension Memtable {
  /// Remembers that pairs vanished in another layer up to `version`, anywhere in the tree: readers of ranges from
  /// before that version then find a conflict.
  func noteVanished(_ version: UInt64, number: UInt64, in root: inout Root) {
    guard version > root.vanished || version > 0 && root.node?.isCoarse == false else { return }
    precondition(number >= highestNumber, "number \(number) after \(highestNumber)")
    highestNumber = number
    if let old = root.node {
      let node = writable(old, number)
      node.vanished = max(node.vanished, version)
      if !node.isLeaf { node.markCoarse() }
      root = Root(node)
    } else {
      root = Root(vanished: max(root.vanished, version))
    }
  }
}
