/// Layers over each other, the newest on top, and below them the trees of a checkpoint: one state of the three trees.
///
/// For each key the entry of the topmost layer that has one decides; a tombstone there means absent; where no layer has
/// one, the snapshot decides. Signed counts of all layers and the snapshot's counts add up to the number of keys.
///
/// Threading: a value that keeps its layers and its snapshot alive. Its roots' numbers must be live while it is read (a
/// ``View`` sees to that).
struct LayerStack: Sendable {
  struct Layer: Equatable, Sendable {
    var memtable: Memtable
    var roots: Roots

    static func == (a: Layer, b: Layer) -> Bool { a.memtable === b.memtable && a.roots == b.roots }

    /// Whether a key of the range changed after `version` in this layer. It misses none; a key that came and went may count
    /// for its neighbours.
    func hasChange(_ tree: TreeID, from lower: KeyBytes, to upper: KeyBytes?, after version: UInt64) -> Bool {
      if let upper, upper.compare(lower) <= 0 { return false }
      return roots[tree].hasChange(from: lower.count == 0 ? nil : lower, to: upper, after: version)
    }
  }

  /// The layer that changes from commit to commit, apart from the others so that a new stack costs no allocation.
  var top: Layer
  /// The layers below, newest first.
  var below: [Layer]
  /// The trees below all layers; `nil` where there is no checkpoint.
  var snapshot: TreeSnapshot?

  init(top: Layer, below: [Layer] = [], snapshot: TreeSnapshot? = nil) {
    self.top = top
    self.below = below
    self.snapshot = snapshot
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
  /// The newest entry that a layer has for `key`, which may be a tombstone.
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

  /// Calls `body` with the value of `key`, which is valid inside it alone; `nil` when the key is absent.
  @inline(__always)
  func withValue<R>(
    _ tree: TreeID, _ key: KeyBytes, _ body: (UnsafeRawBufferPointer) throws -> R
  ) throws -> R? {
    if let entry = newestEntry(tree, key) { return entry.isTombstone ? nil : try body(entry.value) }
    guard let snapshot else { return nil }
    return try snapshot.withPin {
      guard let leaf = try snapshot.leaf(tree, key), let index = leaf.find(key) else { return nil }
      return try snapshot.withValue(index, of: leaf, tree, body)
    }
  }

  func state(_ tree: TreeID, _ key: KeyBytes) throws(StorageError) -> KeyState {
    if let entry = newestEntry(tree, key) {
      return KeyState(isPresent: !entry.isTombstone, version: entry.version, valueSize: entry.valueSize)
    }
    let valueSize = try snapshot?.valueSize(tree, key)
    return KeyState(isPresent: valueSize != nil, version: 0, valueSize: valueSize ?? 0)
  }
}

// MARK: - Ranges

extension LayerStack {
  /// How many keys are below `key`.
  func rank(_ tree: TreeID, _ key: KeyBytes) throws(StorageError) -> Int {
    var rank = top.roots[tree].rank(key)
    for layer in below { rank += layer.roots[tree].rank(key) }
    return rank + (try snapshot?.rank(tree, key) ?? 0)
  }

  func total(_ tree: TreeID) -> Int {
    below.reduce(top.roots[tree].total + (snapshot?.entryCount(tree) ?? 0)) { $0 + $1.roots[tree].total }
  }

  /// How many keys the range holds. O(height × layers).
  func count(_ tree: TreeID, from lower: KeyBytes, to upper: KeyBytes?) throws(StorageError) -> Int {
    if let upper, upper.compare(lower) <= 0 { return 0 }
    let end: Int
    if let upper { end = try rank(tree, upper) } else { end = total(tree) }
    return lower.count == 0 ? end : end - (try rank(tree, lower))
  }

  /// Whether a key of the range changed after `version`, as far as the layers tell: since the snapshot.
  func hasChange(_ tree: TreeID, from lower: KeyBytes, to upper: KeyBytes?, after version: UInt64) -> Bool {
    top.hasChange(tree, from: lower, to: upper, after: version)
      || below.contains { $0.hasChange(tree, from: lower, to: upper, after: version) }
  }

  /// The key at `offset` (from 0) of the range, or `nil` past its end.
  func key(
    _ tree: TreeID, at offset: Int, from lower: KeyBytes, to upper: KeyBytes?
  ) throws(StorageError) -> [UInt8]? {
    guard offset >= 0 else { return nil }
    let before = lower.count == 0 ? 0 : try rank(tree, lower)
    let (rank, hasOverflowed) = before.addingReportingOverflow(offset)
    guard !hasOverflowed, let key = try RankSearch(roots(tree), snapshot, tree).key(rank: rank) else { return nil }
    if let upper, key.withKeyBytes({ $0.compare(upper) >= 0 }) { return nil }
    return key
  }
}
