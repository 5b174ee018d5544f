/// Finds the newest checkpoint by the segments alone, for a database whose superblock is lost or not asked.
///
/// A record is the last of its kind in its segment. Whether a superblock ever named it cannot be told from here.
enum CheckpointScan {
  struct Found {
    var record: CheckpointRecord
    /// Names the record's block.
    var place: BlockReference
  }

  /// - Returns: `nil` when no segment holds a record that checks.
  /// - Throws: what reading the folder throws.
  static func newest(_ directory: SegmentDirectory) throws(StorageError) -> Found? {
    guard try directory.fileSystem.kind(of: directory.path) == .directory else { return nil }
    var readers: [SegmentReader] = []
    for name in try directory.fileSystem.contents(ofDirectory: directory.path) {
      guard name.hasSuffix(SegmentDirectory.fileSuffix), let segment = SegmentDirectory.number(of: name),
        let reader = try? SegmentReader.open(anyDatabase: directory, segment)
      else { continue }
      readers.append(reader)
    }
    // A record stands in a segment that was written for its checkpoint.
    readers.sort { ($0.header.checkpoint, $0.header.segment) > ($1.header.checkpoint, $1.header.segment) }
    for reader in readers {
      if let found = record(in: reader) { return found }
    }
    return nil
  }

  /// The last record of a segment that checks.
  static func record(in reader: SegmentReader) -> Found? {
    guard let blocks = try? reader.listBlocks().blocks else { return nil }
    let buffer = ByteBuffer()
    for block in blocks.reversed() where block.kind == .checkpoint {
      let record = try? withExtendedLifetime(buffer) { () throws(StorageError) -> CheckpointRecord in
        let view = try reader.read(block.reference, expecting: .checkpoint, using: buffer)
        return try view.withRaw { (raw) throws(StorageError) in try CheckpointRecord.read(raw) }
      }
      if let record, record.lineage == reader.header.lineage { return Found(record: record, place: block.reference) }
    }
    return nil
  }
}

extension SegmentReader {
  /// Opens a segment of whatever database, by what its header says.
  ///
  /// - Throws: as ``open(_:segment:lineage:)``, `.corruption` too when the file has another segment's name.
  static func open(anyDatabase directory: SegmentDirectory, _ segment: UInt64) throws(StorageError) -> SegmentReader {
    let path = directory.filePath(segment)
    let file = try directory.fileSystem.open(path, .read)
    let header: SegmentHeader
    do throws(StorageError) { header = try SegmentHeader.read(from: file, path: path) } catch {
      file.close()
      throw error
    }
    return try SegmentReader(file, path: path, segment: segment, lineage: header.lineage)
  }
}

extension SegmentHeader {
  static func read(from file: any File, path: String) throws(StorageError) -> SegmentHeader {
    let image = try file.readBytes(Int(SegmentFormat.blocksOffset), at: 0)
    do throws(StorageError) {
      return try image.withUnsafeBufferPointer { (image) throws(StorageError) in
        try SegmentHeader.read(UnsafeRawBufferPointer(image))
      }
    } catch { throw error.placed(file: path, offset: 0) }
  }
}

extension BlockView {
  /// Calls `body` with the raw payload.
  func withRaw<R>(_ body: (UnsafeRawBufferPointer) throws(StorageError) -> R) throws(StorageError) -> R {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: header.rawLength, alignment: 64)
    defer { memory.deallocate() }
    try decode(into: memory)
    return try body(UnsafeRawBufferPointer(memory))
  }
}
