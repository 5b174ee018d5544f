internal import HearthModel

/// The way to a field: one or more names, from the document inwards, each taken literally.
///
/// A path of no names, or with an empty one, can be made; the first operation that uses it fails with
/// `invalidArgument`. `==` compares names by their UTF-8 bytes.
public struct FieldPath: Hashable, Sendable {
  private let storage: Result<HearthModel.FieldPath, ModelError>

  /// - Parameter fieldNames: At least one; dots and other signs in a name mean nothing.
  public init(_ fieldNames: [String]) {
    storage = Result { () throws(ModelError) in try HearthModel.FieldPath(segments: fieldNames) }
  }

  /// The path that stands for the document's id in queries.
  public static func documentID() -> FieldPath { FieldPath(.documentID) }

  init(_ path: HearthModel.FieldPath) {
    storage = .success(path)
  }

  func resolved() throws(ModelError) -> HearthModel.FieldPath { try storage.get() }

  /// Takes what `get`, `mergeFields` and update keys take: a dot string or a ``FieldPath``.
  static func resolve(_ field: Any) throws(ModelError) -> HearthModel.FieldPath {
    if let text = field as? String { return try HearthModel.FieldPath(dotted: text) }
    if let path = field as? FieldPath { return try path.resolved() }
    throw .invalidArgument("A field is named by a String or a FieldPath, not by \(type(of: field)).")
  }
}

extension FieldPath: CustomStringConvertible {
  /// The names joined by dots, unusual ones between backticks.
  public var description: String {
    switch storage {
    case .success(let path): path.canonicalText
    case .failure(let error): "invalid: \(error.message)"
    }
  }
}
