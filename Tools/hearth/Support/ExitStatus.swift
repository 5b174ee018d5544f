import Foundation
import HearthCommandLine
import HearthDatabase
import HearthModel
import HearthStorage

/// What the program's end means; listed in `hearth --help`.
enum ExitStatus {
  static let good: Int32 = 0
  static let found: Int32 = 1
  static let usage: Int32 = 2
  static let unusable: Int32 = 3
  static let other: Int32 = 4
  static let interrupted: Int32 = 130

  static func of(_ error: any Error) -> Int32 {
    switch error {
    case let error as StorageError:
      switch error.code {
      case .notFound: found
      case .invalidArgument: usage
      case .corruption, .locked, .permissionDenied, .unsupportedFormat, .notADatabase, .readOnly: unusable
      default: other
      }
    case let error as DatabaseError:
      switch error.code {
      case .notFound: found
      case .invalidArgument: usage
      case .unavailable, .permissionDenied, .dataLoss: unusable
      default: other
      }
    case let error as LineReader.InputError: error.number == ENOENT ? found : other
    case is ModelError: usage
    case is CommandLineWords.UsageError: usage
    default: other
    }
  }
}
