public import Foundation

/// The domain of every error that leaves Hearth's Firestore part.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let FirestoreErrorDomain: String = "FIRFirestoreErrorDomain"

/// The error that every operation throws or hands to its handler.
///
/// It is an `NSError` of ``FirestoreErrorDomain``, so all the ways in which app code looks at errors work, on Linux
/// too: `error as NSError`, `error as? NSError`, `catch FirestoreErrorCode.notFound`,
/// `FirestoreErrorCode.Code(rawValue: nsError.code)`, `error as? FirestoreErrorCode`, `error.code == .notFound`.
/// `localizedDescription` is the message: what is wrong and with which path or field.
///
/// Threading: immutable.
public final class FirestoreErrorCode: NSError, @unchecked Sendable {
  /// What went wrong; the numbers are Firestore's.
  public enum Code: Int, Sendable, CaseIterable {
    // swift-format-ignore: AlwaysUseLowerCamelCase
    case OK = 0
    case cancelled = 1
    case unknown = 2
    case invalidArgument = 3
    case deadlineExceeded = 4
    case notFound = 5
    case alreadyExists = 6
    case permissionDenied = 7
    case resourceExhausted = 8
    case failedPrecondition = 9
    case aborted = 10
    case outOfRange = 11
    case unimplemented = 12
    case `internal` = 13
    case unavailable = 14
    case dataLoss = 15
    case unauthenticated = 16
  }

  /// Makes an error of this code.
  ///
  /// - Parameter userInfo: `NSLocalizedDescriptionKey` holds the message.
  public init(_ code: Code, userInfo: [String: Any] = [:]) {
    super.init(domain: FirestoreErrorDomain, code: code.rawValue, userInfo: userInfo)
  }

  convenience init(_ code: Code, _ message: String) {
    self.init(code, userInfo: [NSLocalizedDescriptionKey: message])
  }

  /// Decodes an archived error.
  public required init?(coder: NSCoder) {
    super.init(coder: coder)
  }

  /// ``FirestoreErrorDomain``.
  public static var errorDomain: String { FirestoreErrorDomain }

  // swift-format-ignore: AlwaysUseLowerCamelCase
  public static var OK: Code { .OK }
  public static var cancelled: Code { .cancelled }
  public static var unknown: Code { .unknown }
  public static var invalidArgument: Code { .invalidArgument }
  public static var deadlineExceeded: Code { .deadlineExceeded }
  public static var notFound: Code { .notFound }
  public static var alreadyExists: Code { .alreadyExists }
  public static var permissionDenied: Code { .permissionDenied }
  public static var resourceExhausted: Code { .resourceExhausted }
  public static var failedPrecondition: Code { .failedPrecondition }
  public static var aborted: Code { .aborted }
  public static var outOfRange: Code { .outOfRange }
  public static var unimplemented: Code { .unimplemented }
  public static var `internal`: Code { .internal }
  public static var unavailable: Code { .unavailable }
  public static var dataLoss: Code { .dataLoss }
  public static var unauthenticated: Code { .unauthenticated }
}

extension FirestoreErrorCode.Code {
  /// Lets `catch FirestoreErrorCode.notFound` and `case FirestoreErrorCode.notFound:` match an error.
  public static func ~= (code: FirestoreErrorCode.Code, error: any Error) -> Bool {
    let error = error as NSError
    return error.domain == FirestoreErrorDomain && error.code == code.rawValue
  }

  /// Lets `error.code == .notFound` and `error?.code == .notFound` compile, where `code` is an `NSError`'s number.
  public static func == (number: Int?, code: FirestoreErrorCode.Code) -> Bool { number == code.rawValue }
  public static func != (number: Int?, code: FirestoreErrorCode.Code) -> Bool { number != code.rawValue }

  /// Lets `switch error.code { case .notFound: … }` compile, where `error.code` is an `NSError`'s number.
  public static func ~= (code: FirestoreErrorCode.Code, number: Int) -> Bool { number == code.rawValue }
}
