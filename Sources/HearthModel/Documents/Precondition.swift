/// What must be so for a write to take place.
package enum Precondition: Hashable, Sendable {
  case none
  /// The document exists; `notFound` otherwise.
  case exists
  /// The document does not exist; `alreadyExists` otherwise.
  case absent

  package func check(_ key: DocumentKey, exists: Bool) throws(ModelError) {
    switch self {
    case .none: break
    case .exists: if !exists { throw .notFound("there is no document \(key.path.quotedForMessage) to update") }
    case .absent: if exists { throw .alreadyExists("document \(key.path.quotedForMessage) exists already") }
    }
  }
}
