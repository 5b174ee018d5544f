/// What reading a database's files gave.
struct RecoveredState {
  var superblock: Superblock
  /// By slot index, the superblocks that count.
  var slots: [Superblock?]
  /// Above the number of every slot, also of those that don't count.
  var nextCheckpoint: UInt64
  var inventory: WALInventory
  var segments: SegmentInventory
  /// The one that `superblock` names.
  var checkpoint: Checkpoint?
  /// What is alive in its segments; empty when the database is opened for reading.
  var usages: [UInt64: SegmentUsage]
  /// By the number of a slot that counts: the segments that its checkpoint needs.
  var needed: [UInt64: Set<UInt64>]
  var cache: PageCache
  var replay: WALReplay
  var stack: LayerStack
  /// Of the newest root.
  var number: UInt64
  var version: UInt64
  var time: Int64
  var stateBytes: Int
  /// Things that were not as they should be but cost nothing.
  var notes: [String]
}
