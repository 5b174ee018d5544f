/// Writes blocks into one segment after another, each of about the same length.
///
/// No segment has its name before ``finish()``. After an error all files are gone, as far as that goes. Not thread-safe.
final class SegmentRoller: BlockSink {
  private let directory: SegmentDirectory
  private let lineage: UInt64
  private let checkpoint: UInt64
  private let segmentBytes: UInt64
  /// The number of the next segment; numbers that were taken are not given back.
  private(set) var nextSegment: UInt64
  private(set) var writers: [SegmentWriter] = []

  /// - Parameter segmentBytes: a segment that has so many gets no more blocks.
  init(
    _ directory: SegmentDirectory, lineage: UInt64, checkpoint: UInt64, nextSegment: UInt64, segmentBytes: UInt64
  ) {
    self.directory = directory
    self.lineage = lineage
    self.checkpoint = checkpoint
    self.nextSegment = nextSegment
    self.segmentBytes = segmentBytes
  }

  func append(
    _ raw: UnsafeRawBufferPointer, kind: BlockKind, tree: TreeID?, level: UInt8, compresses: Bool
  ) throws(StorageError) -> BlockReference {
    try writer().append(raw, kind: kind, tree: tree, level: level, compresses: compresses)
  }

  /// Adds a block that belongs to no tree to the newest segment, however long that is.
  func append(
    _ raw: UnsafeRawBufferPointer, to segment: UInt64, kind: BlockKind, level: UInt8 = 0
  ) throws(StorageError) -> BlockReference {
    guard let last = writers.last, last.header.segment == segment else {
      throw StorageError(.invalidArgument, "segment \(segment) is not the newest")
    }
    return try last.append(raw, kind: kind, tree: nil, level: level)
  }

  /// The writer of the next block.
  func writer() throws(StorageError) -> SegmentWriter {
    if let last = writers.last, last.offset < segmentBytes { return last }
    guard nextSegment < BlockFormat.segmentMax else {
      throw StorageError(.resourceExhausted, "no more segments: \(nextSegment) were made", file: directory.path)
    }
    try writers.last?.flush()
    let segment = nextSegment
    nextSegment += 1
    let writer = try SegmentWriter(directory, segment: segment, lineage: lineage, checkpoint: checkpoint)
    writers.append(writer)
    return writer
  }

  /// Writes what is left, makes all segments durable and gives them their names.
  ///
  /// - Throws: what failed; the segments are abandoned then.
  func finish() throws(StorageError) -> [SegmentWriter.Summary] {
    var summaries: [SegmentWriter.Summary] = []
    do throws(StorageError) {
      for writer in writers { summaries.append(try writer.finish(syncsDirectory: false)) }
      if !StorageFaults.injected.contains(.segmentNameNotSynced), !writers.isEmpty {
        try directory.fileSystem.syncDirectory(directory.path)
      }
    } catch {
      abandon()
      for summary in summaries { try? directory.fileSystem.remove(directory.filePath(summary.segment)) }
      throw error
    }
    return summaries
  }

  /// Gives up: takes back what the files occupy, as far as that goes.
  func abandon() { for writer in writers { writer.abandon() } }
}
