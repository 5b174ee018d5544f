/// Parses one JSON text (RFC 8259) of any bytes: total, bounded in depth, exact about strings.
///
/// An error is `invalidArgument` and names column and offset in bytes, and the line of a text that has several. Stricter than some: no byte order mark, no
/// lone surrogates, no bytes after the value but white space.
package struct JSONParser {
  package static let depthMax = 128

  private let bytes: UnsafeRawBufferPointer
  private var offset = 0

  private init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  package static func parse(_ bytes: UnsafeRawBufferPointer) throws(ModelError) -> JSON {
    var parser = JSONParser(bytes)
    let value = try parser.value(depth: 0)
    parser.skipSpace()
    if parser.offset < bytes.count { throw parser.fault("unexpected text after the value") }
    return value
  }

  package static func parse(_ bytes: [UInt8]) throws(ModelError) -> JSON {
    try bytes.withUnsafeBytes { bytes in Result { () throws(ModelError) in try parse(bytes) } }.get()
  }

  package static func parse(_ text: String) throws(ModelError) -> JSON { try parse(Array(text.utf8)) }

  private func fault(_ what: String, at place: Int? = nil) -> ModelError {
    let place = min(place ?? offset, bytes.count)
    var line = 1
    var lineStart = 0
    for index in 0..<place where bytes[index] == 0x0A {
      line += 1
      lineStart = index + 1
    }
    // The caller of a one-line text (NDJSON) counts lines of its own.
    let lineText = bytes.contains(0x0A) ? "line \(line), " : ""
    return .invalidArgument("JSON: \(what) at \(lineText)column \(place - lineStart + 1) (offset \(place))")
  }

  private var current: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  private mutating func skipSpace() {
    while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { offset += 1 }
  }

  private mutating func value(depth: Int) throws(ModelError) -> JSON {
    skipSpace()
    let start = offset
    guard let first = current else { throw fault("the text ends where a value is expected") }
    switch first {
    case UInt8(ascii: "{"): return JSON(.object(try members(depth: depth)), offset: start)
    case UInt8(ascii: "["): return JSON(.array(try elements(depth: depth)), offset: start)
    case UInt8(ascii: "\""): return JSON(.string(try string()), offset: start)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return JSON(.number(try number()), offset: start)
    case UInt8(ascii: "t"): return JSON(try word("true", .boolean(true)), offset: start)
    case UInt8(ascii: "f"): return JSON(try word("false", .boolean(false)), offset: start)
    case UInt8(ascii: "n"): return JSON(try word("null", .null), offset: start)
    default: throw fault("unexpected byte 0x\(String(first, radix: 16)) where a value is expected")
    }
  }

  private mutating func word(_ word: String, _ content: JSON.Content) throws(ModelError) -> JSON.Content {
    for byte in word.utf8 {
      guard current == byte else { throw fault("expected \"\(word)\"") }
      offset += 1
    }
    return content
  }

  private mutating func elements(depth: Int) throws(ModelError) -> [JSON] {
    try enter(depth)
    var result: [JSON] = []
    skipSpace()
    if take(UInt8(ascii: "]")) { return result }
    while true {
      result.append(try value(depth: depth + 1))
      skipSpace()
      if take(UInt8(ascii: "]")) { return result }
      guard take(UInt8(ascii: ",")) else { throw fault("expected \",\" or \"]\"") }
    }
  }

  private mutating func members(depth: Int) throws(ModelError) -> [(key: String, value: JSON)] {
    try enter(depth)
    var result: [(key: String, value: JSON)] = []
    skipSpace()
    if take(UInt8(ascii: "}")) { return result }
    while true {
      skipSpace()
      guard current == UInt8(ascii: "\"") else { throw fault("expected an object key") }
      let key = try string()
      skipSpace()
      guard take(UInt8(ascii: ":")) else { throw fault("expected \":\"") }
      result.append((key, try value(depth: depth + 1)))
      skipSpace()
      if take(UInt8(ascii: "}")) { return result }
      guard take(UInt8(ascii: ",")) else { throw fault("expected \",\" or \"}\"") }
    }
  }

  private mutating func enter(_ depth: Int) throws(ModelError) {
    if depth >= JSONParser.depthMax { throw fault("values are nested more than \(JSONParser.depthMax) deep") }
    offset += 1
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard current == byte else { return false }
    offset += 1
    return true
  }

  private mutating func number() throws(ModelError) -> String {
    let start = offset
    _ = take(UInt8(ascii: "-"))
    if !take(UInt8(ascii: "0")) { try digits() } else if isDigit { throw fault("a number begins with 0") }
    if take(UInt8(ascii: ".")) { try digits() }
    if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
      if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
      try digits()
    }
    return String(decoding: bytes[start..<offset], as: UTF8.self)
  }

  private var isDigit: Bool { current.map { $0 >= 0x30 && $0 <= 0x39 } ?? false }

  private mutating func digits() throws(ModelError) {
    guard isDigit else { throw fault("expected a digit") }
    while isDigit { offset += 1 }
  }

  private mutating func string() throws(ModelError) -> String {
    let start = offset
    offset += 1
    var utf8: [UInt8] = []
    while true {
      guard let byte = current else { throw fault("a string is not closed", at: start) }
      switch byte {
      case UInt8(ascii: "\""):
        offset += 1
        guard let string = utf8.withUnsafeBytes({ String(utf8Bytes: $0) }) else {
          throw fault("a string is not UTF-8", at: start)
        }
        return string
      case UInt8(ascii: "\\"): try escape(into: &utf8)
      case 0..<0x20: throw fault("a control character in a string is not escaped")
      default:
        utf8.append(byte)
        offset += 1
      }
    }
  }

  private mutating func escape(into utf8: inout [UInt8]) throws(ModelError) {
    let start = offset
    offset += 1
    let letter = current
    offset += 1
    switch letter {
    case UInt8(ascii: "\""): utf8.append(UInt8(ascii: "\""))
    case UInt8(ascii: "\\"): utf8.append(UInt8(ascii: "\\"))
    case UInt8(ascii: "/"): utf8.append(UInt8(ascii: "/"))
    case UInt8(ascii: "b"): utf8.append(0x08)
    case UInt8(ascii: "f"): utf8.append(0x0C)
    case UInt8(ascii: "n"): utf8.append(0x0A)
    case UInt8(ascii: "r"): utf8.append(0x0D)
    case UInt8(ascii: "t"): utf8.append(0x09)
    case UInt8(ascii: "u"):
      var code = try hexUnit(start)
      if code & 0xFC00 == 0xD800 {
        guard take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else { throw fault("a surrogate is alone", at: start) }
        let low = try hexUnit(start)
        guard low & 0xFC00 == 0xDC00 else { throw fault("a surrogate is alone", at: start) }
        code = 0x10000 + (code & 0x3FF) << 10 + low & 0x3FF
      }
      guard let scalar = Unicode.Scalar(code) else { throw fault("a surrogate is alone", at: start) }
      utf8.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    default: throw fault("an unknown escape", at: start)
    }
  }

  private mutating func hexUnit(_ start: Int) throws(ModelError) -> UInt32 {
    var code: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = current, let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw fault("\"\\u\" needs four hexadecimal digits", at: start)
      }
      code = code << 4 | UInt32(digit)
      offset += 1
    }
    return code
  }
}
