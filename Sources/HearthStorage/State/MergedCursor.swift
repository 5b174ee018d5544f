/// Walks one tree of a stack of layers and its snapshot within bounds, up or down, showing each present key once, in
/// place.
///
/// The cursor stands in a gap between keys. ``visit(_:_:)`` shows what follows in one direction and leaves the cursor
/// behind the last entry it showed, so that turning around shows that entry again.
/// A long run of keys that are gone is not walked: their number is zero, so the next key is found by its rank.
///
/// Threading: one thread at a time. The caller keeps the layers alive and the roots live.
struct MergedCursor: ~Copyable {
  enum Direction {
    case up, down

    /// Of two keys the one with the lower order times this comes first.
    @inline(__always) var sign: Int { self == .up ? 1 : -1 }
  }

  /// Roots newest first, none of them empty.
  private let roots: [Root]
  private let snapshot: TreeSnapshot?
  private let tree: TreeID
  private let lower: [UInt8]
  private let upper: [UInt8]?

  private let cursors: UnsafeMutablePointer<LayerCursor>
  private let paths: UnsafeMutablePointer<Memtable.PathStep>
  /// The snapshot's entries, as source number `roots.count`. It has a place while the epochs are pinned only.
  private var treeCursor: SnapshotCursor?

  /// Where the gap is: before this key or, when `gapIsAfter`, behind it; `nil` is the end of the tree.
  private var gapKey: [UInt8]?
  private var gapIsAfter = false
  /// The way the layers' cursors look from the gap; `nil` while they have no place.
  private var direction: Direction?

  /// The source whose entry comes next, or -1. Newer ones win ties, the losers have been moved on.
  private var leader = -1
  /// The nearest key of the other sources: while the leader stays before it, no comparing of all is needed. A layer's is
  /// in one piece (`suffix`).
  private var rival: PageKey?

  /// For keys and long values of the tree, which are not in one piece there.
  private let key = ByteBuffer(capacity: 128)
  private let longValue = ByteBuffer()

  /// Present keys are found by rank after this many in a row were gone.
  private static let deadRunMax = 32

  init(_ stack: LayerStack, _ tree: TreeID, _ range: KeyRange = .everything) {
    let snapshot = stack.snapshot.flatMap { $0.root(tree) == nil ? nil : $0 }
    roots = stack.roots(tree)
    self.snapshot = snapshot
    self.tree = tree
    treeCursor = snapshot.map { SnapshotCursor($0, tree) }
    lower = range.lower
    upper = range.upper
    gapKey = range.lower
    cursors = .allocate(capacity: max(roots.count, 1))
    paths = .allocate(capacity: max(roots.count, 1) * Memtable.heightMax)
    for (index, root) in roots.enumerated() {
      (cursors + index).initialize(to: LayerCursor(root, path: paths + index * Memtable.heightMax))
    }
  }

  deinit {
    cursors.deallocate()
    paths.deallocate()
  }

  /// Puts the gap before the first entry at or above `key`, within the bounds.
  mutating func seek(_ key: [UInt8]) {
    var key = key
    if key.withKeyBytes({ key in lower.withKeyBytes { key.compare($0) < 0 } }) { key = lower }
    if let upper, key.withKeyBytes({ key in upper.withKeyBytes { key.compare($0) > 0 } }) { key = upper }
    setGap(key, isAfter: false)
  }

  /// Puts the gap behind the last entry within the bounds.
  mutating func seekToEnd() { setGap(upper, isAfter: false) }

  /// Shows the entries that follow the gap within the bounds until `body` returns `false` or there are none left.
  ///
  /// - Parameter body: Gets key and value, which are valid inside the call alone. The cache's epochs are pinned meanwhile,
  ///   so it should be short, and few entries be visited at a time.
  /// - Returns: whether the end was reached.
  @inline(__always)
  mutating func visit(
    _ direction: Direction, _ body: (KeyBytes, UnsafeRawBufferPointer) -> Bool
  ) throws(StorageError) -> Bool {
    guard let snapshot else { return try show(direction, body) }
    let pin = snapshot.cache.epochs.pin()
    defer {
      treeCursor?.park()
      snapshot.cache.epochs.unpin(pin)
    }
    return try show(direction, body)
  }

  /// Steps up over the newest entry of the next key, a tombstone too: what the layers change in what is below them. The
  /// stack has no snapshot, and nothing but this is asked of the cursor.
  mutating func nextChange() throws(StorageError) -> Entry? {
    if direction == nil { try place(.up) }
    guard leader >= 0, let entry = cursors[leader].current else { return nil }
    try advanceLayer(.up)
    return entry
  }
}

// MARK: - Showing

extension MergedCursor {
  @inline(__always)
  private mutating func show(
    _ direction: Direction, _ body: (KeyBytes, UnsafeRawBufferPointer) -> Bool
  ) throws(StorageError) -> Bool {
    if self.direction == direction, treeCursor == nil {
      // The sources stand where they stood.
    } else {
      try place(direction)
    }
    var deadRun = 0
    while leader >= 0 {
      if leader == roots.count {
        switch try showPage(direction, body) {
        case .goOn: continue
        case .stopped: return false
        case .outside: leader = -1
        }
      } else {
        let entry = cursors[leader].current.unsafelyUnwrapped
        if isOutside(entry.key, direction) { break }
        try advanceLayer(direction)
        if entry.isTombstone {
          deadRun &+= 1
          if deadRun == Self.deadRunMax {
            deadRun = 0
            try jump(direction, over: entry.key)
          }
          continue
        }
        if !body(entry.key, entry.value) {
          setGap(entry.key, direction)
          return false
        }
      }
    }
    setGap(direction == .up ? upper : lower, isAfter: false)
    return true
  }

  private enum PageEnd { case goOn, stopped, outside }

  /// Shows what leads in the tree's current leaf, which is all up to the next key of a layer.
  @inline(__always)
  private mutating func showPage(
    _ direction: Direction, _ body: (KeyBytes, UnsafeRawBufferPointer) -> Bool
  ) throws(StorageError) -> PageEnd {
    let (leaf, first) = treeCursor.unsafelyUnwrapped.current.unsafelyUnwrapped
    var (end, isLast) = (direction == .up ? leaf.count : -1, false)
    if let rival { end = Self.edge(of: leaf, rival.suffix, direction) }
    if let bound = direction == .up ? upper : lower {
      let last = bound.withKeyBytes { Self.edge(of: leaf, $0, direction, includesEqual: direction == .down) }
      if (last &- end) &* direction.sign < 0 { (end, isLast) = (last, true) }
    }
    var index = first
    while (end &- index) &* direction.sign > 0 {
      let parts = leaf.key(index)
      key.removeAll()
      let start = key.extend(parts.count)
      parts.copy(to: start)
      let bytes = KeyBytes(UnsafeRawPointer(start), parts.count)
      let value = leaf.isBlob(index) ? try readLongValue(leaf, index) : leaf.value(index)
      if !body(bytes, value) {
        setGap(bytes, direction)
        return .stopped
      }
      index &+= direction.sign
    }
    if isLast { return .outside }
    try treeCursor?.move(to: end)
    try elect(direction)
    return .goOn
  }

  /// The first place in the direction whose entry is not before `key`, or not before or equal to it.
  private static func edge(
    of leaf: PageReader, _ key: KeyBytes, _ direction: Direction, includesEqual: Bool = false
  ) -> Int {
    let place = leaf.search(key)
    if direction == .up { return place.isFound && includesEqual ? place.index + 1 : place.index }
    return place.isFound && !includesEqual ? place.index : place.index - 1
  }

  private mutating func readLongValue(
    _ leaf: PageReader, _ index: Int
  ) throws(StorageError) -> UnsafeRawBufferPointer {
    guard let snapshot else { return leaf.value(index) }
    longValue.removeAll()
    try BlobReference(leaf.value(index)).appendValue(snapshot.segments, tree, to: longValue)
    return longValue.bytes
  }

  @inline(__always)
  private func isOutside(_ key: KeyBytes, _ direction: Direction) -> Bool {
    if direction == .down { return !lower.isEmpty && lower.withKeyBytes { key.compare($0) < 0 } }
    guard let upper else { return false }
    return upper.withKeyBytes { key.compare($0) >= 0 }
  }

  private mutating func jump(_ direction: Direction, over key: KeyBytes) throws(StorageError) {
    let rank = roots.reduce(0) { $0 + $1.rank(key) } + (try snapshot?.rank(tree, key) ?? 0)
    guard let target = try RankSearch(roots, snapshot, tree).key(rank: direction == .up ? rank : rank - 1) else {
      leader = -1
      return
    }
    setGap(target, isAfter: direction == .down)
    try place(direction)
  }
}

// MARK: - Placing

extension MergedCursor {
  private mutating func setGap(_ key: [UInt8]?, isAfter: Bool) {
    gapKey = key
    gapIsAfter = isAfter
    direction = nil
  }

  /// Behind an entry that was shown. The layers' cursors have been moved on already.
  private mutating func setGap(_ key: KeyBytes, _ direction: Direction) {
    gapKey = [UInt8](key.bytes)
    gapIsAfter = direction == .up
  }

  /// Makes every source look from the gap.
  @inline(never)
  private mutating func place(_ direction: Direction) throws(StorageError) {
    // Whatever fails on the way, the next visit begins here.
    self.direction = nil
    if let gapKey {
      try gapKey.withKeyBytes { (key) throws(StorageError) in try place(direction, at: key) }
    } else {
      try place(direction, at: nil)
    }
    try elect(direction)
    self.direction = direction
  }

  private mutating func place(_ direction: Direction, at key: KeyBytes?) throws(StorageError) {
    switch direction {
    case .up:
      for index in 0..<roots.count { cursors[index].seekForward(key, isAfter: gapIsAfter) }
      try treeCursor?.seekForward(key, isAfter: gapIsAfter)
    case .down:
      for index in 0..<roots.count { cursors[index].seekBackward(key, isAfter: gapIsAfter) }
      try treeCursor?.seekBackward(key, isAfter: gapIsAfter)
    }
  }
}

// MARK: - Merging

extension MergedCursor {
  private var sourceCount: Int { roots.count + (treeCursor == nil ? 0 : 1) }

  @inline(__always)
  private func currentKey(_ source: Int) -> PageKey? {
    if source < roots.count { return cursors[source].current.map { PageKey(whole: $0.key) } }
    return treeCursor?.current.map { $0.leaf.key($0.index) }
  }

  @inline(__always)
  private mutating func advanceLayer(_ direction: Direction) throws(StorageError) {
    if direction == .up { cursors[leader].next() } else { cursors[leader].previous() }
    guard let rival else {
      if cursors[leader].current == nil { leader = -1 }
      return
    }
    if let current = cursors[leader].current, rival.compare(current.key) &* direction.sign > 0 { return }
    try elect(direction)
  }

  /// Picks the entry that comes first, the newest source's among equals, and moves the others past its key.
  @inline(never)
  private mutating func elect(_ direction: Direction) throws(StorageError) {
    leader = -1
    rival = nil
    var first: PageKey?
    for index in 0..<sourceCount {
      guard let key = currentKey(index) else { continue }
      if let first, key.compare(first) * direction.sign >= 0 { continue }
      (leader, first) = (index, key)
    }
    guard let first else { return }
    for index in 0..<sourceCount where index != leader {
      guard var key = currentKey(index) else { continue }
      if key.compare(first) == 0 {
        try moveOn(index, direction)
        guard let following = currentKey(index) else { continue }
        key = following
      }
      if let rival, key.compare(rival) * direction.sign >= 0 { continue }
      rival = key
    }
  }

  private mutating func moveOn(_ source: Int, _ direction: Direction) throws(StorageError) {
    if source < roots.count {
      if direction == .up { cursors[source].next() } else { cursors[source].previous() }
    } else if let place = treeCursor?.current {
      try treeCursor?.move(to: place.index + direction.sign)
    }
  }
}
