#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A key in memory that someone else keeps alive: the caller's buffer for the length of a call, or a layer's arena.
///
/// Order: unsigned bytes, shorter prefix first.
struct KeyBytes {
  let start: UnsafeRawPointer
  let count: Int

  @inline(__always)
  init(_ start: UnsafeRawPointer, _ count: Int) {
    self.start = start
    self.count = count
  }

  /// An empty buffer may have no address; any will do, since none of its bytes is read.
  @inline(__always)
  init(_ bytes: UnsafeRawBufferPointer) {
    self.init(bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 8).unsafelyUnwrapped, bytes.count)
  }

  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

  /// Eight bytes from `offset` on as a number that orders as the bytes do, with zeros behind the key's end.
  @inline(__always)
  func head(at offset: Int) -> UInt64 {
    if offset &+ 8 <= count {
      return UInt64(bigEndian: start.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
    return shortHead(at: offset)
  }

  private func shortHead(at offset: Int) -> UInt64 {
    if offset >= count { return 0 }
    if count >= 8 {
      let last = UInt64(bigEndian: start.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self))
      return last &<< UInt64(truncatingIfNeeded: (offset &+ 8 &- count) &* 8)
    }
    var head: UInt64 = 0
    for place in 0..<8 {
      let at = offset &+ place
      head = head &<< 8 | (at < count ? UInt64(start.load(fromByteOffset: at, as: UInt8.self)) : 0)
    }
    return head
  }

  /// Negative, zero or positive as this key is below, equal to or above `other`.
  @inline(__always)
  func compare(_ other: KeyBytes) -> Int {
    let order = Int(memcmp(start, other.start, min(count, other.count)))
    return order != 0 ? order : count &- other.count
  }

  /// As ``compare(_:)`` for two keys that agree before `offset` and whose heads there are equal.
  ///
  /// When one key ends within the heads, it is a prefix of the other (equal heads leave only zeros there), so that
  /// the lengths decide.
  @inline(__always)
  func compare(_ other: KeyBytes, afterHeadAt offset: Int) -> Int {
    let skip = offset &+ 8
    let common = min(count, other.count) &- skip
    if common > 0 {
      let order = Int(memcmp(start + skip, other.start + skip, common))
      if order != 0 { return order }
    }
    return count &- other.count
  }

  /// Four bytes from the start as a number that orders as the bytes do, with zeros behind the key's end.
  @inline(__always)
  var shortHead: UInt32 {
    if count >= 4 { return UInt32(bigEndian: start.loadUnaligned(as: UInt32.self)) }
    var head: UInt32 = 0
    for place in 0..<4 {
      head = head &<< 8 | (place < count ? UInt32(start.load(fromByteOffset: place, as: UInt8.self)) : 0)
    }
    return head
  }

  /// As ``compare(_:)`` for two keys whose short heads are equal (see ``compare(_:afterHeadAt:)``).
  @inline(__always)
  func compareAfterShortHead(_ other: KeyBytes) -> Int {
    let common = min(count, other.count) &- 4
    if common > 0 {
      let order = Int(memcmp(start + 4, other.start + 4, common))
      if order != 0 { return order }
    }
    return count &- other.count
  }

  func commonPrefix(with other: KeyBytes) -> Int {
    let limit = min(count, other.count)
    var length = 0
    while length &+ 8 <= limit {
      let difference =
        start.loadUnaligned(fromByteOffset: length, as: UInt64.self).littleEndian
        ^ other.start.loadUnaligned(fromByteOffset: length, as: UInt64.self).littleEndian
      if difference != 0 { return length &+ difference.trailingZeroBitCount &>> 3 }
      length &+= 8
    }
    while length < limit,
      start.load(fromByteOffset: length, as: UInt8.self) == other.start.load(fromByteOffset: length, as: UInt8.self)
    {
      length &+= 1
    }
    return length
  }

  /// The key without its first `count` bytes.
  @inline(__always)
  func dropFirst(_ dropped: Int) -> KeyBytes { KeyBytes(start + dropped, count &- dropped) }

  /// The key in hexadecimal for a message, cut after 64 bytes.
  var hex: String {
    let digits: [Character] = Array("0123456789abcdef")
    var text = ""
    for byte in bytes.prefix(64) {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return count > 64 ? text + "…" : text
  }
}

extension Array where Element == UInt8 {
  /// The array's bytes as a key, valid inside `body` alone.
  @inline(__always)
  func withKeyBytes<R, E: Error>(_ body: (KeyBytes) throws(E) -> R) throws(E) -> R {
    try withUnsafeBufferPointer { (bytes: UnsafeBufferPointer<UInt8>) throws(E) -> R in
      try body(KeyBytes(UnsafeRawBufferPointer(bytes)))
    }
  }
}
