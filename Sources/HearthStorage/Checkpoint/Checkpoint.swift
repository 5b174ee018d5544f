/// A checkpoint as it is on disk: its record, with the length of every segment, and the segments open for reading.
struct Checkpoint: Sendable {
  var record: CheckpointRecord
  var reference: BlockReference
  var segments: SegmentSet

  /// Length of the segment that the record stands in.
  var recordSegmentBytes: UInt64 {
    record.segments.first { $0.segment == reference.place.segment }?.fileBytes ?? 0
  }

  /// The numbers of its segments.
  var segmentNumbers: Set<UInt64> { Set(record.segments.map(\.segment)) }

  /// Opens the checkpoint that a superblock names.
  ///
  /// - Parameter open: segments that are open already; what is opened joins them.
  /// - Returns: `nil` when it names none.
  /// - Throws: `.corruption` when anything is not as the superblock says, `.unsupportedFormat`, and what opening throws
  ///   (`.notFound` when a segment is gone).
  init?(_ superblock: Superblock, _ directory: SegmentDirectory, open: inout SegmentSet) throws(StorageError) {
    guard let reference = superblock.record else { return nil }
    let own = reference.place.segment
    let reader = try Checkpoint.reader(own, superblock.recordSegmentBytes, directory, superblock.lineage, &open)
    var record = try CheckpointRecord.read(reference, from: reader)
    guard record.agrees(with: superblock), record.setLength(of: own, to: superblock.recordSegmentBytes) else {
      throw StorageError(
        .corruption, "the record of checkpoint \(record.number) contradicts slot \(superblock.number) of SUPER",
        file: reader.path, offset: reference.place.offset)
    }
    var segments = SegmentSet()
    for item in record.segments {
      segments.insert(
        try Checkpoint.reader(item.segment, item.fileBytes, directory, superblock.lineage, &open))
    }
    self.init(record: record, reference: reference, segments: segments)
  }

  init(record: CheckpointRecord, reference: BlockReference, segments: SegmentSet) {
    self.record = record
    self.reference = reference
    self.segments = segments
  }

  private static func reader(
    _ segment: UInt64, _ fileBytes: UInt64, _ directory: SegmentDirectory, _ lineage: UInt64, _ open: inout SegmentSet
  ) throws(StorageError) -> SegmentReader {
    let reader: SegmentReader
    if let known = open[segment] {
      reader = known
    } else {
      reader = try SegmentReader.open(directory, segment: segment, lineage: lineage)
      open.insert(reader)
    }
    guard reader.fileBytes == fileBytes else {
      throw StorageError(
        .corruption, "segment \(segment) has \(reader.fileBytes) bytes, its checkpoint says \(fileBytes)",
        file: reader.path)
    }
    return reader
  }

  /// What is alive in each segment.
  ///
  /// - Throws: `.corruption` when a segment of the list has no usage, or one that is not listed has.
  func readUsage() throws(StorageError) -> [UInt64: SegmentUsage] {
    guard let root = record.usageRoot else { return [:] }
    let buffer = ByteBuffer()
    var usages: [UInt64: SegmentUsage] = [:]
    func add(_ reference: BlockReference, mayBeIndex: Bool) throws(StorageError) {
      let reader = try segments.reader(reference.place.segment)
      let items = try reader.withRaw(reference, expecting: .usage, using: buffer) {
        (header, raw) throws(StorageError) -> [UsageIndex.Item] in
        if header.level == 0 {
          for usage in try SegmentUsage.read(raw) { usages[usage.segment] = usage }
          return []
        }
        guard mayBeIndex else { throw UsageIndex.damage("an index of indexes") }
        return try UsageIndex.read(raw)
      }
      // Only now: they use the same buffer.
      for item in items { try add(item.reference, mayBeIndex: false) }
    }
    try add(root, mayBeIndex: true)
    guard Set(usages.keys) == segmentNumbers else {
      throw UsageIndex.damage("it tells of \(usages.count) segments, \(record.segments.count) are listed")
    }
    return usages
  }
}

extension Superblock {
  /// The slot that names a checkpoint first.
  init(_ checkpoint: Checkpoint) {
    let record = checkpoint.record
    self.init(
      number: record.number, lineage: record.lineage, record: checkpoint.reference,
      recordSegmentBytes: checkpoint.recordSegmentBytes, commitVersion: record.commitVersion,
      commitTime: record.commitTime, logPosition: record.logPosition, logGeneration: record.logGeneration,
      logChain: record.logChain, stateBytes: record.stateBytes, entryCounts: record.entryCounts)
  }
}

extension CheckpointRecord {
  /// The record in a checkpoint block.
  static func read(_ reference: BlockReference, from segment: SegmentReader) throws(StorageError) -> CheckpointRecord {
    try segment.withRaw(reference, expecting: .checkpoint) { (_, raw) throws(StorageError) in
      try CheckpointRecord.read(raw)
    }
  }

  /// The last record of a segment that can be read, and what names it.
  static func last(
    of blocks: [SegmentBlock], in segment: SegmentReader
  ) -> (record: CheckpointRecord, place: BlockReference)? {
    for block in blocks.reversed() where block.kind == .checkpoint {
      if let record = try? read(block.reference, from: segment), record.lineage == segment.header.lineage {
        return (record, block.reference)
      }
    }
    return nil
  }

  /// Whether a slot of SUPER may name this record: a later slot may name one again, with a later place in the log.
  func agrees(with superblock: Superblock) -> Bool {
    lineage == superblock.lineage && number <= superblock.number && commitVersion == superblock.commitVersion
      && commitTime == superblock.commitTime && stateBytes == superblock.stateBytes
      && logPosition <= superblock.logPosition && entryCounts == superblock.entryCounts
  }

  /// Fills in the length of the record's own segment, which was not known when it was written. Returns whether the segment
  /// is listed.
  @discardableResult
  mutating func setLength(of segment: UInt64, to fileBytes: UInt64) -> Bool {
    guard let index = segments.firstIndex(where: { $0.segment == segment }) else { return false }
    segments[index].fileBytes = fileBytes
    return true
  }

  /// By `TreeID.rawValue`.
  var entryCounts: [UInt64] { roots.map { UInt64($0?.child.entryCount ?? 0) } }
}
