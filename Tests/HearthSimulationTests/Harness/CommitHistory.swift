@testable import HearthStorage

/// The oracle: every commit that was sequenced since a known state, and what its caller was told.
///
/// A value, but commits are shared: what is told later of a commit is known to earlier copies too.
struct CommitHistory {
  enum Fate { case pending, acknowledged, failed }

  final class Commit: @unchecked Sendable {
    let version: UInt64
    let durability: Durability
    /// The state after it.
    let state: ModelState
    let changes: [ModelChange]
    var fate = Fate.pending

    init(version: UInt64, durability: Durability, state: ModelState, changes: [ModelChange]) {
      self.version = version
      self.durability = durability
      self.state = state
      self.changes = changes
    }

    func touches(_ tree: TreeID, _ key: Bytes) -> Bool { changes.contains { $0.tree == tree && $0.key == key } }
  }

  /// What the database held when it was opened: durable since.
  private(set) var floorVersion: UInt64
  private(set) var floorState: ModelState
  private(set) var commits: [Commit] = []
  /// Everything up to here was synced by a call that said so.
  var syncedVersion: UInt64 = 0
  /// The highest version that anything was sequenced under, given up or not.
  private(set) var lastVersion: UInt64

  init(floorVersion: UInt64 = 0, floorState: ModelState = ModelState()) {
    self.floorVersion = floorVersion
    self.floorState = floorState
    lastVersion = floorVersion
  }

  /// The newest sequenced state. What failed is always at the end.
  var lastState: ModelState { commits.last { $0.fate != .failed }?.state ?? floorState }

  /// Adds a commit that was sequenced just now. That it could be proves that those that failed before were given up
  /// without a byte written: they must never be seen.
  mutating func append(version: UInt64, durability: Durability, changes: [ModelChange]) -> Commit {
    commits.removeAll { $0.fate == .failed }
    var state = lastState
    state.apply(changes, version: version)
    let commit = Commit(version: version, durability: durability, state: state, changes: changes)
    commits.append(commit)
    lastVersion = version
    return commit
  }

  /// Forgets what failed, after a close or an open that went through.
  mutating func dropFailed() { commits.removeAll { $0.fate == .failed } }

  /// The state after a version, or `nil` when no state of that version ever was.
  func state(at version: UInt64) -> ModelState? {
    if version == floorVersion { return floorState }
    return commits.last { $0.version == version }?.state
  }

  /// The lowest version that may be found after a power cut.
  func requiredAfterPowerCut(published: UInt64) -> UInt64 {
    let durable = commits.last {
      $0.durability == .durable && ($0.fate == .acknowledged || $0.version <= published && $0.fate != .failed)
    }
    return max(floorVersion, durable?.version ?? 0, syncedVersion)
  }

  /// The lowest version that may be found after the process alone died.
  func requiredAfterKill(published: UInt64) -> UInt64 {
    let acknowledged = commits.last { $0.fate == .acknowledged }
    return max(requiredAfterPowerCut(published: published), acknowledged?.version ?? 0, published)
  }
}
