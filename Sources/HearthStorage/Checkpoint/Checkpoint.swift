/// A checkpoint as it is on disk: its record, with the length of every segment, and the segments open for reading.
struct Checkpoint: Sendable {
  var record: CheckpointRecord
  var reference: BlockReference
  /// Length of the segment that the record stands in.
  var recordSegmentBytes: UInt64
  var segments: SegmentSet

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
    guard record.agrees(with: superblock), let index = record.segments.firstIndex(where: { $0.segment == own }) else {
      throw StorageError(
        .corruption, "the record of checkpoint \(record.number) contradicts slot \(superblock.number) of SUPER",
        file: reader.path, offset: reference.place.offset)
    }
    record.segments[index].fileBytes = superblock.recordSegmentBytes
    var segments = SegmentSet()
    for item in record.segments {
      segments.insert(
        try Checkpoint.reader(item.segment, item.fileBytes, directory, superblock.lineage, &open))
    }
    self.init(
      record: record, reference: reference, recordSegmentBytes: superblock.recordSegmentBytes, segments: segments)
  }

  init(record: CheckpointRecord, reference: BlockReference, recordSegmentBytes: UInt64, segments: SegmentSet) {
    self.record = record
    self.reference = reference
    self.recordSegmentBytes = recordSegmentBytes
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
    func readBlock(_ reference: BlockReference) throws(StorageError) -> (level: UInt8, bytes: [UInt8]) {
      let reader = try segments.reader(reference.place.segment)
      let block = try reader.read(reference, expecting: .usage, using: buffer)
      var raw = [UInt8](repeating: 0, count: block.header.rawLength)
      do throws(StorageError) {
        try raw.withUnsafeMutableBufferPointer { (raw) throws(StorageError) in
          try block.decode(into: UnsafeMutableRawBufferPointer(raw))
        }
        withExtendedLifetime(buffer) {}
      } catch {
        throw error.placed(file: reader.path, offset: reference.place.offset)
      }
      return (block.header.level, raw)
    }
    func add(_ bytes: [UInt8]) throws(StorageError) {
      let read = try bytes.withUnsafeBufferPointer { (bytes) throws(StorageError) in
        try SegmentUsage.read(UnsafeRawBufferPointer(bytes))
      }
      for usage in read { usages[usage.segment] = usage }
    }
    let (level, bytes) = try readBlock(root)
    if level == 0 {
      try add(bytes)
    } else {
      let items = try bytes.withUnsafeBufferPointer { (bytes) throws(StorageError) in
        try UsageIndex.read(UnsafeRawBufferPointer(bytes))
      }
      for item in items {
        let (level, bytes) = try readBlock(item.reference)
        guard level == 0 else { throw UsageIndex.damage("an index of indexes") }
        try add(bytes)
      }
    }
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
    let stored = ByteBuffer()
    let block = try segment.read(reference, expecting: .checkpoint, using: stored)
    let raw = UnsafeMutableRawBufferPointer.allocate(byteCount: block.header.rawLength, alignment: 16)
    defer { raw.deallocate() }
    do throws(StorageError) {
      try block.decode(into: raw)
      withExtendedLifetime(stored) {}
      return try CheckpointRecord.read(UnsafeRawBufferPointer(raw))
    } catch {
      throw error.placed(file: segment.path, offset: reference.place.offset)
    }
  }

  /// Whether a slot of SUPER may name this record: a later slot may name one again, with a later place in the log.
  func agrees(with superblock: Superblock) -> Bool {
    lineage == superblock.lineage && number <= superblock.number && commitVersion == superblock.commitVersion
      && commitTime == superblock.commitTime && stateBytes == superblock.stateBytes
      && logPosition <= superblock.logPosition && entryCounts == superblock.entryCounts
  }

  /// By `TreeID.rawValue`.
  var entryCounts: [UInt64] { roots.map { UInt64($0?.child.entryCount ?? 0) } }
}
