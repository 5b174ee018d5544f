/// Copies the good frames of a log's last file into a fresh file of the next generation (E5): after an unclean open
/// nothing is ever appended to a file that may hold a torn tail.
enum WALCopy {
  /// The copy, open for writing and durable. Its header was written after everything it covers.
  static func make(
    of item: WALInventory.Item, through end: UInt64, generation: UInt64, salt: UInt64, numbers: (UInt64, UInt64),
    directory: WALDirectory
  ) throws(StorageError) -> (file: WALFile, chain: UInt32) {
    let fileSystem = directory.fileSystem
    let source = try fileSystem.open(item.path, .read)
    defer { source.close() }
    let reader = try WALFileReader(source, path: item.path, header: item.header)
    var header = item.header
    header.generation = generation
    header.salt = salt
    header.copiedEnd = StorageFaults.injected.contains(.copiedEndMissing) ? 0 : end

    let freshPath = directory.freshPath(numbers.0)
    let target = try fileSystem.open(freshPath, .create)
    var chain = header.chain
    do throws(StorageError) {
      try target.allocate(header.fileBytes)
      if StorageFaults.injected.contains(.headerBeforeCopy) {
        try target.write(bytes: header.encoded(), at: 0)
        try target.sync()
        try fileSystem.rename(freshPath, to: directory.filePath(numbers.1))
        try fileSystem.syncDirectory(directory.path)
      }
      // Frames keep their places, so that what later frames say of positions stays true.
      while reader.position < end, let (frame, payload) = try reader.next() {
        chain = try write(frame, payload, chain: chain, header: header, to: target)
      }
      guard reader.position == end else {
        throw StorageError(.corruption, "the log changed while it was being copied", file: item.path)
      }
      try target.sync()
      try target.write(bytes: header.encoded(), at: 0)
      try target.sync()
    } catch {
      target.close()
      try? fileSystem.remove(freshPath)
      throw error
    }
    let path = directory.filePath(numbers.1)
    if !StorageFaults.injected.contains(.headerBeforeCopy) { try fileSystem.rename(freshPath, to: path) }
    try fileSystem.syncDirectory(directory.path)
    let file = WALFile(header: header)
    file.path = path
    file.handle = target
    return (file, chain)
  }

  private static func write(
    _ frame: WALFrame, _ payload: UnsafeRawBufferPointer, chain: UInt32, header: WALFileHeader, to target: any File
  ) throws(StorageError) -> UInt32 {
    let memory = UnsafeMutableRawBufferPointer.allocate(
      byteCount: Int(frame.end - frame.position), alignment: 4096)
    defer { memory.deallocate() }
    memory.initializeMemory(as: UInt8.self, repeating: 0)
    UnsafeMutableRawBufferPointer(rebasing: memory[WALFormat.frameHeaderBytes...]).copyMemory(from: payload)
    var copy = frame
    copy.generation = header.generation
    copy.salt = header.salt
    copy.chain = chain
    let crc = copy.seal(at: memory.baseAddress!)
    try target.write(UnsafeRawBufferPointer(memory), at: header.offset(of: frame.position))
    return crc
  }
}
