/// What a check of a checkpoint found.
package struct CheckReport: Sendable {
  package enum Depth: String, Sendable {
    /// The record, the segments with their lengths, headers and lists, all inner pages, the headers of leaves, usage.
    case quick
    /// Also every other block, decoded and checked.
    case full
  }

  /// One segment that the checkpoint lists.
  package struct Segment: Sendable {
    package let segment: UInt64
    package let path: String
    package let fileBytes: UInt64
    package internal(set) var blockCount = 0
    /// Blocks that the trees need: pages and blobs.
    package internal(set) var liveCount = 0
    /// Of those, headers included.
    package internal(set) var liveBytes: UInt64 = 0
    /// Of blocks that nothing needs.
    package internal(set) var deadBytes: UInt64 = 0
  }

  package let depth: Depth
  /// Of the checkpoint.
  package let checkpoint: UInt64
  package let commitVersion: UInt64
  package internal(set) var findings: FindingList
  /// By tree: what the roots say.
  package internal(set) var entryCounts: [Int]
  /// Entries that were read one by one; 0 in a quick check.
  package internal(set) var entriesRead = 0
  package internal(set) var pageCount = 0
  /// By number; those that could be opened.
  package internal(set) var segments: [Segment] = []
  /// `false` when the caller ended it.
  package internal(set) var isComplete = true

  package var isGood: Bool { findings.isEmpty && isComplete }

  /// How far a check has come.
  package struct Progress: Sendable {
    package internal(set) var blockCount = 0
    package internal(set) var bytes: UInt64 = 0
    /// Of all files together.
    package internal(set) var bytesInAll: UInt64 = 0
  }
}
