package import HearthModel
internal import HearthStorage

extension Database {
  /// Reads one document; `nil` if it is absent.
  package func document(_ key: DocumentKey) throws(DatabaseError) -> Document? {
    try DocumentReader(view: settledView()).document(key)
  }

  /// As the blocking form, suspending while earlier writes become visible.
  package func document(_ key: DocumentKey) async throws(DatabaseError) -> Document? {
    try await DocumentReader(view: settledView()).document(key)
  }

  /// Runs a query on one consistent state and returns the documents in its order.
  package func documents(matching query: QueryDescription) throws(DatabaseError) -> [Document] {
    try DocumentReader(view: settledView()).documents(matching: query)
  }

  /// As the blocking form, suspending while earlier writes become visible.
  package func documents(matching query: QueryDescription) async throws(DatabaseError) -> [Document] {
    try await DocumentReader(view: settledView()).documents(matching: query)
  }

  /// The collections directly below a document, or at the root, that hold a document at any depth; in key order.
  package func collections(below document: DocumentKey?) throws(DatabaseError) -> [CollectionPath] {
    try DocumentReader(view: settledView()).collections(below: document)
  }

  /// One consistent state to read from again and again.
  package func reader() throws(DatabaseError) -> DocumentReader {
    DocumentReader(view: try settledView())
  }

  private func settledView() throws(DatabaseError) -> View {
    do { return try engine.settledView() } catch { throw DatabaseError(error) }
  }

  private func settledView() async throws(DatabaseError) -> View {
    do { return try await engine.settledView() } catch { throw DatabaseError(error) }
  }

  /// Returns once every write that was ordered before the call is as durable as it asked to be, or has failed.
  package func waitForWrites() async throws(DatabaseError) {
    // A commit without changes waits for those before it. That it fails when they do says nothing new.
    _ = try? await engine.commit(.buffered) { KeyValueBatch(baseVersion: $0.version) }
    // One that stopped writing or closes takes no commits, and the first still shows what it has.
    _ = try await settledView()
  }

  /// As the suspending form.
  package func waitForWrites() throws(DatabaseError) {
    _ = try? engine.commit(.buffered) { KeyValueBatch(baseVersion: $0.version) }
    _ = try settledView()
  }
}
