/// Walks one tree of a stack of layers and its snapshot within bounds, up or down, showing each present key once.
///
/// The cursor stands in a gap between keys: ``next()`` returns the entry above the gap and steps over it,
/// ``previous()`` the one below. So after a `next` a `previous` returns the same entry again. An entry stays readable
/// until the next move.
/// A long run of keys that are gone is not walked: their number is zero, so the next key is found by its rank.
///
/// Moves are made inside ``pinned(_:)``. After an error the cursor must be put somewhere by a seek.
///
/// Threading: one thread at a time. The caller keeps the layers alive and the roots live.
struct MergedCursor: ~Copyable {
  private enum Direction { case none, forward, backward }

  /// Roots newest first, none of them empty.
  private let roots: [Root]
  private let snapshot: TreeSnapshot?
  private let tree: TreeID
  private let lower: [UInt8]
  private let upper: [UInt8]?

  private let cursors: UnsafeMutablePointer<LayerCursor>
  private let paths: UnsafeMutablePointer<Memtable.PathStep>
  /// The snapshot's entries, as source number `roots.count`.
  private var treeSource: TreeSource?

  private var direction = Direction.none
  /// Where the gap is while `direction` is `.none`, and the last entry stepped over otherwise.
  private var gapKey: [UInt8]?
  private var gapEntry: Entry?

  /// The source whose entry comes next, or -1. Newer ones win ties, the losers have been moved on.
  private var leader = -1
  /// The nearest entry of the other sources: while the leader stays before it, no comparing of all is needed.
  private var rival: Entry?

  /// Present keys are found by rank after this many in a row were gone.
  private static let deadRunMax = 32

  init(_ stack: LayerStack, _ tree: TreeID, _ range: KeyRange = .everything) {
    let snapshot = stack.snapshot.flatMap { $0.root(tree) == nil ? nil : $0 }
    roots = stack.roots(tree)
    self.snapshot = snapshot
    self.tree = tree
    treeSource = snapshot.map { TreeSource($0, tree) }
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

  /// Calls `body`, which may move the cursor.
  @inline(__always)
  mutating func pinned<R, E: Error>(_ body: (inout MergedCursor) throws(E) -> R) throws(E) -> R {
    guard let snapshot else { return try body(&self) }
    let pin = snapshot.cache.epochs.pin()
    defer {
      treeSource?.park()
      snapshot.cache.epochs.unpin(pin)
    }
    return try body(&self)
  }

  /// Puts the gap before the first entry at or above `key`, within the bounds.
  mutating func seek(_ key: [UInt8]) {
    direction = .none
    gapEntry = nil
    gapKey = key
    key.withKeyBytes { key in
      if lower.withKeyBytes({ key.compare($0) < 0 }) { gapKey = lower }
      if let upper, upper.withKeyBytes({ key.compare($0) > 0 }) { gapKey = upper }
    }
  }

  /// Puts the gap behind the last entry within the bounds.
  mutating func seekToEnd() {
    direction = .none
    gapEntry = nil
    gapKey = upper
  }

  /// Steps up over the next entry; `nil` at the upper bound.
  @inline(__always)
  mutating func next() throws(StorageError) -> Entry? {
    if direction != .forward { try turnForward() }
    var dead = 0
    while leader >= 0, let entry = current(leader) {
      if isPastUpper(entry) { return nil }
      try advanceForward()
      if !entry.isTombstone {
        gapEntry = entry
        return entry
      }
      dead &+= 1
      if dead == MergedCursor.deadRunMax {
        try jumpForward(over: entry)
        dead = 0
      }
    }
    return nil
  }

  /// Steps down over the entry before the gap; `nil` at the lower bound.
  @inline(__always)
  mutating func previous() throws(StorageError) -> Entry? {
    if direction != .backward { try turnBackward() }
    var dead = 0
    while leader >= 0, let entry = current(leader) {
      if isBelowLower(entry) { return nil }
      try advanceBackward()
      if !entry.isTombstone {
        gapEntry = entry
        return entry
      }
      dead &+= 1
      if dead == MergedCursor.deadRunMax {
        try jumpBackward(over: entry)
        dead = 0
      }
    }
    return nil
  }

  /// Steps up over the newest entry of the next key, a tombstone too: what the layers change in what is below them. The
  /// stack has no snapshot.
  mutating func nextChange() throws(StorageError) -> Entry? {
    if direction != .forward { try turnForward() }
    guard leader >= 0, let entry = current(leader), !isPastUpper(entry) else { return nil }
    try advanceForward()
    gapEntry = entry
    return entry
  }

  @inline(__always)
  private func current(_ source: Int) -> Entry? {
    source < roots.count ? cursors[source].current : treeSource?.current
  }

  @inline(__always)
  private func isPastUpper(_ entry: Entry) -> Bool {
    guard let upper else { return false }
    return upper.withKeyBytes { entry.key.compare($0) >= 0 }
  }

  @inline(__always)
  private func isBelowLower(_ entry: Entry) -> Bool {
    if lower.isEmpty { return false }
    return lower.withKeyBytes { entry.key.compare($0) < 0 }
  }
}

// MARK: - Turning

extension MergedCursor {
  @inline(never)
  private mutating func turnForward() throws(StorageError) {
    // Having gone down over an entry, the gap is before it.
    if let entry = gapEntry {
      try seekForward(entry.key)
    } else if let key = gapKey {
      try key.withKeyBytes { (key) throws(StorageError) in try seekForward(key) }
    } else {
      try seekForward(nil)
    }
  }

  @inline(never)
  private mutating func turnBackward() throws(StorageError) {
    // Having gone up over an entry, the gap is behind it.
    if let entry = gapEntry {
      try seekBackward(entry.key, isAfter: true)
    } else if let key = gapKey {
      try key.withKeyBytes { (key) throws(StorageError) in try seekBackward(key, isAfter: false) }
    } else {
      try seekBackward(nil, isAfter: false)
    }
  }

  /// The key may be that of an entry of the tree, which lies in the source's kept or current buffer: copied first, since the
  /// seek writes there.
  private mutating func seekForward(_ key: KeyBytes?) throws(StorageError) {
    direction = .none
    let copy = key.map { [UInt8]($0.bytes) }
    for index in 0..<roots.count { cursors[index].seekForward(key, isAfter: false) }
    if let copy {
      try copy.withKeyBytes { (key) throws(StorageError) in try treeSource?.seekForward(key, isAfter: false) }
    } else {
      try treeSource?.seekForward(nil, isAfter: false)
    }
    gapKey = copy
    gapEntry = nil
    direction = .forward
    try electForward()
  }

  private mutating func seekBackward(_ key: KeyBytes?, isAfter: Bool) throws(StorageError) {
    direction = .none
    let copy = key.map { [UInt8]($0.bytes) }
    for index in 0..<roots.count { cursors[index].seekBackward(key, isAfter: isAfter) }
    if let copy {
      try copy.withKeyBytes { (key) throws(StorageError) in try treeSource?.seekBackward(key, isAfter: isAfter) }
    } else {
      try treeSource?.seekBackward(nil, isAfter: isAfter)
    }
    // A gap behind a key is the gap before its successor.
    gapKey = isAfter ? copy.map { $0 + [0] } : copy
    gapEntry = nil
    direction = .backward
    try electBackward()
  }

  private func rank(_ key: KeyBytes) throws(StorageError) -> Int {
    roots.reduce(0) { $0 + $1.rank(key) } + (try snapshot?.rank(tree, key) ?? 0)
  }

  private mutating func jumpForward(over entry: Entry) throws(StorageError) {
    guard let target = try RankSearch(roots, snapshot, tree).key(rank: try rank(entry.key)) else {
      leader = -1
      return
    }
    try target.withKeyBytes { (key) throws(StorageError) in try seekForward(key) }
  }

  private mutating func jumpBackward(over entry: Entry) throws(StorageError) {
    guard let target = try RankSearch(roots, snapshot, tree).key(rank: try rank(entry.key) - 1) else {
      leader = -1
      return
    }
    try target.withKeyBytes { (key) throws(StorageError) in try seekBackward(key, isAfter: true) }
  }
}

// MARK: - Merging

extension MergedCursor {
  @inline(__always)
  private mutating func advanceForward() throws(StorageError) {
    if leader < roots.count { cursors[leader].next() } else { try treeSource?.nextKeepingCurrent() }
    guard let rival else {
      if current(leader) == nil { leader = -1 }
      return
    }
    if let current = current(leader), current.key.compare(rival.key) < 0 { return }
    try electForward()
  }

  @inline(__always)
  private mutating func advanceBackward() throws(StorageError) {
    if leader < roots.count { cursors[leader].previous() } else { try treeSource?.previousKeepingCurrent() }
    guard let rival else {
      if current(leader) == nil { leader = -1 }
      return
    }
    if let current = current(leader), current.key.compare(rival.key) > 0 { return }
    try electBackward()
  }

  private var sourceCount: Int { roots.count + (treeSource == nil ? 0 : 1) }

  /// Picks the lowest entry, the newest source's among equals, and moves the others past its key.
  @inline(never)
  private mutating func electForward() throws(StorageError) {
    leader = -1
    rival = nil
    for index in 0..<sourceCount {
      guard let entry = current(index) else { continue }
      if leader < 0 || entry.key.compare(current(leader).unsafelyUnwrapped.key) < 0 { leader = index }
    }
    guard leader >= 0, let first = current(leader) else { return }
    for index in 0..<sourceCount where index != leader {
      guard var entry = current(index) else { continue }
      if entry.key.compare(first.key) == 0 {
        if index < roots.count { cursors[index].next() } else { try treeSource?.next() }
        guard let following = current(index) else { continue }
        entry = following
      }
      if let nearest = rival, nearest.key.compare(entry.key) <= 0 { continue }
      rival = entry
    }
  }

  /// Picks the highest entry, the newest source's among equals, and moves the others past its key.
  @inline(never)
  private mutating func electBackward() throws(StorageError) {
    leader = -1
    rival = nil
    for index in 0..<sourceCount {
      guard let entry = current(index) else { continue }
      if leader < 0 || entry.key.compare(current(leader).unsafelyUnwrapped.key) > 0 { leader = index }
    }
    guard leader >= 0, let first = current(leader) else { return }
    for index in 0..<sourceCount where index != leader {
      guard var entry = current(index) else { continue }
      if entry.key.compare(first.key) == 0 {
        if index < roots.count { cursors[index].previous() } else { try treeSource?.previous() }
        guard let following = current(index) else { continue }
        entry = following
      }
      if let nearest = rival, nearest.key.compare(entry.key) >= 0 { continue }
      rival = entry
    }
  }
}
