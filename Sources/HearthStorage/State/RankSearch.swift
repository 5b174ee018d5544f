/// Finds the key with a given number of keys below it in a stack of layers over a snapshot, by counts alone.
///
/// The number of keys below a bound never falls as the bound rises. So, source by source, the descent looks for the last
/// separator or entry with at most `rank` keys below it, and remembers the gap between that one and the next. The key
/// sought lies in every gap; when all sources are done, the gap holds no other key.
/// O(sources² × height × log) in the worst case, O(height) with one source.
struct RankSearch {
  private let roots: [Root]
  private let snapshot: TreeSnapshot?
  private let tree: TreeID

  /// - Parameter roots: the tree's roots in the layers, newest first.
  init(_ roots: [Root], _ snapshot: TreeSnapshot?, _ tree: TreeID) {
    self.roots = roots
    self.snapshot = snapshot
    self.tree = tree
  }

  /// The key with `rank` keys below it; `nil` when there are no more than that. Pins by itself.
  func key(rank: Int) throws(StorageError) -> [UInt8]? {
    let entryCount = snapshot?.entryCount(tree) ?? 0
    guard rank >= 0, rank < roots.reduce(entryCount, { $0 + $1.total }) else { return nil }
    guard let snapshot, entryCount > 0 else {
      if roots.count == 1 { return single(roots[0], rank).map { [UInt8]($0.key.bytes) } }
      return try searched(rank)
    }
    return try snapshot.withPin { () throws(StorageError) in
      roots.isEmpty ? try single(snapshot, rank) : try searched(rank)
    }
  }

  private func searched(_ rank: Int) throws(StorageError) -> [UInt8]? {
    var gap = Gap()
    // The largest first: it narrows the gap most.
    try narrowBySnapshot(&gap, rank: rank)
    for index in roots.indices.sorted(by: { abs(roots[$0].total) > abs(roots[$1].total) }) {
      try narrow(&gap, layer: index, rank: rank)
    }
    return gap.lower
  }

  /// With one layer and no snapshot there are inserts only.
  private func single(_ root: Root, _ rank: Int) -> Entry? {
    var rest = rank
    var next = root
    while let node = next.node {
      if node.isLeaf { return rest < node.count ? node.entries[rest] : nil }
      var index = 0
      while index + 1 < node.count, rest >= Int(node.counts[index]) {
        rest -= Int(node.counts[index])
        index += 1
      }
      next = node.children[index]
    }
    return nil
  }

  private func single(_ snapshot: TreeSnapshot, _ rank: Int) throws(StorageError) -> [UInt8]? {
    guard let root = snapshot.root(tree) else { return nil }
    var rest = rank
    var page = try snapshot.rootPage(root, tree)
    while !page.isLeaf {
      let index = page.childIndex(ofEntry: rest)
      rest -= page.entriesBefore(child: index)
      page = try snapshot.child(index, of: page, tree)
    }
    return page.key(rest).bytes
  }

  private struct Gap {
    /// The highest key known to have at most `rank` keys below it.
    var lower: [UInt8]?
    /// The lowest key known to have more.
    var upper: [UInt8]?
  }

  private func narrow(_ gap: inout Gap, layer: Int, rank: Int) throws(StorageError) {
    var before = 0
    var next = roots[layer]
    while let node = next.node {
      if node.isLeaf {
        _ = try lastReached(0..<node.count, &gap, rank, source: layer) { index in
          (node.entries[index].key, before + node.countBefore(entry: index))
        }
        return
      }
      let child = try lastReached(1..<node.count, &gap, rank, source: layer) { index in
        (node.separators[index].key, before + node.countBefore(child: index))
      }
      before += node.countBefore(child: child)
      next = node.children[child]
    }
  }

  private func narrowBySnapshot(_ gap: inout Gap, rank: Int) throws(StorageError) {
    guard let snapshot, let root = snapshot.root(tree) else { return }
    var before = 0
    var page = try snapshot.rootPage(root, tree)
    let key = ByteBuffer(capacity: 256)
    func whole(_ parts: PageKey) -> KeyBytes {
      key.removeAll()
      let start = key.extend(parts.count)
      parts.copy(to: start)
      return KeyBytes(UnsafeRawPointer(start), parts.count)
    }
    while !page.isLeaf {
      let child = try lastReached(1..<page.count, &gap, rank, source: nil) { index in
        (whole(page.lowerFence(ofChild: index)), before + page.entriesBefore(child: index))
      }
      before += page.entriesBefore(child: child)
      page = try snapshot.child(child, of: page, tree)
    }
    _ = try lastReached(0..<page.count, &gap, rank, source: nil) { index in (whole(page.key(index)), before + index) }
  }

  /// The last of `range` that is reached, or the one before the first.
  private func lastReached(
    _ range: Range<Int>, _ gap: inout Gap, _ rank: Int, source: Int?, _ bound: (Int) -> (KeyBytes, Int)
  ) throws(StorageError) -> Int {
    var low = range.lowerBound
    var length = range.count
    while length > 0 {
      let half = length / 2
      let middle = low + half
      let (key, own) = bound(middle)
      if try isReached(key, own, source, rank, &gap) {
        low = middle + 1
        length -= half + 1
      } else {
        length = half
      }
    }
    return low - 1
  }

  /// Whether at most `rank` keys are below `key`, of which this source (a layer, or `nil`: the snapshot) counts `own`. The
  /// gap learns from the answer.
  private func isReached(
    _ key: KeyBytes, _ own: Int, _ source: Int?, _ rank: Int, _ gap: inout Gap
  ) throws(StorageError) -> Bool {
    if let lower = gap.lower, lower.withKeyBytes({ key.compare($0) <= 0 }) { return true }
    if let upper = gap.upper, upper.withKeyBytes({ key.compare($0) >= 0 }) { return false }
    var below = own
    for (index, root) in roots.enumerated() where index != source { below += root.rank(key) }
    if source != nil, let snapshot { below += try snapshot.rank(tree, key) }
    if below <= rank {
      gap.lower = [UInt8](key.bytes)
      return true
    }
    gap.upper = [UInt8](key.bytes)
    return false
  }
}
