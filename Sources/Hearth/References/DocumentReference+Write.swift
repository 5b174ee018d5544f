internal import HearthModel

// Every write has three forms. Without a handler it returns once the write is ordered, so that every later read sees
// it; an error is logged. With a handler or awaited it ends when the write is as durable as the settings ask.
//
// Errors, by code: `invalidArgument` for a bad path, a value that no document can hold, a bad field name, a document
// over 1 MiB or deeper than 20 maps and arrays; `failedPrecondition` for a closed database; `resourceExhausted` for a full
// disk; `unavailable` for a folder that cannot be opened. Nothing is written then.

extension DocumentReference {
  private func write(
    _ completion: ((_ error: (any Error)?) -> Void)?, _ make: (MutationBuilder) throws -> Mutation
  ) {
    firestore.write(completion, to: path) { [try make(MutationBuilder(self))] }
  }

  nonisolated(nonsending) private func write(_ make: (MutationBuilder) throws -> Mutation) async throws {
    try await firestore.commit { [try make(MutationBuilder(self))] }
  }

  /// Replaces the document, or creates it. Returns once the write is ordered; an error is logged.
  public func setData(_ documentData: [String: Any]) {
    write(nil) { try $0.set(documentData) }
  }

  /// Replaces the document, or creates it.
  ///
  /// - Parameters:
  ///   - documentData: Field names are literal. `FieldValue.delete()` is refused.
  ///   - completion: Called once on the handler queue: without an error when the write is as durable as the settings
  ///     ask, else with a ``FirestoreErrorCode`` (`invalidArgument`, `failedPrecondition`, `resourceExhausted`, …).
  public func setData(_ documentData: [String: Any], completion: ((_ error: (any Error)?) -> Void)? = nil) {
    write(completion) { try $0.set(documentData) }
  }

  /// Replaces the document, or creates it; returns when that is as durable as the settings ask.
  ///
  /// - Throws: ``FirestoreErrorCode``, as the form with a handler. Cancelling the task does not undo the write.
  nonisolated(nonsending) public func setData(_ documentData: [String: Any]) async throws {
    try await write { try $0.set(documentData) }
  }

  /// With `merge` changes the fields that `documentData` mentions and keeps the rest, creating the document if absent;
  /// without replaces it. Returns once the write is ordered; an error is logged.
  public func setData(_ documentData: [String: Any], merge: Bool) {
    write(nil) { try merge ? $0.merge(documentData) : $0.set(documentData) }
  }

  /// With `merge` changes the fields that `documentData` mentions and keeps the rest, creating the document if absent;
  /// without replaces it.
  ///
  /// Maps merge deeply; arrays, scalars and *empty maps* replace what is there; `FieldValue.delete()` deletes.
  public func setData(
    _ documentData: [String: Any], merge: Bool, completion: ((_ error: (any Error)?) -> Void)? = nil
  ) {
    write(completion) { try merge ? $0.merge(documentData) : $0.set(documentData) }
  }

  /// As the form with a handler; returns when the write is as durable as the settings ask.
  nonisolated(nonsending) public func setData(_ documentData: [String: Any], merge: Bool) async throws {
    try await write { try merge ? $0.merge(documentData) : $0.set(documentData) }
  }

  /// Writes the listed fields of `documentData` and no others. Returns once the write is ordered; an error is logged.
  public func setData(_ documentData: [String: Any], mergeFields: [Any]) {
    write(nil) { try $0.merge(documentData, fields: mergeFields) }
  }

  /// Writes the listed fields of `documentData` and no others, creating the document if absent.
  ///
  /// - Parameter mergeFields: `String` dot paths or ``FieldPath``s, each present in the data; a map is replaced whole.
  public func setData(
    _ documentData: [String: Any], mergeFields: [Any], completion: ((_ error: (any Error)?) -> Void)? = nil
  ) {
    write(completion) { try $0.merge(documentData, fields: mergeFields) }
  }

  /// As the form with a handler; returns when the write is as durable as the settings ask.
  nonisolated(nonsending) public func setData(_ documentData: [String: Any], mergeFields: [Any]) async throws {
    try await write { try $0.merge(documentData, fields: mergeFields) }
  }

  /// Changes fields of a document that exists. Returns once the write is ordered; an error is logged.
  public func updateData(_ fields: [AnyHashable: Any]) {
    write(nil) { try $0.update(fields) }
  }

  /// Changes fields of a document that exists; an absent one is `notFound`.
  ///
  /// - Parameter fields: Keys are `String` dot paths or ``FieldPath``s. A map replaces the field; `FieldValue.delete()`
  ///   deletes it.
  public func updateData(_ fields: [AnyHashable: Any], completion: ((_ error: (any Error)?) -> Void)? = nil) {
    write(completion) { try $0.update(fields) }
  }

  /// As the form with a handler; returns when the write is as durable as the settings ask.
  nonisolated(nonsending) public func updateData(_ fields: [AnyHashable: Any]) async throws {
    try await write { try $0.update(fields) }
  }

  /// Deletes the document; fine if it is absent. Subcollections stay. Returns once the write is ordered; an error is
  /// logged.
  public func delete() {
    write(nil) { try $0.delete() }
  }

  /// Deletes the document; fine if it is absent. Subcollections stay.
  public func delete(completion: ((_ error: (any Error)?) -> Void)? = nil) {
    write(completion) { try $0.delete() }
  }

  /// As the form with a handler; returns when the write is as durable as the settings ask.
  public func delete() async throws {
    try await write { try $0.delete() }
  }
}

// No `async` form of these: it would stop `try reference.setData(from: x)` from compiling inside async functions.
extension DocumentReference {
  /// Encodes `value` and replaces the document, or creates it. The write is ordered when this returns: every later read
  /// sees it.
  ///
  /// - Parameter completion: As in ``setData(_:completion:)``. Without one an error of the write is logged.
  /// - Throws: What encoding throws; nothing is written then.
  public func setData<T: Encodable>(
    from value: T, encoder: Firestore.Encoder = Firestore.Encoder(), completion: ((Error?) -> Void)? = nil
  ) throws {
    let map = try encoder.encodeMap(value)
    write(completion) { try $0.set(map) }
  }

  /// Encodes `value` and, with `merge`, changes its fields and keeps the rest. Optionals that are nil are left alone.
  ///
  /// - Throws: What encoding throws; nothing is written then.
  public func setData<T: Encodable>(
    from value: T, merge: Bool, encoder: Firestore.Encoder = Firestore.Encoder(),
    completion: ((Error?) -> Void)? = nil
  ) throws {
    let map = try encoder.encodeMap(value)
    write(completion) { try merge ? $0.merge(map) : $0.set(map) }
  }

  /// Encodes `value` and writes the listed fields of it, as ``setData(_:mergeFields:completion:)``.
  ///
  /// - Throws: What encoding throws; nothing is written then.
  public func setData<T: Encodable>(
    from value: T, mergeFields: [Any], encoder: Firestore.Encoder = Firestore.Encoder(),
    completion: ((Error?) -> Void)? = nil
  ) throws {
    let map = try encoder.encodeMap(value)
    write(completion) { try $0.merge(map, fields: mergeFields) }
  }
}
