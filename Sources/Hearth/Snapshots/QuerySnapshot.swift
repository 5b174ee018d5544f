public import Foundation
internal import HearthModel

/// The result of a query at one moment, in query order.
///
/// Threading: immutable.
public final class QuerySnapshot: NSObject, @unchecked Sendable {
  /// The query that gave this result.
  public let query: Query
  public let documents: [QueryDocumentSnapshot]

  init(query: Query, documents: [Document]) {
    self.query = query
    self.documents = documents.map {
      QueryDocumentSnapshot(reference: DocumentReference(firestore: query.firestore, key: $0.key), existing: $0)
    }
  }

  public var metadata: SnapshotMetadata { .stored }
  public var isEmpty: Bool { documents.isEmpty }
  public var count: Int { documents.count }

  /// What changed since the snapshot before. A snapshot that was asked for once has none before it, so every document
  /// is added.
  public var documentChanges: [DocumentChange] {
    documents.enumerated().map { index, document in
      DocumentChange(type: .added, document: document, oldIndex: UInt(NSNotFound), newIndex: UInt(index))
    }
  }

  /// As ``documentChanges``: metadata never changes.
  public func documentChanges(includeMetadataChanges: Bool) -> [DocumentChange] { documentChanges }

  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? QuerySnapshot else { return false }
    return query == other.query && documents == other.documents
  }

  public override var hash: Int {
    var hasher = Hasher()
    hasher.combine(query)
    hasher.combine(documents)
    return hasher.finalize()
  }
}
