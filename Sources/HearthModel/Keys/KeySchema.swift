/// What the keys of the document tree and of the catalog look like. On disk since format 0; never change a byte of it.
///
/// Document tree:
///
/// | bytes                                   | what                                                        |
/// | --------------------------------------- | ----------------------------------------------------------- |
/// | *P* = name                              | prefix of the root collection with that name                |
/// | *P* ‖ `01` ‖ id                         | the document with that id in the collection with prefix *P* |
/// | *P* ‖ `02` ‖ id                         | prefix of everything below that document                    |
/// | *P'* = *P* ‖ `02` ‖ id ‖ name           | prefix of a collection below it                             |
///
/// | part                                    | bytes                                                       |
/// | --------------------------------------- | ----------------------------------------------------------- |
/// | name                                    | the collection id as a ``KeySegment``                       |
/// | id, numeric (`__id7__`)                 | `00` ‖ the number, 8 bytes, big-endian, sign bit flipped    |
/// | id, any other                           | as a ``KeySegment``; never begins with `00`, being non-empty |
///
/// So the documents of a collection lie together in key order with nothing between them, everything below them follows,
/// and each of "documents of a collection", "everything below a document", "a collection with all below it" is one
/// interval. This is not the order of whole paths: `a/b/c/d` comes after `a/c`. A parent need not exist as a document.
///
/// The longest key: each of a path's at most 6,144 bytes becomes at most 2, each of its at most 200 segments adds an end
/// and half of them a mark; 12,588 bytes are below the engine's 16,384.
///
/// Catalog tree:
///
/// | bytes          | what                                    |
/// | -------------- | --------------------------------------- |
/// | `01` ‖ name    | an option of the database               |
/// | `02` ‖ name    | a counter                               |
package enum KeySchema {
  static let documentMark: UInt8 = 1
  static let descendantMark: UInt8 = 2

  package enum CatalogTable: UInt8, Sendable {
    case options = 1
    case counters = 2
  }

  package static func catalogKey(_ table: CatalogTable, _ name: String) -> [UInt8] {
    var key = [table.rawValue]
    name.withUTF8Bytes { KeySegment.append($0, to: &key) }
    return key
  }

  // MARK: Encoding

  /// The key of a document.
  package static func key(of document: DocumentKey) -> [UInt8] {
    encode(document.path, lastMark: documentMark)
  }

  /// What the keys of a collection's documents, and of everything below them, begin with.
  package static func prefix(of collection: CollectionPath) -> [UInt8] {
    encode(collection.path, lastMark: descendantMark)
  }

  /// - Parameter lastMark: Before the last document id, where `path` is a document's; `descendantMark` otherwise.
  private static func encode(_ path: String, lastMark: UInt8) -> [UInt8] {
    path.withUTF8Bytes { path in
      var key: [UInt8] = []
      key.reserveCapacity(path.count + 16)
      var start = 0
      var isCollection = true
      while start <= path.count {
        let end = ResourcePath.segmentEnd(path, from: start)
        let segment = UnsafeRawBufferPointer(rebasing: path[start..<end])
        if isCollection {
          KeySegment.append(segment, to: &key)
        } else {
          key.append(end == path.count ? lastMark : descendantMark)
          KeySegment.appendDocumentID(segment, to: &key)
        }
        isCollection.toggle()
        start = end + 1
      }
      return key
    }
  }

  // MARK: Intervals

  /// The documents of a collection and nothing else.
  package static func documents(of collection: CollectionPath) -> KeyInterval {
    let prefix = prefix(of: collection)
    return KeyInterval(lower: prefix + [documentMark], upper: prefix + [descendantMark])
  }

  /// A collection's documents and everything below them.
  package static func everything(in collection: CollectionPath) -> KeyInterval {
    KeyInterval(prefix: prefix(of: collection))
  }

  /// Everything below a document (not the document itself), or below the root.
  package static func everything(below document: DocumentKey?) -> KeyInterval {
    guard let document else { return KeyInterval(lower: [], upper: nil) }
    return KeyInterval(prefix: encode(document.path, lastMark: descendantMark))
  }

  // MARK: Stepping

  /// Where to seek for what comes after a collection and everything below it.
  ///
  /// To list the collections below a document or the root: seek to the lower bound of ``everything(below:)``, take the
  /// ``collection(holding:below:)`` of the key found there, seek to the key after it, and so on until the interval ends.
  package static func keyAfterEverything(in collection: CollectionPath) -> [UInt8] {
    // A prefix ends in 00, so the one above it always exists.
    var key = prefix(of: collection)
    key[key.count - 1] = 1
    return key
  }

  /// The collection directly below `document` (or the root) that `key` lies in or below; `key` must be in
  /// ``everything(below:)``.
  package static func collection(
    holding key: UnsafeRawBufferPointer, below document: DocumentKey?
  ) throws(ModelError) -> CollectionPath {
    var reader = KeyReader(key)
    var path: [UInt8] = []
    var depth = 0
    let parentCount = document.map { document in document.path.utf8.reduce(1) { $1 == ResourcePath.slash ? $0 + 1 : $0 }
    }
    repeat {
      try reader.readSegment(into: &path, isCollection: depth % 2 == 0)
      depth += 1
    } while depth <= parentCount ?? 0
    let whole = try reader.text(path)
    if let document, document != CollectionPath(normal: whole).parent {
      throw .invalidArgument("a key of \(whole.quotedForMessage) is not below the document \(document.path)")
    }
    return CollectionPath(normal: whole)
  }

  // MARK: Decoding

  /// The document whose key the bytes are.
  package static func document(of key: UnsafeRawBufferPointer) throws(ModelError) -> DocumentKey {
    var reader = KeyReader(key)
    var path: [UInt8] = []
    path.reserveCapacity(key.count)
    var isCollection = true
    repeat {
      try reader.readSegment(into: &path, isCollection: isCollection)
      isCollection.toggle()
    } while !reader.isAtEnd
    guard isCollection, reader.lastMark == documentMark else {
      throw .corruption("the key of \(key.count) bytes names no document")
    }
    return DocumentKey(normal: try reader.text(path))
  }

  package static func document(of key: [UInt8]) throws(ModelError) -> DocumentKey {
    // `withUnsafeBytes` does not pass a typed error on.
    try key.withUnsafeBytes { key in Result { () throws(ModelError) in try document(of: key) } }.get()
  }

  /// As ``document(of:)`` for a key from ``documents(of:)`` of a known collection, without decoding the collection anew.
  ///
  /// - Parameter prefixCount: The number of bytes of the collection's ``prefix(of:)``.
  package static func document(
    of key: UnsafeRawBufferPointer, in collection: CollectionPath, prefixCount: Int
  ) throws(ModelError) -> DocumentKey {
    var reader = KeyReader(key, offset: prefixCount)
    var path: [UInt8] = []
    path.reserveCapacity(collection.path.utf8.count + key.count - prefixCount + 16)
    path.append(contentsOf: collection.path.utf8)
    try reader.readSegment(into: &path, isCollection: false)
    guard reader.isAtEnd, reader.lastMark == documentMark else {
      throw .corruption("the key of \(key.count) bytes names no document of \(collection.path.quotedForMessage)")
    }
    return DocumentKey(normal: try reader.text(path))
  }
}
