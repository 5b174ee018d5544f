/// The way to a field: one or more names, from the document inwards.
///
/// Equality, hashing and order are over UTF-8 bytes, name by name.
package struct FieldPath: Sendable {
  /// At least one; none is empty.
  package let segments: [String]

  /// Takes names literally; only an empty list and empty names are refused.
  package init(segments: [String]) throws(ModelError) {
    if segments.isEmpty { throw .invalidArgument("a field path needs at least one name") }
    if let index = segments.firstIndex(where: { $0.utf8.isEmpty }) {
      throw .invalidArgument("name \(index + 1) of the field path \(segments) is empty")
    }
    self.segments = segments
    let size = segments.reduce(segments.count - 1) { $0 + $1.utf8.count }
    if size > FieldPath.bytesMax {
      throw .invalidArgument(
        "field path \(segments[0].quotedForMessage)… has \(size) bytes; at most \(FieldPath.bytesMax) are allowed")
    }
  }

  /// Parses the dot form that update keys, filters and orders use: split at every dot, nothing quoted or escaped
  /// (semantics.md 9.4).
  package init(dotted text: String) throws(ModelError) {
    if text.utf8.isEmpty { throw .invalidArgument("field path is empty") }
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "~"), UInt8(ascii: "*"), UInt8(ascii: "/"), UInt8(ascii: "["), UInt8(ascii: "]"):
        throw .invalidArgument(
          "field path \(text.quotedForMessage) contains \"\(Character(Unicode.Scalar(byte)))\"; "
            + "\"~*/[]\" are not allowed in a dot path")
      default: break
      }
    }
    let segments = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
      .map { String(Substring($0)) }
    if segments.contains(where: { $0.utf8.isEmpty }) {
      throw .invalidArgument(
        "field path \(text.quotedForMessage) has an empty name; it must not begin or end with a dot or contain \"..\"")
    }
    try self.init(segments: segments)
  }

  private init(unchecked segments: [String]) { self.segments = segments }

  /// One field of the document itself. The name must not be empty.
  package init(name: String) {
    precondition(!name.utf8.isEmpty, "a field name is not empty")
    self.init(unchecked: [name])
  }

  /// The path one name further in. The name must not be empty.
  package func appending(_ name: String) -> FieldPath { FieldPath(unchecked: segments + [name]) }

  /// In queries: the document's key. Its text is `__name__`.
  package static let documentID = FieldPath(unchecked: ["__name__"])

  package var isDocumentID: Bool {
    // Asked for each document that a query looks at, and mostly settled by the length.
    segments.count == 1 && segments[0].utf8.count == 8 && segments[0].equalsUTF8("__name__")
  }

  package static let bytesMax = 1500

  /// Equal to `other`, or a parent of it.
  package func isPrefix(of other: FieldPath) -> Bool {
    segments.count <= other.segments.count && zip(segments, other.segments).allSatisfy { $0.equalsUTF8($1) }
  }

  /// Name by name, shorter path first.
  package func compare(_ other: FieldPath) -> Ordering {
    for index in 0..<min(segments.count, other.segments.count) {
      let ordering = segments[index].compareUTF8(other.segments[index])
      if ordering != .equal { return ordering }
    }
    return .of(segments.count, other.segments.count)
  }
}

extension FieldPath: Hashable, Comparable, CustomStringConvertible {
  package static func == (left: FieldPath, right: FieldPath) -> Bool {
    left.segments.count == right.segments.count && left.isPrefix(of: right)
  }
  package static func < (left: FieldPath, right: FieldPath) -> Bool { left.compare(right) == .less }
  package func hash(into hasher: inout Hasher) {
    for segment in segments { segment.hashUTF8(into: &hasher) }
  }
  /// ``canonicalText``.
  package var description: String { canonicalText }
}
