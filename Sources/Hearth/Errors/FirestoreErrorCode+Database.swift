internal import HearthDatabase
internal import HearthModel

extension FirestoreErrorCode {
  convenience init(_ error: DatabaseError) {
    self.init(Code(rawValue: error.code.rawValue) ?? .unknown, error.message)
  }

  convenience init(_ error: ModelError) {
    self.init(DatabaseError(error))
  }

  /// The error as users see it: one of Hearth's own becomes a ``FirestoreErrorCode``; an error of the app's (out of
  /// its `encode(to:)`) stays what it is.
  static func wrapping(_ error: any Error) -> any Error {
    switch error {
    case let error as DatabaseError: FirestoreErrorCode(error)
    case let error as ModelError: FirestoreErrorCode(error)
    case is CancellationError: FirestoreErrorCode(DatabaseError(error))
    default: error
    }
  }
}
