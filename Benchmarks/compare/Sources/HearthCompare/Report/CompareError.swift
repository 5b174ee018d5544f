/// Why the program ends early, or a row of an engine failed.
struct CompareError: Error, CustomStringConvertible {
  enum Kind { case usage, failure, wrongAnswer }

  var kind: Kind
  var description: String

  init(_ description: String, kind: Kind = .failure) {
    self.kind = kind
    self.description = description
  }

  static func missing(_ key: [UInt8]) -> CompareError {
    CompareError("\(String(decoding: key, as: UTF8.self)) is missing", kind: .wrongAnswer)
  }
}
