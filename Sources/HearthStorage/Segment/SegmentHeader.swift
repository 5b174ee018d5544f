/// Who a segment is.
struct SegmentHeader: Equatable, Sendable {
  var lineage: UInt64
  var segment: UInt64
  var checkpoint: UInt64

  /// Writes both copies, each padded to its sector, to the first 8 KiB of a file.
  func encode(to start: UnsafeMutableRawPointer) {
    start.initializeMemory(as: UInt8.self, repeating: 0, count: Int(SegmentFormat.blocksOffset))
    for copy in SegmentFormat.headerCopyOffsets {
      let p = start + Int(copy)
      p.store(u64: SegmentFormat.magic, at: SegmentFormat.Header.magic)
      p.store(u32: SegmentFormat.version, at: SegmentFormat.Header.version)
      p.store(u64: lineage, at: SegmentFormat.Header.lineage)
      p.store(u64: segment, at: SegmentFormat.Header.segment)
      p.store(u64: checkpoint, at: SegmentFormat.Header.checkpoint)
      p.store(u32: Self.checksum(UnsafeRawPointer(p), copyOffset: copy), at: SegmentFormat.Header.crc)
    }
  }

  static func checksum(_ p: UnsafeRawPointer, copyOffset: UInt64) -> UInt32 {
    CRC32C.checksum(
      of: UnsafeRawBufferPointer(
        start: p + SegmentFormat.Header.lineage, count: SegmentFormat.headerBytes - SegmentFormat.Header.lineage),
      continuing: BlockPlace.seed(segment: 0, offset: copyOffset))
  }

  /// Reads either copy from the first 8 KiB of a file, or what there is of them.
  ///
  /// - Throws: `.unsupportedFormat` for a segment of another build, `.corruption` when neither copy checks.
  static func read(_ bytes: UnsafeRawBufferPointer) throws(StorageError) -> SegmentHeader {
    var refusal = StorageError(.corruption, "the segment's header is damaged")
    for copy in SegmentFormat.headerCopyOffsets {
      guard let base = bytes.baseAddress, Int(copy) + SegmentFormat.headerBytes <= bytes.count else { continue }
      let p = base + Int(copy)
      guard p.u64(SegmentFormat.Header.magic) == SegmentFormat.magic else { continue }
      let version = p.u32(SegmentFormat.Header.version)
      guard version == SegmentFormat.version else {
        refusal = StorageError(
          .unsupportedFormat, "the segment has format \(version), this build reads \(SegmentFormat.version)")
        continue
      }
      guard p.u32(SegmentFormat.Header.crc) == checksum(p, copyOffset: copy) else { continue }
      let features = p.u64(SegmentFormat.Header.features)
      guard features == 0 else {
        throw StorageError(.unsupportedFormat, "the segment has features \(features) that this build does not know")
      }
      let header = SegmentHeader(
        lineage: p.u64(SegmentFormat.Header.lineage), segment: p.u64(SegmentFormat.Header.segment),
        checkpoint: p.u64(SegmentFormat.Header.checkpoint))
      guard header.segment > 0, header.segment <= BlockFormat.segmentMax, header.checkpoint.isCountable,
        (SegmentFormat.Header.reserved..<SegmentFormat.headerBytes).allSatisfy({ p.u8($0) == 0 })
      else { continue }
      return header
    }
    throw refusal
  }

  /// Reads either copy from a segment's file, as ``read(_:)`` does.
  static func read(from file: any File, path: String) throws(StorageError) -> SegmentHeader {
    let image = try file.readBytes(Int(SegmentFormat.blocksOffset), at: 0)
    do throws(StorageError) {
      return try image.withUnsafeBufferPointer { (image) throws(StorageError) in
        try SegmentHeader.read(UnsafeRawBufferPointer(image))
      }
    } catch { throw error.placed(file: path, offset: 0) }
  }
}
