/// What the model refuses, in the words of Firestore's error codes. Nothing else is thrown by `HearthModel`.
///
/// The message says what is wrong and where: it names the path, field or offset.
package enum ModelError: Error, Hashable, Sendable {
  /// The caller's path, value, write or query breaks a rule.
  case invalidArgument(String)
  /// An update, or a write that requires a document, met none.
  case notFound(String)
  /// A write that requires absence met a document.
  case alreadyExists(String)
  /// Stored bytes are not what an encoder of this model wrote; never a user's mistake.
  case corruption(String)

  package var message: String {
    switch self {
    case .invalidArgument(let message), .notFound(let message), .alreadyExists(let message), .corruption(let message):
      message
    }
  }
}

extension ModelError: CustomStringConvertible {
  /// `code: message`.
  package var description: String {
    switch self {
    case .invalidArgument(let message): "invalidArgument: \(message)"
    case .notFound(let message): "notFound: \(message)"
    case .alreadyExists(let message): "alreadyExists: \(message)"
    case .corruption(let message): "corruption: \(message)"
    }
  }
}

extension String {
  /// The text between double quotes as error messages show it: control characters escaped, cut after 80 characters.
  package var quotedForMessage: String {
    var result = "\""
    var shown = 0
    for scalar in unicodeScalars {
      if shown == 80 {
        result += "…"
        break
      }
      shown += 1
      result += scalar == "\"" ? "\\\"" : scalar.escapedForMessage
    }
    return result + "\""
  }
}

extension Unicode.Scalar {
  /// Itself, or `\u{…}` for what could move a terminal's cursor or reverse its text.
  fileprivate var escapedForMessage: String {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
      "\\u{\(String(value, radix: 16))}"
    default: String(Character(self))
    }
  }
}
