public import Foundation
internal import HearthDatabase
internal import HearthModel

/// Documents of a collection, or of a collection group, that satisfy conditions, in an order. Immutable: every call gives a new query.
///
/// A bad condition makes a query that carries the error: running it fails with `invalidArgument`. `==` compares
/// structure and database.
///
/// Threading: immutable.
public class Query: NSObject, @unchecked Sendable {
  /// The database the query belongs to.
  public let firestore: Firestore
  /// What to look for, or the first error made on the way.
  let query: Result<QueryDescription, ModelError>

  init(firestore: Firestore, query: Result<QueryDescription, ModelError>) {
    self.firestore = firestore
    self.query = query
  }

  /// The query with one more condition. The first error stays.
  func adding(_ change: (QueryDescription) throws(ModelError) -> QueryDescription) -> Query {
    Query(
      firestore: firestore,
      query: query.flatMap { query in Result { () throws(ModelError) in try change(query) } })
  }

  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? Query else { return false }
    return firestore.isSameDatabase(as: other.firestore) && query == other.query
  }

  public override var hash: Int { query.hashValue }
}

extension Query {
  /// Runs the query on one consistent state, which shows every write issued before.
  ///
  /// - Parameter completion: Called once on the handler queue: with the documents in query order, or with an error of
  ///   code `invalidArgument` (bad query or path), `failedPrecondition` (database closed), `unavailable` (folder cannot be
  ///   opened) or `dataLoss` (stored bytes damaged).
  public func getDocuments(completion: @escaping (_ snapshot: QuerySnapshot?, _ error: (any Error)?) -> Void) {
    firestore.read(completion) { database in
      QuerySnapshot(query: self, documents: try database.documents(matching: self.query.get()))
    }
  }

  /// As ``getDocuments(completion:)``; every source is the same store.
  public func getDocuments(
    source: FirestoreSource, completion: @escaping (_ snapshot: QuerySnapshot?, _ error: (any Error)?) -> Void
  ) {
    getDocuments(completion: completion)
  }

  /// Runs the query on one consistent state, which shows every write issued before.
  ///
  /// - Throws: ``FirestoreErrorCode``, as ``getDocuments(completion:)``.
  public func getDocuments() async throws -> QuerySnapshot {
    try await firestore.read { database in
      QuerySnapshot(query: self, documents: try await database.documents(matching: self.query.get()))
    }
  }

  /// As ``getDocuments()``; every source is the same store.
  public func getDocuments(source: FirestoreSource) async throws -> QuerySnapshot {
    try await getDocuments()
  }
}
