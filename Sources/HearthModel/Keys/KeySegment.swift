/// One string inside a key, made self-delimiting without losing its order.
///
/// | byte of the string | in the key |
/// | ------------------ | ---------- |
/// | `00`               | `01 01`    |
/// | `01`               | `01 02`    |
/// | any other          | itself     |
/// | end                | `00`       |
///
/// The end is lower than anything a byte becomes, so a prefix comes first; and since nothing else becomes `00`, no
/// encoded string is a prefix of another, whatever follows it. That also holds for the complemented bytes.
package enum KeySegment {
  static let end: UInt8 = 0

  /// Appends the bytes of a string and its end.
  static func append(_ string: UnsafeRawBufferPointer, to key: inout [UInt8]) {
    var start = 0
    var index = 0
    while index < string.count {
      let byte = string[index]
      if byte < 2 {
        key.append(contentsOf: UnsafeRawBufferPointer(rebasing: string[start..<index]))
        key.append(1)
        key.append(byte &+ 1)
        start = index &+ 1
      }
      index &+= 1
    }
    key.append(contentsOf: UnsafeRawBufferPointer(rebasing: string[start...]))
    key.append(end)
  }

  /// Appends a document id: a numeric one as `00` and its number, below every other since those are not empty.
  static func appendDocumentID(_ id: UnsafeRawBufferPointer, to key: inout [UInt8]) {
    guard let number = NumericID.number(of: id) else { return append(id, to: &key) }
    key.append(numericTag)
    appendBigEndian(number.orderedBits, to: &key)
  }

  /// Never the first byte of another id's encoding, because ids are not empty.
  static let numericTag: UInt8 = 0

  static func appendBigEndian(_ number: UInt64, to key: inout [UInt8]) {
    withUnsafeBytes(of: number.bigEndian) { key.append(contentsOf: $0) }
  }

  /// Decodes a string at `offset` into `string` and moves `offset` past its end; `false` if the bytes are no string.
  static func read(_ key: UnsafeRawBufferPointer, at offset: inout Int, into string: inout [UInt8]) -> Bool {
    while offset < key.count {
      let byte = key[offset]
      offset += 1
      switch byte {
      case end: return true
      case 1:
        guard offset < key.count, key[offset] == 1 || key[offset] == 2 else { return false }
        string.append(key[offset] - 1)
        offset += 1
      default: string.append(byte)
      }
    }
    return false
  }
}

extension Int64 {
  /// The sign bit flipped, so that unsigned order is the number's.
  package var orderedBits: UInt64 { UInt64(bitPattern: self) ^ (1 << 63) }

  package init(orderedBits: UInt64) { self.init(bitPattern: orderedBits ^ (1 << 63)) }
}
