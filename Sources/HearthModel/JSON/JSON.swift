/// One JSON text, byte exact: object keys keep their order, their repetitions and their UTF-8 bytes, and numbers keep
/// their spelling.
package struct JSON: Sendable {
  package enum Content: Sendable {
    case null
    case boolean(Bool)
    /// As written.
    case number(String)
    case string(String)
    case array([JSON])
    case object([(key: String, value: JSON)])
  }

  package var content: Content
  /// Where it begins in the text it was parsed from, in bytes.
  package var offset: Int

  package init(_ content: Content, offset: Int = 0) {
    self.content = content
    self.offset = offset
  }

  /// The value of an object's last key of that name, by bytes.
  package subscript(key: String) -> JSON? {
    guard case .object(let members) = content else { return nil }
    return members.last { $0.key.equalsUTF8(key) }?.value
  }

  package var string: String? { if case .string(let value) = content { value } else { nil } }
  package var array: [JSON]? { if case .array(let value) = content { value } else { nil } }
  package var object: [(key: String, value: JSON)]? { if case .object(let value) = content { value } else { nil } }
  package var boolean: Bool? { if case .boolean(let value) = content { value } else { nil } }
  package var integer: Int64? { if case .number(let text) = content { Int64(text) } else { nil } }
}

extension JSON {
  /// The text on one line: no spaces, keys in their order, everything outside printable ASCII escaped, so that no tool
  /// on the way normalises it and no terminal obeys it.
  package var text: String {
    var bytes: [UInt8] = []
    write(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  package func write(to bytes: inout [UInt8]) {
    switch content {
    case .null: bytes.append(contentsOf: "null".utf8)
    case .boolean(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
    case .number(let text): bytes.append(contentsOf: text.utf8)
    case .string(let value): JSON.write(value, to: &bytes)
    case .array(let elements):
      bytes.append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        element.write(to: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let members):
      bytes.append(UInt8(ascii: "{"))
      for (index, member) in members.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        JSON.write(member.key, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        member.value.write(to: &bytes)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }

  private static func write(_ string: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    for unit in string.utf16 {
      switch unit {
      case UInt16(UInt8(ascii: "\"")), UInt16(UInt8(ascii: "\\")):
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(UInt8(unit))
      case 0x20..<0x7F: bytes.append(UInt8(unit))
      case 0x0A: bytes.append(contentsOf: "\\n".utf8)
      case 0x0D: bytes.append(contentsOf: "\\r".utf8)
      case 0x09: bytes.append(contentsOf: "\\t".utf8)
      default:
        bytes.append(contentsOf: "\\u".utf8)
        for shift in [12, 8, 4, 0] { bytes.append(hexDigits[Int(unit >> UInt16(shift)) & 15]) }
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private static let hexDigits = Array("0123456789abcdef".utf8)
}
