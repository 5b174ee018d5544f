/// Finds the key with a given number of keys below it in a stack of layers, by counts alone.
///
/// The number of keys below a bound never falls as the bound rises. So, layer by layer, the descent looks for the last
/// separator or entry with at most `rank` keys below it, and remembers the gap between that one and the next. The key
/// sought lies in every gap; when all layers are done, the gap holds no other key.
/// O(layers² × height × log) in the worst case, O(height) with one layer.
struct RankSearch {
  private let roots: [Root]

  /// - Parameter roots: One tree's roots, newest first.
  init(_ roots: [Root]) {
    self.roots = roots
  }

  /// The entry that holds the value of the key with `rank` keys below it; `nil` when there are no more than that.
  func entry(rank: Int) -> Entry? {
    guard rank >= 0, rank < roots.reduce(0, { $0 + $1.total }) else { return nil }
    if roots.count == 1 { return single(roots[0], rank) }
    var gap = Gap()
    // The largest layer first: it narrows the gap most.
    for index in roots.indices.sorted(by: { abs(roots[$0].total) > abs(roots[$1].total) }) {
      narrow(&gap, layer: index, rank: rank)
    }
    guard let key = gap.lower?.key else { return nil }
    for root in roots {
      if let entry = root.find(key) { return entry.isTombstone ? nil : entry }
    }
    return nil
  }

  /// With one layer there are inserts only.
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

  private struct Gap {
    /// The highest key known to have at most `rank` keys below it.
    var lower: Entry?
    /// The lowest key known to have more.
    var upper: Entry?
  }

  private func narrow(_ gap: inout Gap, layer: Int, rank: Int) {
    var before = 0
    var next = roots[layer]
    while let node = next.node {
      if node.isLeaf {
        var low = 0
        var length = node.count
        while length > 0 {
          let half = length / 2
          let middle = low + half
          if isReached(node.entries[middle], before + node.countBefore(entry: middle), layer, rank, &gap) {
            low = middle + 1
            length -= half + 1
          } else {
            length = half
          }
        }
        return
      }
      var low = 1
      var length = node.count - 1
      while length > 0 {
        let half = length / 2
        let middle = low + half
        if isReached(node.separators[middle], before + node.countBefore(child: middle), layer, rank, &gap) {
          low = middle + 1
          length -= half + 1
        } else {
          length = half
        }
      }
      before += node.countBefore(child: low - 1)
      next = node.children[low - 1]
    }
  }

  /// Whether at most `rank` keys are below `bound`, of which this layer counts `own`. The gap learns from the answer.
  private func isReached(_ bound: Entry, _ own: Int, _ layer: Int, _ rank: Int, _ gap: inout Gap) -> Bool {
    let key = bound.key
    if let lower = gap.lower, key.compare(lower.key) <= 0 { return true }
    if let upper = gap.upper, key.compare(upper.key) >= 0 { return false }
    var below = own
    for (index, root) in roots.enumerated() where index != layer { below += root.rank(key) }
    if below <= rank {
      gap.lower = bound
      return true
    }
    gap.upper = bound
    return false
  }
}
