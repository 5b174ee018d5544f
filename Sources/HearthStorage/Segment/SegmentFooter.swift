/// The list of blocks at the end of a sealed segment.
enum SegmentFooter {
  /// Appends footer and trailer to `buffer`, whose end is to be written at `offset`, where the last block ended.
  static func append(_ blocks: [SegmentBlock], segment: UInt64, at offset: UInt64, to buffer: ByteBuffer) {
    let byteCount = Int(SegmentFormat.footerBytes(blockCount: blocks.count))
    let p = buffer.extend(byteCount)
    p.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
    for (index, block) in blocks.enumerated() { block.encode(to: p + index * SegmentFormat.footerEntryBytes) }
    let trailer = p + (byteCount - SegmentFormat.trailerBytes)
    trailer.store(u64: SegmentFormat.trailerMagic, at: SegmentFormat.Trailer.magic)
    trailer.store(u32: SegmentFormat.version, at: SegmentFormat.Trailer.version)
    trailer.store(u64: segment, at: SegmentFormat.Trailer.segment)
    trailer.store(u64: offset, at: SegmentFormat.Trailer.footerOffset)
    trailer.store(u64: offset + UInt64(byteCount), at: SegmentFormat.Trailer.fileBytes)
    trailer.store(u32: UInt32(blocks.count), at: SegmentFormat.Trailer.blockCount)
    let crc = checksum(UnsafeRawBufferPointer(start: p, count: byteCount), segment: segment, offset: offset)
    trailer.store(u32: crc, at: SegmentFormat.Trailer.crc)
  }

  /// - Parameter bytes: entries, zeros and trailer.
  static func checksum(_ bytes: UnsafeRawBufferPointer, segment: UInt64, offset: UInt64) -> UInt32 {
    let trailer = bytes.count - SegmentFormat.trailerBytes
    let entries = CRC32C.checksum(
      of: UnsafeRawBufferPointer(rebasing: bytes[..<trailer]),
      continuing: BlockPlace.seed(segment: segment, offset: offset))
    return CRC32C.checksum(
      of: UnsafeRawBufferPointer(rebasing: bytes[(trailer + SegmentFormat.Trailer.segment)...]), continuing: entries)
  }

  /// Where a file's footer begins by its last 64 bytes, which are not checked yet.
  ///
  /// - Throws: `.corruption` when no footer can begin there.
  static func offset(trailer p: UnsafeRawPointer, segment: UInt64, fileBytes: UInt64) throws(StorageError) -> UInt64 {
    let offset = p.u64(SegmentFormat.Trailer.footerOffset)
    let blockCount = Int(p.u32(SegmentFormat.Trailer.blockCount))
    let footerBytes = SegmentFormat.footerBytes(blockCount: blockCount)
    guard p.u64(SegmentFormat.Trailer.magic) == SegmentFormat.trailerMagic,
      p.u32(SegmentFormat.Trailer.version) == SegmentFormat.version,
      p.u64(SegmentFormat.Trailer.segment) == segment, p.u64(SegmentFormat.Trailer.fileBytes) == fileBytes,
      offset >= SegmentFormat.blocksOffset, blockCount <= SegmentFormat.blockCountMax, footerBytes <= fileBytes,
      offset == fileBytes - footerBytes
    else { throw StorageError(.corruption, "the segment has no footer") }
    return offset
  }

  /// The blocks that a whole footer lists.
  ///
  /// - Throws: `.corruption` when the footer is not as it was written, or its blocks don't lie one behind the other.
  static func read(_ bytes: UnsafeRawBufferPointer, segment: UInt64, offset: UInt64) throws(StorageError)
    -> [SegmentBlock]
  {
    guard let p = bytes.baseAddress, bytes.count >= SegmentFormat.trailerBytes else {
      throw StorageError(.corruption, "the segment's footer is cut off")
    }
    let trailer = p + (bytes.count - SegmentFormat.trailerBytes)
    let crc = checksum(bytes, segment: segment, offset: offset)
    guard crc == trailer.u32(SegmentFormat.Trailer.crc) else {
      throw StorageError(
        .corruption, "checksum of footer is 0x\(hex(trailer.u32(SegmentFormat.Trailer.crc))), computed 0x\(hex(crc))")
    }
    let count = Int(trailer.u32(SegmentFormat.Trailer.blockCount))
    guard UInt64(bytes.count) == SegmentFormat.footerBytes(blockCount: count),
      (SegmentFormat.Trailer.reserved..<SegmentFormat.trailerBytes).allSatisfy({ trailer.u8($0) == 0 }),
      (count * SegmentFormat.footerEntryBytes..<bytes.count - SegmentFormat.trailerBytes).allSatisfy({ p.u8($0) == 0 })
    else { throw StorageError(.corruption, "the segment's footer has bytes that are not its own") }
    var blocks: [SegmentBlock] = []
    blocks.reserveCapacity(count)
    var end = SegmentFormat.blocksOffset
    for index in 0..<count {
      guard let block = SegmentBlock.read(p + index * SegmentFormat.footerEntryBytes, segment: segment),
        block.reference.place.offset == end
      else { throw StorageError(.corruption, "block \(index) of the segment's footer cannot be") }
      blocks.append(block)
      end = block.end
    }
    guard end == offset else { throw StorageError(.corruption, "the segment's footer lists blocks up to \(end)") }
    return blocks
  }
}
