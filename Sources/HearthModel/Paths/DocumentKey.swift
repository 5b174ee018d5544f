/// The path of a document, which is its key: an even number of segments that keep the rules of ``ResourcePath``.
///
/// Equality and hashing are over UTF-8 bytes; order is semantics.md 2.3, with numeric ids first.
package struct DocumentKey: Sendable {
  /// The segments joined by slashes, without outer ones.
  package let path: String

  /// - Parameter path: From the root of the database; one slash at each end is ignored.
  package init(_ path: String) throws(ModelError) {
    self.path = try ResourcePath.parse(path, as: .document)
  }

  /// - Parameter path: From `collection`: 1, 3, 5… segments.
  package init(_ path: String, below collection: CollectionPath) throws(ModelError) {
    self.path = try ResourcePath.parse(path, below: collection.path, as: .document)
  }

  /// The document `id` of a collection; unlike a path, an id is taken as it is and must hold no slash.
  package init(id: String, in collection: CollectionPath) throws(ModelError) {
    try ResourcePath.check(id: id, as: .document)
    try self.init(id, below: collection)
  }

  /// Takes a path that is known to be in normal form.
  init(normal path: String) { self.path = path }

  /// The last segment.
  package var documentID: String { ResourcePath.split(path).last }

  /// The collection that the document is in.
  package var parent: CollectionPath {
    // A document's path has at least two segments.
    CollectionPath(normal: ResourcePath.split(path).parent ?? "")
  }

  /// A collection below this document.
  ///
  /// - Parameter path: From this document: 1, 3, 5… segments.
  package func collection(_ path: String) throws(ModelError) -> CollectionPath { try CollectionPath(path, below: self) }

  package func compare(_ other: DocumentKey) -> Ordering {
    path.withUTF8Bytes { left in other.path.withUTF8Bytes { right in ResourcePath.compare(left, right) } }
  }
}

extension DocumentKey: Hashable, Comparable, CustomStringConvertible {
  package static func == (left: DocumentKey, right: DocumentKey) -> Bool { left.path.equalsUTF8(right.path) }
  package static func < (left: DocumentKey, right: DocumentKey) -> Bool { left.compare(right) == .less }
  package func hash(into hasher: inout Hasher) { path.hashUTF8(into: &hasher) }
  package var description: String { path }
}
