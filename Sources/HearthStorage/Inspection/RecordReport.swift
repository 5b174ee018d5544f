/// What a checkpoint record says.
package struct RecordReport: Sendable {
  package struct Root: Sendable {
    package let tree: TreeID
    package let level: UInt8
    package let entryCount: Int
    package let segment: UInt64
    package let offset: UInt64
  }

  package struct Segment: Sendable {
    package let segment: UInt64
    /// 0 for the segment that the record stands in.
    package let fileBytes: UInt64
    package let checkpoint: UInt64
  }

  package let number: UInt64
  package let lineage: UInt64
  package let commitVersion: UInt64
  package let commitTime: Int64
  package let logPosition: UInt64
  package let nextSegment: UInt64
  package let stateBytes: UInt64
  /// Of trees that are not empty.
  package let roots: [Root]
  package let segments: [Segment]

  init(_ record: CheckpointRecord) {
    number = record.number
    lineage = record.lineage
    commitVersion = record.commitVersion
    commitTime = record.commitTime
    logPosition = record.logPosition
    nextSegment = record.nextSegment
    stateBytes = record.stateBytes
    roots = zip(TreeID.allCases, record.roots).compactMap { tree, root in
      root.map {
        Root(
          tree: tree, level: $0.level, entryCount: $0.child.entryCount, segment: $0.child.base.place.segment,
          offset: $0.child.base.place.offset)
      }
    }
    segments = record.segments.map {
      Segment(segment: $0.segment, fileBytes: $0.fileBytes, checkpoint: $0.checkpoint)
    }
  }
}
