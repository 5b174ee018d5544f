// The one text that stands for a field path wherever it is stored or shown (semantics.md 9.5).

extension FieldPath {
  /// The names joined by dots; one that is not `[A-Za-z_][A-Za-z0-9_]*` between backticks, with `\` and `` ` `` escaped
  /// by a backslash.
  package var canonicalText: String {
    segments.map { FieldPath.canonical($0) }.joined(separator: ".")
  }

  private static func canonical(_ name: String) -> String {
    if isPlain(name) { return name }
    var bytes: [UInt8] = [backtick]
    for byte in name.utf8 {
      if byte == backtick || byte == backslash { bytes.append(backslash) }
      bytes.append(byte)
    }
    bytes.append(backtick)
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func isPlain(_ name: String) -> Bool {
    var isFirst = true
    for byte in name.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"): break
      case UInt8(ascii: "0")...UInt8(ascii: "9"): if isFirst { return false }
      default: return false
      }
      isFirst = false
    }
    return !isFirst
  }

  /// Parses ``canonicalText``, and texts near it: a backslash takes the next character as it is, a backtick begins or
  /// ends a quoted stretch, and dots inside one do not split.
  package init(canonicalText text: String) throws(ModelError) {
    func refuse(_ why: String) -> ModelError { .invalidArgument("field path \(text.quotedForMessage) \(why)") }
    var segments: [String] = []
    var name: [UInt8] = []
    var isQuoted = false
    var bytes = text.utf8.makeIterator()
    func endSegment() throws(ModelError) {
      if name.isEmpty { throw refuse("has an empty name") }
      segments.append(String(decoding: name, as: UTF8.self))
      name = []
    }
    while let byte = bytes.next() {
      switch byte {
      case FieldPath.backslash:
        // The bytes that continue a character follow by themselves: none of them means anything here.
        guard let next = bytes.next() else { throw refuse("ends in a backslash") }
        name.append(next)
      case FieldPath.backtick: isQuoted.toggle()
      case UInt8(ascii: ".") where !isQuoted: try endSegment()
      default: name.append(byte)
      }
    }
    if isQuoted { throw refuse("has a backtick that is not closed") }
    try endSegment()
    try self.init(segments: segments)
  }

  private static let backtick = UInt8(ascii: "`")
  private static let backslash = UInt8(ascii: "\\")
}
