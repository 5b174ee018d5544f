/// Makes a checkpoint of trees that a merge has written: what is alive where, the record, and durable segments.
struct CheckpointWriter {
  /// Where the log goes on after the checkpoint.
  struct LogPlace {
    var position: UInt64
    var generation: UInt64
    var chain: UInt32
  }

  struct Result {
    var checkpoint: Checkpoint
    var usages: [UInt64: SegmentUsage]
  }

  let directory: SegmentDirectory
  let lineage: UInt64
  let number: UInt64
  /// The checkpoint before, whose trees were merged.
  let previous: Checkpoint?
  let usages: [UInt64: SegmentUsage]

  /// Usage goes into blocks of about this size.
  private static let usageBlockBytes = 256 << 10

  /// Writes and syncs everything up to the superblock, which is the caller's.
  ///
  /// - Throws: what failed; the caller abandons the segments then.
  func write(
    _ roller: SegmentRoller, roots: [TreeRoot?], killed: [BlockReference], growth: Int, commitVersion: UInt64,
    commitTime: Int64, log: LogPlace
  ) throws(StorageError) -> Result {
    let stateBytes = Int(previous?.record.stateBytes ?? 0) + growth
    guard stateBytes >= 0 else { throw StorageError(.corruption, "a state of \(stateBytes) bytes") }
    var usages = try bury(killed)
    usages = usages.filter { $0.value.liveCount > 0 }
    for writer in roller.writers {
      usages[writer.header.segment] = SegmentUsage(
        segment: writer.header.segment, age: number, blocks: writer.blocks)
    }
    // The record's own segment, which may be one more: it is listed, and has to be known before.
    let own = try roller.writer().header.segment
    if usages[own] == nil { usages[own] = SegmentUsage(segment: own, age: number, blocks: []) }
    let usageRoot = try write(usages.values.sorted { $0.segment < $1.segment }, to: roller, own: own)
    var lengths: [UInt64: (bytes: UInt64, checkpoint: UInt64)] = [:]
    for item in previous?.record.segments ?? [] { lengths[item.segment] = (item.fileBytes, item.checkpoint) }
    for writer in roller.writers { lengths[writer.header.segment] = (writer.fileBytes, number) }
    var record = CheckpointRecord(
      number: number, lineage: lineage, commitVersion: commitVersion, commitTime: commitTime, logPosition: log.position,
      logGeneration: log.generation, logChain: log.chain, nextSegment: roller.nextSegment,
      stateBytes: UInt64(stateBytes), usageRoot: usageRoot, roots: roots,
      segments: usages.keys.sorted().map { segment in
        let length = lengths[segment] ?? (0, number)
        return CheckpointRecord.Segment(
          segment: segment, fileBytes: segment == own ? 0 : length.bytes, checkpoint: length.checkpoint)
      })
    let image = record.encoded()
    let reference = try image.withUnsafeBufferPointer { (image) throws(StorageError) in
      try roller.append(UnsafeRawBufferPointer(image), to: own, kind: .checkpoint)
    }
    let summaries = try roller.finish()
    for summary in summaries where summary.segment == own {
      record.setLength(of: own, to: summary.fileBytes)
    }
    var segments = SegmentSet()
    for item in record.segments {
      if let reader = previous?.segments[item.segment] {
        segments.insert(reader)
      } else {
        segments.insert(try SegmentReader.open(directory, segment: item.segment, lineage: lineage))
      }
    }
    return Result(
      checkpoint: Checkpoint(record: record, reference: reference, segments: segments), usages: usages)
  }

  /// What is left alive once the blocks that were replaced are dead.
  private func bury(_ killed: [BlockReference]) throws(StorageError) -> [UInt64: SegmentUsage] {
    var usages = usages
    for (segment, blocks) in Dictionary(grouping: killed, by: \.place.segment).sorted(by: { $0.key < $1.key }) {
      guard var usage = usages[segment], let reader = previous?.segments[segment] else {
        throw StorageError(.corruption, "a block of segment \(segment), which is not in use, was replaced")
      }
      let listed = try reader.listBlocks().blocks
      for block in blocks {
        guard let ordinal = listed.ordinal(of: block.place), ordinal < usage.blockCount, usage.isLive(ordinal) else {
          throw StorageError(
            .corruption, "a block was replaced that the usage does not know as alive", file: reader.path,
            offset: block.place.offset)
        }
        usage.kill(ordinal, byteCount: block.byteCount)
      }
      usages[segment] = usage
    }
    return usages
  }

  private func write(
    _ usages: [SegmentUsage], to roller: SegmentRoller, own: UInt64
  ) throws(StorageError) -> BlockReference? {
    var items: [UsageIndex.Item] = []
    var rest = usages[...]
    while let first = rest.first {
      var count = 0
      var bytes = 0
      while count < rest.count, count == 0 || bytes < Self.usageBlockBytes {
        bytes += rest[rest.startIndex + count].encodedBytes
        count += 1
      }
      let image = SegmentUsage.encode(Array(rest.prefix(count)))
      let reference = try image.withUnsafeBufferPointer { (image) throws(StorageError) in
        try roller.append(UnsafeRawBufferPointer(image), to: own, kind: .usage)
      }
      items.append(UsageIndex.Item(firstSegment: first.segment, reference: reference))
      rest = rest.dropFirst(count)
    }
    if items.count <= 1 { return items.first?.reference }
    let index = UsageIndex.encode(items)
    return try index.withUnsafeBufferPointer { (index) throws(StorageError) in
      try roller.append(UnsafeRawBufferPointer(index), to: own, kind: .usage, level: 1)
    }
  }
}

extension [SegmentBlock] {
  /// Which of them begins there.
  fileprivate func ordinal(of place: BlockPlace) -> Int? {
    var low = 0
    var length = count
    while length > 0 {
      let half = length / 2
      if self[low + half].reference.place.unit < place.unit {
        low += half + 1
        length -= half + 1
      } else {
        length = half
      }
    }
    return low < count && self[low].reference.place == place ? low : nil
  }
}
