extension File {
  /// At most `count` bytes from `offset`; fewer only at the end of the file.
  func readBytes(_ count: Int, at offset: UInt64) throws(StorageError) -> [UInt8] {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
    defer { memory.deallocate() }
    let length = try read(into: memory, at: offset)
    return [UInt8](UnsafeRawBufferPointer(rebasing: memory[..<length]))
  }

  func write(bytes: [UInt8], at offset: UInt64) throws(StorageError) {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 4096)
    defer { memory.deallocate() }
    memory.copyBytes(from: bytes)
    try write(UnsafeRawBufferPointer(memory), at: offset)
  }
}
