// Swift's `String ==`, hashing and `<` follow canonical equivalence, under which "e\u{301}" and "\u{e9}" are one.
// In Hearth they are two (semantics.md 1.4): names, ids and string values are their UTF-8 bytes. These are the only
// comparisons of text the model uses.

extension String {
  /// Calls `body` with the text's UTF-8 bytes, valid inside the call alone.
  @inline(__always)
  package func withUTF8Bytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
    if let result = utf8.withContiguousStorageIfAvailable({ body(UnsafeRawBufferPointer($0)) }) { return result }
    // Only text bridged from Objective-C gets here.
    return Array(utf8).withUnsafeBytes(body)
  }

  package func compareUTF8(_ other: String) -> Ordering {
    withUTF8Bytes { left in other.withUTF8Bytes { right in ByteOrder.compare(left, right) } }
  }

  package func equalsUTF8(_ other: String) -> Bool {
    withUTF8Bytes { left in other.withUTF8Bytes { right in ByteOrder.equal(left, right) } }
  }

  package func hashUTF8(into hasher: inout Hasher) {
    // The count keeps neighbours in one hasher apart.
    withUTF8Bytes {
      hasher.combine($0.count)
      hasher.combine(bytes: $0)
    }
  }

  /// The text of `bytes`, or `nil` if they are not UTF-8.
  package init?(utf8Bytes bytes: UnsafeRawBufferPointer) {
    if bytes.isASCII {
      self.init(decoding: bytes, as: UTF8.self)
    } else {
      // Several times slower than decoding, so only for what needs the check.
      self.init(validating: bytes, as: UTF8.self)
    }
  }
}

extension UnsafeRawBufferPointer {
  var isASCII: Bool {
    guard let base = baseAddress else { return true }
    var index = 0
    while index &+ 8 <= count {
      if base.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 != 0 { return false }
      index &+= 8
    }
    while index < count {
      if base.load(fromByteOffset: index, as: UInt8.self) >= 0x80 { return false }
      index &+= 1
    }
    return true
  }
}
