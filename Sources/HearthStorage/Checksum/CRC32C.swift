import CHearth

/// The one check function of everything on disk: CRC-32C (Castagnoli), by instruction where the processor has it.
///
/// Sums continue: `CRC32C.checksum(of: b, continuing: CRC32C.checksum(of: a))` is the sum of `a` followed by `b`.
package enum CRC32C {
  package static func checksum(of bytes: UnsafeRawBufferPointer, continuing seed: UInt32 = 0) -> UInt32 {
    guard let start = bytes.baseAddress else { return seed }
    return hearth_crc32c(seed, start, bytes.count)
  }

  package static func checksum(of bytes: [UInt8], continuing seed: UInt32 = 0) -> UInt32 {
    bytes.withUnsafeBytes { checksum(of: $0, continuing: seed) }
  }

  /// The sum continued by eight bytes, lowest first. A checksum seeded by its place starts with this, so that bytes
  /// in the wrong place are not taken for the right ones.
  package static func checksum(of number: UInt64, continuing seed: UInt32 = 0) -> UInt32 {
    withUnsafeBytes(of: number.littleEndian) { checksum(of: $0, continuing: seed) }
  }
}
