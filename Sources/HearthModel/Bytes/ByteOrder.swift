/// Order and equality of byte strings: unsigned, shorter prefix first.
package enum ByteOrder {
  package static func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Ordering {
    let count = min(left.count, right.count)
    let difference = commonPrefix(left, right, count)
    if difference < count { return left[difference] < right[difference] ? .less : .greater }
    return .of(left.count, right.count)
  }

  package static func equal(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    left.count == right.count && commonPrefix(left, right, left.count) == left.count
  }

  /// How many of the first `count` bytes agree before the first difference.
  static func commonPrefix(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer, _ count: Int) -> Int {
    guard count > 0, let a = left.baseAddress, let b = right.baseAddress else { return 0 }
    var index = 0
    while index &+ 8 <= count {
      let x = a.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      let y = b.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      if x != y { return index &+ (UInt64(littleEndian: x) ^ UInt64(littleEndian: y)).trailingZeroBitCount / 8 }
      index &+= 8
    }
    while index < count {
      if a.load(fromByteOffset: index, as: UInt8.self) != b.load(fromByteOffset: index, as: UInt8.self) { break }
      index &+= 1
    }
    return index
  }
}
