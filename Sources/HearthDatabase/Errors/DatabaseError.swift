package import HearthModel
package import HearthStorage

/// What went wrong with an operation on documents, in Firestore's codes. Nothing else is thrown by `HearthDatabase`,
/// except what a caller's own closure throws.
package struct DatabaseError: Error, Hashable, Sendable {
  /// The numbers are Firestore's; the public error carries the same.
  package enum Code: Int, Sendable, CaseIterable {
    case cancelled = 1
    case invalidArgument = 3
    case notFound = 5
    case alreadyExists = 6
    case permissionDenied = 7
    case resourceExhausted = 8
    case failedPrecondition = 9
    case aborted = 10
    case `internal` = 13
    case unavailable = 14
    case dataLoss = 15
  }

  package let code: Code
  /// What is wrong and where: names the path, the field or the file.
  package let message: String

  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  package static let terminated = DatabaseError(
    .failedPrecondition, "The database was closed; open it again to go on.")
}

extension DatabaseError: CustomStringConvertible {
  /// `code: message`.
  package var description: String { "\(code): \(message)" }
}

// The one place where errors of the layers below become Firestore's (semantics.md 16).
extension DatabaseError {
  package init(_ error: ModelError) {
    switch error {
    case .invalidArgument(let message): self.init(.invalidArgument, message)
    case .notFound(let message): self.init(.notFound, message)
    case .alreadyExists(let message): self.init(.alreadyExists, message)
    case .corruption(let message): self.init(.dataLoss, message)
    }
  }

  package init(_ error: StorageError) {
    let code: Code =
      switch error.code {
      case .invalidArgument: .invalidArgument
      case .corruption: .dataLoss
      case .resourceExhausted: .resourceExhausted
      case .permissionDenied: .permissionDenied
      case .conflict: .aborted
      case .readOnly: .failedPrecondition
      // Closed on purpose, or writing stopped after a failure, which is then the cause.
      case .closed: error.cause == nil ? .failedPrecondition : .internal
      case .io: .internal
      // The folder cannot be opened.
      case .locked, .notFound, .unsupportedFormat, .notADatabase: .unavailable
      }
    self.init(code, error.description)
  }

  /// Any error that can come out of a layer below, or out of a closure of this layer's run by one.
  package init(_ error: any Error) {
    switch error {
    case let error as DatabaseError: self = error
    case let error as ModelError: self.init(error)
    case let error as StorageError: self.init(error)
    case is CancellationError: self.init(.cancelled, "The task was cancelled.")
    default: self.init(.internal, "\(error)")
    }
  }
}
