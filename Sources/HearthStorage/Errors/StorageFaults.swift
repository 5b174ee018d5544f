/// Deliberate mistakes, for tests alone: each breaks one rule of the engine in one place, and the simulator must notice
/// (Tests/README.md, "Deliberate breaks").
///
/// A database takes those that are set in the task that opens it, for its life. Nothing but a test sets any.
struct StorageFaults: OptionSet, Sendable {
  let rawValue: UInt32

  @TaskLocal static var injected: StorageFaults = []

  // Log
  static let logNotSynced = StorageFaults(rawValue: 1 << 0)
  static let headerNotSynced = StorageFaults(rawValue: 1 << 1)
  static let namesNotSynced = StorageFaults(rawValue: 1 << 2)
  static let fileNotSyncedBeforeNext = StorageFaults(rawValue: 1 << 3)
  static let claimedSectorRewritten = StorageFaults(rawValue: 1 << 4)
  static let syncedThroughTooHigh = StorageFaults(rawValue: 1 << 5)
  // Reading it
  static let chainNotChecked = StorageFaults(rawValue: 1 << 7)
  static let checksumNotChecked = StorageFaults(rawValue: 1 << 8)
  static let partsCountWithoutMark = StorageFaults(rawValue: 1 << 9)
  static let oldGenerationWins = StorageFaults(rawValue: 1 << 10)
  // Recovery
  static let copiedEndMissing = StorageFaults(rawValue: 1 << 11)
  static let headerBeforeCopy = StorageFaults(rawValue: 1 << 12)
  // Checkpoint
  static let killsForgotten = StorageFaults(rawValue: 1 << 13)
  static let segmentRemovedEarly = StorageFaults(rawValue: 1 << 24)
  static let slotNotSynced = StorageFaults(rawValue: 1 << 14)
  static let newestSlotOverwritten = StorageFaults(rawValue: 1 << 15)
  static let slotNotSettled = StorageFaults(rawValue: 1 << 6)
  static let recycledTooEarly = StorageFaults(rawValue: 1 << 16)
  // Segments
  static let segmentNotSynced = StorageFaults(rawValue: 1 << 22)
  static let segmentNameNotSynced = StorageFaults(rawValue: 1 << 23)
  // Engine
  static let acknowledgedEarly = StorageFaults(rawValue: 1 << 17)
  static let publishedEarly = StorageFaults(rawValue: 1 << 18)
  static let wrongSigns = StorageFaults(rawValue: 1 << 19)
  static let failedCommitsStay = StorageFaults(rawValue: 1 << 20)
  static let claimedBesideTooMuch = StorageFaults(rawValue: 1 << 21)
}
