internal import HearthDatabase
internal import HearthModel

extension DocumentReference {
  /// Reads the document. An absent document is a snapshot that does not exist, not an error.
  ///
  /// Sees every write issued before, also one that was not waited for.
  ///
  /// - Parameter completion: Called once on the handler queue: with a snapshot, or with an error of code
  ///   `invalidArgument` (bad path), `failedPrecondition` (database closed), `unavailable` (folder cannot be opened) or
  ///   `dataLoss` (stored bytes damaged).
  public func getDocument(completion: @escaping (_ snapshot: DocumentSnapshot?, _ error: (any Error)?) -> Void) {
    firestore.read(completion) { database in
      try self.snapshot(of: database.document(self.key()))
    }
  }

  /// As ``getDocument(completion:)``; every source is the same store.
  public func getDocument(
    source: FirestoreSource, completion: @escaping (_ snapshot: DocumentSnapshot?, _ error: (any Error)?) -> Void
  ) {
    getDocument(completion: completion)
  }

  /// Reads the document. An absent document is a snapshot that does not exist, not an error.
  ///
  /// - Throws: ``FirestoreErrorCode``, as ``getDocument(completion:)``.
  public func getDocument() async throws -> DocumentSnapshot {
    try await firestore.read { database in
      try await self.snapshot(of: database.document(self.key()))
    }
  }

  /// As ``getDocument()``; every source is the same store.
  public func getDocument(source: FirestoreSource) async throws -> DocumentSnapshot {
    try await getDocument()
  }

  private func snapshot(of document: Document?) -> DocumentSnapshot {
    DocumentSnapshot(reference: self, document: document)
  }
}

extension DocumentReference {
  /// Reads the document and decodes it. An absent document decodes to nil if `T` is optional, else it is an error.
  ///
  /// - Parameter completion: Called once on the handler queue with the value, a `DecodingError`, or an error as
  ///   ``getDocument(completion:)`` gives it.
  public func getDocument<T: Decodable>(
    as type: T.Type, with serverTimestampBehavior: ServerTimestampBehavior = .none,
    decoder: Firestore.Decoder = .init(), source: FirestoreSource = .default,
    completion: @escaping (Result<T, Error>) -> Void
  ) {
    getDocument { snapshot, error in
      guard let snapshot else { return completion(.failure(error ?? FirestoreErrorCode(.internal))) }
      completion(Result { try snapshot.data(as: type, with: serverTimestampBehavior, decoder: decoder) })
    }
  }

  /// Reads the document and decodes it. An absent document decodes to nil if `T` is optional, else it is an error.
  ///
  /// - Throws: `DecodingError`, or ``FirestoreErrorCode`` as ``getDocument(completion:)`` gives it.
  nonisolated(nonsending) public func getDocument<T: Decodable>(
    as type: T.Type, with serverTimestampBehavior: ServerTimestampBehavior = .none,
    decoder: Firestore.Decoder = .init(), source: FirestoreSource = .default
  ) async throws -> T {
    try await getDocument().data(as: type, with: serverTimestampBehavior, decoder: decoder)
  }
}
