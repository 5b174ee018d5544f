/// A block in memory that someone else keeps alive, checked against its place.
struct BlockView {
  let header: BlockHeader
  /// As stored.
  let payload: UnsafeRawBufferPointer

  /// - Parameter bytes: begins with the block; more may follow.
  /// - Throws: `.corruption` when this is not the block that was written there, `.unsupportedFormat` for one that only
  ///   later builds read.
  init(_ bytes: UnsafeRawBufferPointer, at place: BlockPlace) throws(StorageError) {
    guard let p = bytes.baseAddress, bytes.count >= BlockFormat.headerBytes else {
      throw StorageError(.corruption, "the block's header is cut off")
    }
    let header = try BlockHeader.read(p)
    guard header.byteCount <= bytes.count else {
      throw StorageError(.corruption, "a block of \(header.byteCount) bytes where \(bytes.count) are")
    }
    let crc = BlockHeader.checksum(p, place, storedLength: header.storedLength)
    guard crc == header.crc else {
      throw StorageError(.corruption, "checksum of block is 0x\(hex(header.crc)), computed 0x\(hex(crc))")
    }
    try BlockHeader.checkFormat(p)
    self.header = header
    payload = UnsafeRawBufferPointer(rebasing: bytes[BlockFormat.headerBytes..<header.byteCount])
  }

  /// Fills `output`, which has exactly `header.rawLength` bytes, with the raw payload.
  ///
  /// - Throws: `.corruption` when the payload does not give those.
  func decode(into output: UnsafeMutableRawBufferPointer) throws(StorageError) {
    precondition(output.count == header.rawLength, "\(output.count) bytes for a block of \(header.rawLength)")
    switch header.codec {
    case .raw: output.copyMemory(from: payload)
    case .lz4: try LZ4Block.decompress(payload, into: output)
    }
  }

  /// Calls `body` with the raw payload.
  func withRaw<R>(_ body: (UnsafeRawBufferPointer) throws(StorageError) -> R) throws(StorageError) -> R {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: header.rawLength, alignment: 64)
    defer { memory.deallocate() }
    try decode(into: memory)
    return try body(UnsafeRawBufferPointer(memory))
  }
}
