/// Walks one tree of a stack of layers within bounds, up or down, showing each present key once.
///
/// The cursor stands in a gap between keys: ``next()`` returns the entry above the gap and steps over it,
/// ``previous()`` the one below. So after a `next` a `previous` returns the same entry again.
/// A long run of keys that are gone is not walked: their number is zero, so the next key is found by its rank.
///
/// Threading: one thread at a time. The caller keeps the layers alive and the roots live.
struct MergedCursor: ~Copyable {
  private enum Direction { case none, forward, backward }

  /// Roots newest first, none of them empty.
  private let roots: [Root]
  private let lower: [UInt8]
  private let upper: [UInt8]?

  private let cursors: UnsafeMutablePointer<LayerCursor>
  private let paths: UnsafeMutablePointer<Memtable.PathStep>

  private var direction = Direction.none
  /// Where the gap is while `direction` is `.none`, and the last entry stepped over otherwise.
  private var gapKey: [UInt8]?
  private var gapEntry: Entry?

  /// The cursor whose entry comes next, or -1. Newer layers win ties, the losers have been moved on.
  private var leader = -1
  /// The nearest entry of the other cursors: while the leader stays before it, no comparing of all is needed.
  private var rival: Entry?

  /// Present keys are found by rank after this many in a row were gone.
  private static let deadRunMax = 32

  init(_ stack: LayerStack, _ tree: TreeID, _ range: KeyRange = .everything) {
    roots = stack.roots(tree)
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
  mutating func next() -> Entry? {
    if direction != .forward { turnForward() }
    var dead = 0
    while leader >= 0, let entry = cursors[leader].current {
      if isPastUpper(entry) { return nil }
      advanceForward()
      if !entry.isTombstone {
        gapEntry = entry
        return entry
      }
      dead &+= 1
      if dead == MergedCursor.deadRunMax {
        jumpForward(over: entry)
        dead = 0
      }
    }
    return nil
  }

  /// Steps down over the entry before the gap; `nil` at the lower bound.
  @inline(__always)
  mutating func previous() -> Entry? {
    if direction != .backward { turnBackward() }
    var dead = 0
    while leader >= 0, let entry = cursors[leader].current {
      if isBelowLower(entry) { return nil }
      advanceBackward()
      if !entry.isTombstone {
        gapEntry = entry
        return entry
      }
      dead &+= 1
      if dead == MergedCursor.deadRunMax {
        jumpBackward(over: entry)
        dead = 0
      }
    }
    return nil
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
  private mutating func turnForward() {
    // Having gone down over an entry, the gap is before it.
    if let entry = gapEntry {
      seekForward(entry.key, isAfter: false)
    } else if let gapKey {
      gapKey.withKeyBytes { seekForward($0, isAfter: false) }
    } else {
      seekForward(nil, isAfter: false)
    }
  }

  @inline(never)
  private mutating func turnBackward() {
    // Having gone up over an entry, the gap is behind it.
    if let entry = gapEntry {
      seekBackward(entry.key, isAfter: true)
    } else if let gapKey {
      gapKey.withKeyBytes { seekBackward($0, isAfter: false) }
    } else {
      seekBackward(nil, isAfter: false)
    }
  }

  private mutating func seekForward(_ key: KeyBytes?, isAfter: Bool) {
    direction = .forward
    for index in 0..<roots.count { cursors[index].seekForward(key, isAfter: isAfter) }
    electForward()
  }

  private mutating func seekBackward(_ key: KeyBytes?, isAfter: Bool) {
    direction = .backward
    for index in 0..<roots.count { cursors[index].seekBackward(key, isAfter: isAfter) }
    electBackward()
  }

  private mutating func jumpForward(over entry: Entry) {
    let rank = roots.reduce(0) { $0 + $1.rank(entry.key) }
    guard let target = RankSearch(roots).entry(rank: rank) else {
      leader = -1
      return
    }
    seekForward(target.key, isAfter: false)
  }

  private mutating func jumpBackward(over entry: Entry) {
    let rank = roots.reduce(0) { $0 + $1.rank(entry.key) }
    guard let target = RankSearch(roots).entry(rank: rank - 1) else {
      leader = -1
      return
    }
    seekBackward(target.key, isAfter: true)
  }
}

// MARK: - Merging

extension MergedCursor {
  @inline(__always)
  private mutating func advanceForward() {
    cursors[leader].next()
    guard let rival else {
      if cursors[leader].current == nil { leader = -1 }
      return
    }
    if let current = cursors[leader].current, current.key.compare(rival.key) < 0 { return }
    electForward()
  }

  @inline(__always)
  private mutating func advanceBackward() {
    cursors[leader].previous()
    guard let rival else {
      if cursors[leader].current == nil { leader = -1 }
      return
    }
    if let current = cursors[leader].current, current.key.compare(rival.key) > 0 { return }
    electBackward()
  }

  /// Picks the lowest entry, the newest layer's among equals, and moves the others past its key.
  @inline(never)
  private mutating func electForward() {
    leader = -1
    rival = nil
    for index in 0..<roots.count {
      guard let entry = cursors[index].current else { continue }
      if leader < 0 || entry.key.compare(cursors[leader].current.unsafelyUnwrapped.key) < 0 { leader = index }
    }
    guard leader >= 0, let first = cursors[leader].current else { return }
    for index in 0..<roots.count where index != leader {
      guard var entry = cursors[index].current else { continue }
      if entry.key.compare(first.key) == 0 {
        cursors[index].next()
        guard let following = cursors[index].current else { continue }
        entry = following
      }
      if let nearest = rival, nearest.key.compare(entry.key) <= 0 { continue }
      rival = entry
    }
  }

  /// Picks the highest entry, the newest layer's among equals, and moves the others past its key.
  @inline(never)
  private mutating func electBackward() {
    leader = -1
    rival = nil
    for index in 0..<roots.count {
      guard let entry = cursors[index].current else { continue }
      if leader < 0 || entry.key.compare(cursors[leader].current.unsafelyUnwrapped.key) > 0 { leader = index }
    }
    guard leader >= 0, let first = cursors[leader].current else { return }
    for index in 0..<roots.count where index != leader {
      guard var entry = cursors[index].current else { continue }
      if entry.key.compare(first.key) == 0 {
        cursors[index].previous()
        guard let following = cursors[index].current else { continue }
        entry = following
      }
      if let nearest = rival, nearest.key.compare(entry.key) >= 0 { continue }
      rival = entry
    }
  }
}
