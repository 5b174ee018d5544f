/// Reads a run of untrusted bytes front to back. Every call checks bounds and answers `nil` instead of trapping.
struct ByteReader {
  private let bytes: UnsafeRawBufferPointer
  private(set) var offset = 0

  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  var isAtEnd: Bool { offset == bytes.count }

  @inline(__always) mutating func byte() -> UInt8? {
    guard offset < bytes.count else { return nil }
    defer { offset &+= 1 }
    return bytes[offset]
  }

  /// An unsigned LEB128 number of at most 32 bits.
  @inline(__always) mutating func varint() -> Int? {
    guard offset < bytes.count else { return nil }
    let first = bytes[offset]
    if first < 0x80 {
      offset &+= 1
      return Int(first)
    }
    return longVarint()
  }

  @inline(never) private mutating func longVarint() -> Int? {
    var value = 0
    var shift = 0
    while let next = byte() {
      value |= Int(next & 0x7F) &<< shift
      if next < 0x80 { return value <= Int(UInt32.max) ? value : nil }
      shift &+= 7
      if shift > 28 { return nil }
    }
    return nil
  }

  @inline(__always) mutating func take(_ count: Int) -> UnsafeRawBufferPointer? {
    guard count >= 0, count <= bytes.count &- offset else { return nil }
    defer { offset &+= count }
    return UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset &+ count)])
  }
}

extension [UInt8] {
  /// Appends an unsigned LEB128 number.
  @inline(__always) mutating func append(varint value: Int) {
    var rest = UInt(bitPattern: value)
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest &>>= 7
    }
    append(UInt8(truncatingIfNeeded: rest))
  }
}
