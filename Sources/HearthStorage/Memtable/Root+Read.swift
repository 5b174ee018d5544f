extension Root {
  /// The entry of `key` in this layer, a tombstone included.
  @inline(__always)
  func find(_ key: KeyBytes) -> Entry? {
    var next = self
    while let node = next.node {
      node.prefetch()
      if node.isLeaf {
        let (index, isFound) = node.search(key)
        return isFound ? node.entries[index] : nil
      }
      next = node.children[node.childIndex(key)]
    }
    return nil
  }

  /// The signed count of the entries below `key`.
  func rank(_ key: KeyBytes) -> Int {
    var rank = 0
    var next = self
    while let node = next.node {
      node.prefetch()
      if node.isLeaf { return rank + node.countBefore(entry: node.search(key).index) }
      let index = node.childIndex(key)
      rank += node.countBefore(child: index)
      next = node.children[index]
    }
    return rank
  }

  /// Whether a key from `lower` up to `upper` (`nil`: the end) changed after `version` in this layer.
  ///
  /// Exact for keys that are there. A pair that vanished counts for the whole leaf it was in.
  func hasChange(from lower: KeyBytes?, to upper: KeyBytes?, after version: UInt64) -> Bool {
    guard let node else { return vanished > version }
    if node.newest <= version && node.vanished <= version { return false }
    if node.isLeaf {
      if node.vanished > version { return true }
      let first = lower.map { node.search($0).index } ?? 0
      let end = upper.map { node.search($0).index } ?? node.count
      return first < end && (first..<end).contains { node.entries[$0].version > version }
    }
    if node.isCoarse && node.vanished > version { return true }
    let first = lower.map { node.childIndex($0) } ?? 0
    var last = node.count - 1
    if let upper {
      last = node.childIndex(upper)
      // A child that begins with the upper bound holds nothing of the range.
      if last > first, node.separators[last].key.compare(upper) == 0 { last -= 1 }
    }
    for index in first...last
    where node.children[index].hasChange(
      from: index == first ? lower : nil, to: index == last ? upper : nil, after: version)
    {
      return true
    }
    return false
  }
}
