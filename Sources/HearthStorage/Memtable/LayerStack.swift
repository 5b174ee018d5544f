/// Layers over each other, the newest on top: one state of the three trees.
///
/// For each key the entry of the topmost layer that has one decides; a tombstone there means absent. The bottom layer
/// holds inserts alone, so that signed counts of all layers add up to the number of keys.
///
/// Threading: a value that keeps its layers alive. Its roots' numbers must be live while it is read (a ``View``
/// sees to that).
struct LayerStack: Sendable {
  struct Layer: Equatable, Sendable {
    var memtable: Memtable
    var roots: Roots

    static func == (a: Layer, b: Layer) -> Bool { a.memtable === b.memtable && a.roots == b.roots }
  }

  /// The layer that changes from commit to commit, apart from the others so that a new stack costs no allocation.
  var top: Layer
  /// The layers below, newest first.
  var below: [Layer]

  init(top: Layer, below: [Layer] = []) {
    self.top = top
    self.below = below
  }

  var layerCount: Int { below.count + 1 }

  /// A tree's roots, newest first, without the layers that have nothing there.
  func roots(_ tree: TreeID) -> [Root] {
    var roots: [Root] = []
    if !top.roots[tree].isEmpty { roots.append(top.roots[tree]) }
    for layer in below where !layer.roots[tree].isEmpty { roots.append(layer.roots[tree]) }
    return roots
  }
}

// MARK: - Single keys

/// What a state knows of one key.
struct KeyState: Equatable, Sendable {
  var isPresent: Bool
  /// The commit that last wrote or removed the key, 0 when no layer remembers one.
  var version: UInt64
  /// 0 when absent.
  var valueSize: Int
}

extension LayerStack {
  /// The newest entry of `key`, which may be a tombstone.
  @inline(__always)
  func newestEntry(_ tree: TreeID, _ key: KeyBytes) -> Entry? {
    if let entry = top.roots[tree].find(key) { return entry }
    return below.withUnsafeBufferPointer { layers in
      var index = 0
      while index < layers.count {
        if let entry = layers[index].roots[tree].find(key) { return entry }
        index &+= 1
      }
      return nil
    }
  }

  /// The entry that holds the key's value, or `nil` when the key is absent.
  @inline(__always)
  func lookup(_ tree: TreeID, _ key: KeyBytes) -> Entry? {
    guard let entry = newestEntry(tree, key), !entry.isTombstone else { return nil }
    return entry
  }

  func state(_ tree: TreeID, _ key: KeyBytes) -> KeyState {
    guard let entry = newestEntry(tree, key) else { return KeyState(isPresent: false, version: 0, valueSize: 0) }
    return KeyState(isPresent: !entry.isTombstone, version: entry.version, valueSize: entry.valueSize)
  }

  /// Whether the key is not as it was at `version`. Exact: a key absent then and now has not changed.
  func hasChange(_ tree: TreeID, key: KeyBytes, after version: UInt64, wasAbsent: Bool) -> Bool {
    let state = state(tree, key)
    if wasAbsent { return state.isPresent }
    return !state.isPresent || state.version > version
  }
}

// MARK: - Ranges

extension LayerStack {
  /// How many keys are below `key`.
  func rank(_ tree: TreeID, _ key: KeyBytes) -> Int {
    var rank = top.roots[tree].rank(key)
    for layer in below { rank += layer.roots[tree].rank(key) }
    return rank
  }

  func total(_ tree: TreeID) -> Int {
    below.reduce(top.roots[tree].total) { $0 + $1.roots[tree].total }
  }

  /// How many keys the range holds. O(height × layers).
  func count(_ tree: TreeID, from lower: KeyBytes, to upper: KeyBytes?) -> Int {
    if let upper, upper.compare(lower) <= 0 { return 0 }
    let end = upper.map { rank(tree, $0) } ?? total(tree)
    return lower.count == 0 ? end : end - rank(tree, lower)
  }

  /// Whether a key of the range changed after `version`. It misses none; a key that came and went within one layer
  /// may count for its neighbours.
  func hasChange(_ tree: TreeID, from lower: KeyBytes, to upper: KeyBytes?, after version: UInt64) -> Bool {
    if let upper, upper.compare(lower) <= 0 { return false }
    let lower = lower.count == 0 ? nil : lower
    return top.roots[tree].hasChange(from: lower, to: upper, after: version)
      || below.contains { $0.roots[tree].hasChange(from: lower, to: upper, after: version) }
  }

  /// The entry at `offset` (from 0) of the range, or `nil` past its end.
  func entry(_ tree: TreeID, at offset: Int, from lower: KeyBytes, to upper: KeyBytes?) -> Entry? {
    guard offset >= 0 else { return nil }
    let roots = roots(tree)
    let before = lower.count == 0 ? 0 : rank(tree, lower)
    let (rank, hasOverflowed) = before.addingReportingOverflow(offset)
    guard !hasOverflowed, let entry = RankSearch(roots).entry(rank: rank) else { return nil }
    if let upper, entry.key.compare(upper) >= 0 { return nil }
    return entry
  }
}
