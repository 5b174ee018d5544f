package import HearthModel

/// A document in the listing of its collection.
package struct ListedDocument: Hashable, Sendable {
  package let key: DocumentKey
  /// Whether the document itself is there.
  package let exists: Bool
  /// Whether documents are below it.
  package let hasMore: Bool
}
