/// The path of a collection: an odd number of segments that keep the rules of ``ResourcePath``.
///
/// Equality, hashing and order are over UTF-8 bytes, segment by segment.
package struct CollectionPath: Sendable {
  /// The segments joined by slashes, without outer ones.
  package let path: String

  /// - Parameter path: From the root of the database; one slash at each end is ignored.
  package init(_ path: String) throws(ModelError) {
    self.path = try ResourcePath.parse(path, as: .collection)
  }

  /// - Parameter path: From `document`: 1, 3, 5… segments.
  package init(_ path: String, below document: DocumentKey) throws(ModelError) {
    self.path = try ResourcePath.parse(path, below: document.path, as: .collection)
  }

  /// Takes a path that is known to be in normal form.
  init(normal path: String) { self.path = path }

  /// The last segment.
  package var collectionID: String { ResourcePath.split(path).last }

  /// The document that the collection is below, or `nil` at the root.
  package var parent: DocumentKey? { ResourcePath.split(path).parent.map { DocumentKey(normal: $0) } }

  /// A document in or below this collection.
  ///
  /// - Parameter path: From this collection: 1, 3, 5… segments.
  package func document(_ path: String) throws(ModelError) -> DocumentKey { try DocumentKey(path, below: self) }

  package func compare(_ other: CollectionPath) -> Ordering {
    path.withUTF8Bytes { left in other.path.withUTF8Bytes { right in ResourcePath.compare(left, right) } }
  }
}

extension CollectionPath: Hashable, Comparable, CustomStringConvertible {
  package static func == (left: CollectionPath, right: CollectionPath) -> Bool { left.path.equalsUTF8(right.path) }
  package static func < (left: CollectionPath, right: CollectionPath) -> Bool { left.compare(right) == .less }
  package func hash(into hasher: inout Hasher) { path.hashUTF8(into: &hasher) }
  package var description: String { path }
}
