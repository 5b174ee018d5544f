public import Foundation
internal import HearthModel

/// A document as it was when it was read, or the fact that it was absent.
///
/// `==` compares database, key, existence and content.
///
/// Threading: immutable.
public class DocumentSnapshot: NSObject, @unchecked Sendable {
  /// The place of the document.
  public let reference: DocumentReference
  let document: Document?

  init(reference: DocumentReference, document: Document?) {
    self.reference = reference
    self.document = document
  }

  public var exists: Bool { document != nil }
  /// The last segment of the document's path.
  public var documentID: String { reference.documentID }
  public var metadata: SnapshotMetadata { .stored }

  /// The fields, or `nil` if the document is absent.
  ///
  /// Numbers and booleans are `NSNumber`, so `as? Int`, `as? Double`, `as? Bool` work as on Apple systems; times are
  /// ``Timestamp``; null is `NSNull`. Of two names that Swift's `String` takes for equal one is lost.
  public func data() -> [String: Any]? {
    document.map { Boxing.dictionary($0.fields, firestore: reference.firestore) }
  }

  /// As ``data()``: no server timestamp is ever pending.
  public func data(with serverTimestampBehavior: ServerTimestampBehavior) -> [String: Any]? { data() }

  /// One field, boxed as in ``data()``; `nil` if it is missing or the path runs through something that is no map.
  ///
  /// - Parameter field: A `String` dot path or a ``FieldPath``. `nil` for a bad one, which is logged.
  public func get(_ field: Any) -> Any? {
    do {
      let path = try FieldPath.resolve(field)
      if path.isDocumentID { return reference }
      guard let value = document?.fields[path] else { return nil }
      return Boxing.any(value, firestore: reference.firestore)
    } catch {
      Log.warning("get", error.message)
      return nil
    }
  }

  /// As ``get(_:)``: no server timestamp is ever pending.
  public func get(_ field: Any, serverTimestampBehavior: ServerTimestampBehavior) -> Any? { get(field) }

  /// As ``get(_:)``.
  public subscript(key: Any) -> Any? { self.get(key) }

  /// The document as a model. An absent document is nil for an optional `T`, else a `DecodingError`.
  ///
  /// - Throws: `DecodingError`, or what the model's own `init(from:)` throws.
  public func data<T: Decodable>(
    as type: T.Type, with serverTimestampBehavior: ServerTimestampBehavior = .none,
    decoder: Firestore.Decoder = .init()
  ) throws -> T {
    try decoder.decode(type, stored: document.map { .map($0.fields) } ?? .null, in: reference)
  }

  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? DocumentSnapshot else { return false }
    return reference == other.reference && document?.fields == other.document?.fields
  }

  public override var hash: Int {
    var hasher = Hasher()
    hasher.combine(reference)
    hasher.combine(document?.fields)
    return hasher.finalize()
  }

  public override var description: String {
    "<\(type(of: self)): \(reference.path) \(data().map { "\($0)" } ?? "absent")>"
  }
}

/// A document in the result of a query; it always exists.
public final class QueryDocumentSnapshot: DocumentSnapshot, @unchecked Sendable {
  private let existing: Document

  init(reference: DocumentReference, existing: Document) {
    self.existing = existing
    super.init(reference: reference, document: existing)
  }

  /// The fields, boxed as ``DocumentSnapshot/data()`` says.
  public override func data() -> [String: Any] { Boxing.dictionary(existing.fields, firestore: reference.firestore) }

  /// As ``data()``: no server timestamp is ever pending.
  public override func data(with serverTimestampBehavior: ServerTimestampBehavior) -> [String: Any] { data() }
}
