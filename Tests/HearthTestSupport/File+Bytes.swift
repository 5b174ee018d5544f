import HearthStorage

/// Whole arrays in and out, for tests.
extension File {
  package func write(_ bytes: [UInt8], at offset: UInt64) throws {
    try bytes.withUnsafeBytes { try write($0, at: offset) }
  }

  /// At most `count` bytes, fewer at the end of the file.
  package func bytes(at offset: UInt64, count: Int) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0xEE, count: count)
    let read = try bytes.withUnsafeMutableBytes { try self.read(into: $0, at: offset) }
    return Array(bytes[..<read])
  }
}
