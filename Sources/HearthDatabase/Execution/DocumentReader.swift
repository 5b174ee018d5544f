package import HearthModel
package import HearthStorage

/// Documents of one immutable state.
///
/// Threading: any thread.
package struct DocumentReader: Sendable {
  package let view: View

  package init(view: View) {
    self.view = view
  }

  package func document(_ key: DocumentKey) throws(DatabaseError) -> Document? {
    try translatingErrors {
      try view.withValue(.documents, KeySchema.key(of: key)) { try DocumentCodec.decode($0, key: key) }
    }
  }

  /// A document as it is stored.
  package func encodedDocument(_ key: DocumentKey) throws(DatabaseError) -> [UInt8]? {
    do { return try view.get(.documents, KeySchema.key(of: key)) } catch { throw DatabaseError(error) }
  }

  /// Calls `body` for each document of a collection in key order, or against it, until it returns `false`. The encoded
  /// document is valid inside that call alone.
  package func forEachDocument(
    of collection: CollectionPath, descending: Bool = false,
    _ body: (DocumentKey, EncodedDocument) throws -> Bool
  ) throws(DatabaseError) {
    let prefixCount = KeySchema.prefix(of: collection).count
    let interval = KeySchema.documents(of: collection)
    try translatingErrors {
      try view.scan(.documents, KeyRange(interval), descending: descending) { key, value in
        let key = try KeySchema.document(of: key, in: collection, prefixCount: prefixCount)
        return try body(key, EncodedDocument(value))
      }
    }
  }

  /// The collections directly below a document, or at the root, that hold a document at any depth; in key order.
  package func collections(below document: DocumentKey?) throws(DatabaseError) -> [CollectionPath] {
    let interval = KeySchema.everything(below: document)
    var range = KeyRange(interval)
    var result: [CollectionPath] = []
    try translatingErrors {
      while true {
        var found: CollectionPath?
        try view.scan(.documents, range) { key, _ in
          found = try KeySchema.collection(holding: key, below: document)
          return false
        }
        guard let collection = found else { return }
        result.append(collection)
        range.lower = KeySchema.keyAfterEverything(in: collection)
      }
    }
    return result
  }

  /// The documents directly in a collection, also those that are absent and only have something below them; in key
  /// order.
  package func documentKeys(in collection: CollectionPath) throws(DatabaseError) -> [ListedDocument] {
    var existing: [DocumentKey] = []
    try forEachDocument(of: collection) { key, _ in
      existing.append(key)
      return true
    }
    var parents: [DocumentKey] = []
    var range = KeyRange(KeySchema.everything(in: collection))
    if let afterDocuments = KeySchema.documents(of: collection).upper { range.lower = afterDocuments }
    try translatingErrors {
      while true {
        var found: DocumentKey?
        try view.scan(.documents, range) { key, _ in
          found = try KeySchema.document(of: key).ancestor(in: collection)
          return false
        }
        guard let parent = found else { return }
        parents.append(parent)
        guard let next = KeySchema.everything(below: parent).upper else { return }
        range.lower = next
      }
    }
    return DocumentReader.merge(existing, parents)
  }

  private static func merge(_ existing: [DocumentKey], _ parents: [DocumentKey]) -> [ListedDocument] {
    var result: [ListedDocument] = []
    var rest = parents[...]
    for key in existing {
      while let parent = rest.first, parent.compare(key) == .less {
        result.append(ListedDocument(key: parent, exists: false, hasMore: true))
        rest.removeFirst()
      }
      let hasMore = rest.first == key
      if hasMore { rest.removeFirst() }
      result.append(ListedDocument(key: key, exists: true, hasMore: hasMore))
    }
    return result + rest.map { ListedDocument(key: $0, exists: false, hasMore: true) }
  }

  /// Runs `body` and turns errors of the layers below into this layer's.
  func translatingErrors<R>(_ body: () throws -> R) throws(DatabaseError) -> R {
    do { return try body() } catch { throw DatabaseError(error) }
  }
}

extension KeyRange {
  package init(_ interval: KeyInterval) {
    self.init(lower: interval.lower, upper: interval.upper)
  }
}

extension DocumentKey {
  /// The document directly in `collection` that this one is, or is below; `nil` if it is elsewhere.
  fileprivate func ancestor(in collection: CollectionPath) -> DocumentKey? {
    var key = self
    while key.parent != collection {
      guard let parent = key.parent.parent else { return nil }
      key = parent
    }
    return key
  }
}
