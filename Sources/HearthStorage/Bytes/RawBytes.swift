/// Little-endian fields at fixed offsets of raw memory, for headers whose bounds the caller has checked.
extension UnsafeRawPointer {
  @inline(__always) func u8(_ offset: Int) -> UInt8 { load(fromByteOffset: offset, as: UInt8.self) }

  @inline(__always) func u16(_ offset: Int) -> UInt16 {
    UInt16(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt16.self))
  }

  @inline(__always) func u32(_ offset: Int) -> UInt32 {
    UInt32(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }

  @inline(__always) func u64(_ offset: Int) -> UInt64 {
    UInt64(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }
}

extension UnsafeMutableRawPointer {
  @inline(__always) func store(u8 value: UInt8, at offset: Int) {
    storeBytes(of: value, toByteOffset: offset, as: UInt8.self)
  }

  @inline(__always) func store(u16 value: UInt16, at offset: Int) {
    storeBytes(of: value.littleEndian, toByteOffset: offset, as: UInt16.self)
  }

  @inline(__always) func store(u32 value: UInt32, at offset: Int) {
    storeBytes(of: value.littleEndian, toByteOffset: offset, as: UInt32.self)
  }

  @inline(__always) func store(u64 value: UInt64, at offset: Int) {
    storeBytes(of: value.littleEndian, toByteOffset: offset, as: UInt64.self)
  }
}

/// `value` rounded up to a multiple of `alignment`, a power of two. Overflow is the caller's to exclude.
@inline(__always) func alignUp(_ value: UInt64, _ alignment: UInt64) -> UInt64 {
  (value &+ (alignment &- 1)) & ~(alignment &- 1)
}

extension UInt64 {
  /// Whether counting on from it is safe, also when it comes from bytes that were made to look whole: no database gets to
  /// a quarter of what 64 bits count.
  @inline(__always) var isCountable: Bool { self <= .max / 4 }
}

/// Eight hexadecimal digits, for messages.
func hex(_ value: UInt32) -> String {
  let digits = String(value, radix: 16)
  return String(repeating: "0", count: 8 - digits.count) + digits
}
