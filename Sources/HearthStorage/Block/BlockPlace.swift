/// Where a block begins.
struct BlockPlace: Hashable, Sendable {
  /// The segment's number, from 1.
  var segment: UInt64
  /// The offset in the segment in units of 64 bytes.
  var unit: UInt32

  init(segment: UInt64, unit: UInt32) {
    self.segment = segment
    self.unit = unit
  }

  /// In bytes from the start of the file.
  var offset: UInt64 { UInt64(unit) * BlockFormat.alignment }

  /// The place as one number, which is not 0.
  @inline(__always) var word: UInt64 { segment &<< 32 | UInt64(unit) }

  /// The seed by which a checksum also proves where its bytes belong.
  var seed: UInt32 { BlockPlace.seed(segment: segment, offset: offset) }

  static func seed(segment: UInt64, offset: UInt64) -> UInt32 {
    CRC32C.checksum(of: offset, continuing: CRC32C.checksum(of: segment))
  }
}
