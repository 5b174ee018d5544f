/// Little-endian fields at fixed offsets of raw memory, for headers whose bounds the caller has checked.
extension UnsafeRawPointer {
  @inline(__always) func u32(_ offset: Int) -> UInt32 {
    UInt32(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }

  @inline(__always) func u64(_ offset: Int) -> UInt64 {
    UInt64(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }
}

extension UnsafeMutableRawPointer {
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
