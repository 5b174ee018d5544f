/// What stands at one place of a segment, decoded as far as it goes.
package struct BlockReport: Sendable {
  package enum Content: Sendable {
    case page(PageReport)
    case usage([UsageReport])
    /// First segment and place of each usage block.
    case usageIndex([(firstSegment: UInt64, segment: UInt64, offset: UInt64)])
    case checkpoint(RecordReport)
    /// Of a kind that this build does not look into.
    case other
  }

  /// What is alive in one segment.
  package struct UsageReport: Sendable {
    package let segment: UInt64
    package let age: UInt64
    package let blockCount: Int
    package let liveCount: Int
    package let liveBytes: UInt64
  }

  package let offset: UInt64
  /// In the segment's list; `nil` when it lists no block there.
  package let ordinal: Int?
  /// What the header says; `nil` when none can be read.
  package let kind: String?
  package let codec: String?
  package let tree: TreeID?
  package let level: UInt8?
  package let checkpoint: UInt64?
  package let rawBytes: Int?
  /// As stored and as computed.
  package let checksum: UInt32?
  package let computed: UInt32?
  /// What is wrong: header, checksum, or what is inside.
  package let problem: String?
  /// Header and payload as stored; without a good header what there is of its 32 bytes.
  package let stored: [UInt8]
  /// The payload decoded.
  package let raw: [UInt8]
  package let content: Content?

  package static let headerBytes = BlockFormat.headerBytes

  init(_ reader: SegmentReader, offset: UInt64, ordinal: Int?) throws(StorageError) {
    self.offset = offset
    self.ordinal = ordinal
    let head =
      offset < reader.fileBytes ? try reader.file.readBytes(BlockFormat.headerBytes, at: offset) : []
    var header: BlockHeader?
    var problem: StorageError?
    do throws(StorageError) {
      guard head.count == BlockFormat.headerBytes else {
        throw StorageError(.corruption, "the file ends in or before the block's header")
      }
      guard offset % BlockFormat.alignment == 0, offset < SegmentFormat.byteCountMax else {
        throw StorageError(.corruption, "blocks begin at multiples of \(BlockFormat.alignment)")
      }
      header = try head.withUnsafeBufferPointer { (head) throws(StorageError) in
        try BlockHeader.read(UnsafeRawPointer(head.baseAddress!))
      }
    } catch { problem = error }
    kind = header.map { "\($0.kind)" }
    codec = header.map { "\($0.codec)" }
    (tree, level, checkpoint) = (header?.tree, header?.level, header?.checkpoint)
    rawBytes = header?.rawLength
    checksum = header?.crc
    guard let header else {
      (stored, raw, content, computed) = (head, [], nil, nil)
      self.problem = problem?.message
      return
    }
    // Lengths are within the bounds of the kind.
    let stored = try reader.file.readBytes(header.byteCount, at: offset)
    self.stored = stored
    var found: (raw: [UInt8], content: Content)?
    var computed: UInt32?
    do throws(StorageError) {
      guard stored.count == header.byteCount else {
        throw StorageError(.corruption, "the file ends after \(stored.count) bytes of the block's \(header.byteCount)")
      }
      let place = BlockPlace(
        segment: reader.header.segment, unit: UInt32(truncatingIfNeeded: offset / BlockFormat.alignment))
      let sum = stored.withUnsafeBytes {
        BlockHeader.checksum($0.baseAddress!, place, storedLength: header.storedLength)
      }
      computed = sum
      guard sum == header.crc else {
        throw StorageError(.corruption, "checksum of block is 0x\(hex(header.crc)), computed 0x\(hex(sum))")
      }
      found = try stored.withUnsafeBufferPointer { (stored) throws(StorageError) in
        try BlockView(UnsafeRawBufferPointer(stored), at: place).withRaw { (raw) throws(StorageError) in
          ([UInt8](raw), try BlockReport.content(header, raw))
        }
      }
    } catch { problem = error }
    self.computed = computed
    raw = found?.raw ?? []
    content = found?.content
    self.problem = problem?.message
  }

  private static func content(_ header: BlockHeader, _ raw: UnsafeRawBufferPointer) throws(StorageError) -> Content {
    switch header.kind {
    case .page: return .page(try PageReport(raw))
    case .usage where header.level == 0:
      return .usage(
        try SegmentUsage.read(raw).map {
          UsageReport(
            segment: $0.segment, age: $0.age, blockCount: $0.blockCount, liveCount: $0.liveCount,
            liveBytes: $0.liveBytes)
        })
    case .usage:
      return .usageIndex(
        try UsageIndex.read(raw).map { ($0.firstSegment, $0.reference.place.segment, $0.reference.place.offset) })
    case .checkpoint: return .checkpoint(RecordReport(try CheckpointRecord.read(raw)))
    case .delta, .filter, .blob: return .other
    }
  }
}
