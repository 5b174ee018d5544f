/// Base64 with padding (RFC 4648, section 4).
enum Base64 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let padding = UInt8(ascii: "=")

  static func encode(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    var index = 0
    while index < bytes.count {
      let count = min(3, bytes.count - index)
      var group: UInt32 = 0
      for place in 0..<3 { group = group << 8 | (place < count ? UInt32(bytes[index + place]) : 0) }
      for place in 0..<4 {
        text.append(place <= count ? alphabet[Int(group >> UInt32(18 - 6 * place)) & 63] : padding)
      }
      index += 3
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// `nil` for anything that ``encode(_:)`` does not write.
  static func decode(_ text: String) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count % 4 == 0 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 4 * 3)
    var index = 0
    while index < digits.count {
      let isLast = index + 4 == digits.count
      let count = isLast && digits[index + 3] == padding ? (digits[index + 2] == padding ? 1 : 2) : 3
      var group: UInt32 = 0
      for place in 0..<4 {
        if place > count {
          group <<= 6
        } else {
          guard let value = value(of: digits[index + place]) else { return nil }
          group = group << 6 | value
        }
      }
      for place in 0..<count { bytes.append(UInt8(truncatingIfNeeded: group >> UInt32(16 - 8 * place))) }
      // Bits that belong to no byte must be zero, or two texts would mean the same bytes.
      if count < 3, group & (count == 1 ? 0xFFFF : 0xFF) != 0 { return nil }
      index += 4
    }
    return bytes
  }

  private static func value(of digit: UInt8) -> UInt32? {
    switch digit {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(digit) - 65
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(digit) - 97 + 26
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(digit) - 48 + 52
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
