public import Foundation
internal import HearthModel

/// Writes that are committed together: all of them or none, at one moment, in the order in which they were added.
///
/// Operations see what those before them did. A bad operation marks the batch: ``commit()`` fails with the first error
/// and writes nothing. A batch can be committed once.
///
/// Threading: any thread; operations added from several threads get in in some order.
public final class WriteBatch: NSObject, @unchecked Sendable {
  private let firestore: Firestore
  private let lock = NSLock()
  // Guarded by `lock`.
  private var mutations: [Mutation] = []
  private var fault: (any Error)?
  private var isCommitted = false

  init(firestore: Firestore) {
    self.firestore = firestore
  }

  /// Replaces a document, or creates it. As ``DocumentReference/setData(_:)``.
  @discardableResult
  public func setData(_ data: [String: Any], forDocument document: DocumentReference) -> WriteBatch {
    add(document) { try $0.set(data) }
  }

  /// Changes the fields in `data` if `merge`, else replaces the document. As ``DocumentReference/setData(_:merge:)``.
  @discardableResult
  public func setData(_ data: [String: Any], forDocument document: DocumentReference, merge: Bool) -> WriteBatch {
    add(document) { try merge ? $0.merge(data) : $0.set(data) }
  }

  /// Writes the fields that are listed. As ``DocumentReference/setData(_:mergeFields:)``.
  @discardableResult
  public func setData(
    _ data: [String: Any], forDocument document: DocumentReference, mergeFields: [Any]
  ) -> WriteBatch {
    add(document) { try $0.merge(data, fields: mergeFields) }
  }

  /// Changes fields of a document that exists; the whole batch fails with `notFound` if it does not. As
  /// ``DocumentReference/updateData(_:)``.
  @discardableResult
  public func updateData(_ fields: [AnyHashable: Any], forDocument document: DocumentReference) -> WriteBatch {
    add(document) { try $0.update(fields) }
  }

  /// Deletes a document; fine if it is absent.
  @discardableResult
  public func deleteDocument(_ document: DocumentReference) -> WriteBatch {
    add(document) { try $0.delete() }
  }

  private func add(_ document: DocumentReference, _ make: (MutationBuilder) throws -> Mutation) -> WriteBatch {
    let made = Result {
      guard firestore.isSameDatabase(as: document.firestore) else {
        throw ModelError.invalidArgument(
          "document \(document.path.quotedForMessage) belongs to another database than the batch")
      }
      return try make(MutationBuilder(document))
    }
    let isSpent = lock.withLock {
      if isCommitted { return true }
      switch made {
      case .success(let mutation): mutations.append(mutation)
      case .failure(let error): fault = fault ?? error
      }
      return false
    }
    // No later commit could report it.
    if isSpent { Log.warning("write", "\(document.path.quotedForMessage) was added to a batch after its commit.") }
    return self
  }

  private static let spent = FirestoreErrorCode(
    .failedPrecondition, "A batch can be committed only once; make a new one.")

  /// What to write. Spends the batch.
  private func take() throws -> [Mutation] {
    try lock.withLock {
      if isCommitted { throw WriteBatch.spent }
      isCommitted = true
      defer { mutations = [] }
      if let fault { throw fault }
      return mutations
    }
  }
}

extension WriteBatch {
  /// Encodes `value` and replaces the document.
  ///
  /// - Throws: What encoding throws; the batch stays as it was.
  @discardableResult
  public func setData<T: Encodable>(
    from value: T, forDocument doc: DocumentReference, encoder: Firestore.Encoder = Firestore.Encoder()
  ) throws -> WriteBatch {
    let map = try encoder.encodeMap(value)
    return add(doc) { try $0.set(map) }
  }

  /// Encodes `value` and changes its fields if `merge`, else replaces the document.
  ///
  /// - Throws: What encoding throws; the batch stays as it was.
  @discardableResult
  public func setData<T: Encodable>(
    from value: T, forDocument doc: DocumentReference, merge: Bool, encoder: Firestore.Encoder = Firestore.Encoder()
  ) throws -> WriteBatch {
    let map = try encoder.encodeMap(value)
    return add(doc) { try merge ? $0.merge(map) : $0.set(map) }
  }

  /// Encodes `value` and writes the fields that are listed.
  ///
  /// - Throws: What encoding throws; the batch stays as it was.
  @discardableResult
  public func setData<T: Encodable>(
    from value: T, forDocument doc: DocumentReference, mergeFields: [Any],
    encoder: Firestore.Encoder = Firestore.Encoder()
  ) throws -> WriteBatch {
    let map = try encoder.encodeMap(value)
    return add(doc) { try $0.merge(map, fields: mergeFields) }
  }
}

extension WriteBatch {
  /// Commits; returns once the writes are ordered: every later read sees them. An error is logged.
  public func commit() {
    firestore.write(nil, to: "batch") { try take() }
  }

  /// Commits.
  ///
  /// - Parameter completion: Called once on the handler queue when the writes are as durable as the settings ask, or
  ///   with an error: the first one of an operation that was added, `notFound` for an update of an absent document,
  ///   `failedPrecondition` for a batch that was committed before or a closed database, `resourceExhausted` for a full
  ///   disk. Nothing is written then.
  public func commit(completion: ((_ error: (any Error)?) -> Void)? = nil) {
    firestore.write(completion, to: "batch") { try take() }
  }

  /// Commits; returns when the writes are as durable as the settings ask. Cancelling the task does not undo them.
  ///
  /// - Throws: ``FirestoreErrorCode``, as ``commit(completion:)``; nothing is written then.
  nonisolated(nonsending) public func commit() async throws {
    try await firestore.commit { try take() }
  }
}
