import HearthTestSupport

@testable import HearthStorage

enum SegmentSamples {
  static let lineage: UInt64 = 0xABCD

  static func directory(_ fileSystem: any FileSystem = MemoryFileSystem()) throws -> SegmentDirectory {
    _ = try fileSystem.createDirectory("/db")
    _ = try fileSystem.createDirectory("/db/segments")
    return SegmentDirectory(database: "/db", fileSystem: fileSystem)
  }

  static func append(_ raw: [UInt8], _ kind: BlockKind = .page, to writer: SegmentWriter) throws(StorageError)
    -> BlockReference
  {
    try raw.withUnsafeBufferPointer { (raw) throws(StorageError) in
      try writer.append(
        UnsafeRawBufferPointer(raw), kind: kind, tree: kind.belongsToTree ? .documents : nil, level: 0)
    }
  }

  /// A segment of these payloads, and the references to them.
  @discardableResult
  static func write(
    _ payloads: [[UInt8]], segment: UInt64 = 5, _ directory: SegmentDirectory
  ) throws(StorageError) -> (SegmentWriter.Summary, [BlockReference], [SegmentBlock]) {
    let writer = try SegmentWriter(directory, segment: segment, lineage: lineage, checkpoint: 3)
    var references: [BlockReference] = []
    for payload in payloads { references.append(try append(payload, to: writer)) }
    let blocks = writer.blocks
    return (try writer.finish(), references, blocks)
  }

  static func open(_ directory: SegmentDirectory, segment: UInt64 = 5) throws(StorageError) -> SegmentReader {
    try SegmentReader.open(directory, segment: segment, lineage: lineage)
  }

  static func read(_ reader: SegmentReader, _ reference: BlockReference, _ kind: BlockKind = .page) throws(StorageError)
    -> [UInt8]
  {
    // The view looks into the buffer.
    let buffer = ByteBuffer()
    defer { withExtendedLifetime(buffer) {} }
    let view = try reader.read(reference, expecting: kind, using: buffer)
    let raw = UnsafeMutableRawBufferPointer.allocate(byteCount: view.header.rawLength, alignment: 16)
    defer { raw.deallocate() }
    try view.decode(into: raw)
    return [UInt8](raw)
  }

  static func bytes(_ directory: SegmentDirectory, segment: UInt64 = 5) throws -> [UInt8] {
    let file = try directory.fileSystem.open(directory.filePath(segment), .read)
    return try file.bytes(at: 0, count: Int(try file.size()))
  }

  /// A folder that holds just this file as segment 5.
  static func directory(holding bytes: [UInt8]) throws -> SegmentDirectory {
    let directory = try directory()
    try directory.fileSystem.open(directory.filePath(5), .create).write(bytes, at: 0)
    return directory
  }

  /// Three small blocks, one of them raw.
  static let small: [[UInt8]] = [
    [UInt8](repeating: 1, count: 300), SeededRandom(seed: 8).bytes(100), [UInt8](repeating: 2, count: 80),
  ]
}
