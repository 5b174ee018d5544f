/// What went wrong inside the storage engine: a code to act on, a message that says what to do, and the place.
///
/// Nothing else is thrown by `HearthStorage`. The layers above turn codes into Firestore's in one file of their own.
package struct StorageError: Error, Sendable {
  package enum Code: String, Sendable, CaseIterable {
    /// The caller passed something the engine cannot take; nothing changed.
    case invalidArgument
    /// Bytes on disk are not what was written; never a user's mistake.
    case corruption
    /// The system refused or failed a call for a reason none of the other codes names.
    case io
    /// No room on the volume, or no more descriptors.
    case resourceExhausted
    /// Another process (or another instance in this one) has the database open for writing.
    case locked
    /// The system denies access to a file or folder.
    case permissionDenied
    /// The path names nothing.
    case notFound
    /// The files were written by a newer or otherwise incompatible build.
    case unsupportedFormat
    /// The path holds something that is not a Hearth database.
    case notADatabase
    /// The engine is closed, or stopped writing after an earlier failure that `cause` names.
    case closed
    /// A condition of the batch no longer holds; derive the batch again from a newer view.
    case conflict
    /// The database was opened for reading only.
    case readOnly
  }

  /// A file, and the byte in it where known.
  package struct Place: Sendable, Equatable {
    package let file: String
    package let offset: UInt64?

    package init(file: String, offset: UInt64? = nil) {
      self.file = file
      self.offset = offset
    }
  }

  package let code: Code
  package let message: String
  package let place: Place?
  /// The text of the error below this one, such as the system's own.
  package let cause: String?

  package init(_ code: Code, _ message: String, at place: Place? = nil, cause: String? = nil) {
    self.code = code
    self.message = message
    self.place = place
    self.cause = cause
  }

  package init(_ code: Code, _ message: String, file: String, offset: UInt64? = nil, cause: String? = nil) {
    self.init(code, message, at: Place(file: file, offset: offset), cause: cause)
  }
}

extension StorageError {
  /// The same error with the place where it was met, unless it names one already.
  func placed(file: String, offset: UInt64? = nil) -> StorageError {
    place != nil ? self : StorageError(code, message, file: file, offset: offset, cause: cause)
  }
}

extension StorageError: CustomStringConvertible {
  /// `code: message (file, offset n): cause`.
  package var description: String {
    var text = "\(code.rawValue): \(message)"
    if let place {
      text += " (\(place.file)"
      if let offset = place.offset { text += ", offset \(offset)" }
      text += ")"
    }
    if let cause { text += ": \(cause)" }
    return text
  }
}
