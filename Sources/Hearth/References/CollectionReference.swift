internal import HearthModel

/// The place of a collection, and the query for all its documents.
///
/// Making a reference reads nothing. One made from a bad path carries the error: each operation on it fails with
/// `invalidArgument`. `==` compares path and database.
///
/// Threading: immutable.
public final class CollectionReference: Query, @unchecked Sendable {
  /// The slash path from the root; of a bad path the text it was made from.
  public let path: String
  private let target: Result<CollectionPath, ModelError>

  init(firestore: Firestore, path: String, _ make: () throws(ModelError) -> CollectionPath) {
    let target = Result { () throws(ModelError) in try make() }
    self.target = target
    if case .success(let collection) = target { self.path = collection.path } else { self.path = path }
    super.init(firestore: firestore, query: target.map { QueryDescription(collection: $0) })
  }

  /// The collection, or the error that the reference carries.
  func collectionPath() throws(ModelError) -> CollectionPath { try target.get() }

  /// The last segment of the path.
  public var collectionID: String {
    if case .success(let collection) = target { return collection.collectionID }
    return path.split(separator: "/").last.map(String.init) ?? ""
  }

  /// The document that the collection is below; `nil` for one at the root.
  public var parent: DocumentReference? {
    if case .success(let collection) = target {
      return collection.parent.map { DocumentReference(firestore: firestore, key: $0) }
    }
    let segments = path.split(separator: "/").dropLast()
    if segments.isEmpty { return nil }
    return DocumentReference(firestore: firestore, path: segments.joined(separator: "/")) {
      () throws(ModelError) in throw self.fault ?? .invalidArgument("collection path is not valid")
    }
  }

  private var fault: ModelError? {
    if case .failure(let error) = target { error } else { nil }
  }

  /// A new document with an id of 20 random letters and digits. Nothing is written.
  public func document() -> DocumentReference {
    var generator = SystemRandomNumberGenerator()
    return document(AutoID.make(using: &generator))
  }

  /// A document in or below this collection.
  ///
  /// - Parameter documentPath: From this collection: 1, 3, 5… segments.
  public func document(_ documentPath: String) -> DocumentReference {
    DocumentReference(firestore: firestore, path: path + "/" + documentPath) { () throws(ModelError) in
      try collectionPath().document(documentPath)
    }
  }

  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CollectionReference else { return super.isEqual(object) }
    guard firestore.isSameDatabase(as: other.firestore) else { return false }
    return path.equalsUTF8(other.path) && (fault == nil) == (other.fault == nil)
  }

  public override var hash: Int {
    // Of two bad ones the path counts, not the error; a good one must hash as the query that it equals.
    if fault == nil { return super.hash }
    var hasher = Hasher()
    path.hashUTF8(into: &hasher)
    return hasher.finalize()
  }

  public override var description: String { "<CollectionReference: \(path)>" }
}

extension CollectionReference {
  /// Writes a new document with an automatic id and returns its reference at once.
  ///
  /// Returns once the write is ordered: every later read sees it. An error is logged.
  @discardableResult
  public func addDocument(data: [String: Any]) -> DocumentReference {
    let reference = document()
    reference.setData(data)
    return reference
  }

  /// Writes a new document with an automatic id and returns its reference at once.
  ///
  /// - Parameter completion: Called once on the handler queue when the write is as durable as the settings ask, or
  ///   with its error.
  @discardableResult
  public func addDocument(
    data: [String: Any], completion: ((_ error: (any Error)?) -> Void)? = nil
  ) -> DocumentReference {
    let reference = document()
    reference.setData(data, completion: completion)
    return reference
  }

  /// Writes a new document with an automatic id; returns when the write is as durable as the settings ask.
  ///
  /// - Throws: ``FirestoreErrorCode``, as ``DocumentReference/setData(_:)``.
  @discardableResult
  nonisolated(nonsending) public func addDocument(data: [String: Any]) async throws -> DocumentReference {
    let reference = document()
    try await reference.setData(data)
    return reference
  }

  /// Encodes `value` and writes it as a new document with an automatic id. The write is ordered when this returns:
  /// every later read sees it.
  ///
  /// - Parameter completion: As in ``addDocument(data:completion:)``.
  /// - Throws: What encoding throws; nothing is written then.
  @discardableResult
  public func addDocument<T: Encodable>(
    from value: T, encoder: Firestore.Encoder = Firestore.Encoder(), completion: ((Error?) -> Void)? = nil
  ) throws -> DocumentReference {
    let reference = document()
    try reference.setData(from: value, encoder: encoder, completion: completion)
    return reference
  }
}
