package import HearthModel
internal import HearthStorage

// Queries by scanning: a collection, or the whole tree for a group.
extension DocumentReader {
  private struct Hit {
    let position: QueryMatcher.Position
    let document: Document
  }

  /// The documents that a query finds, in its order.
  ///
  /// Reads every document of the collection (of the database, for a group) unless the query is ordered by key and has a
  /// limit; then it stops there. Of a document only the fields that the query names are decoded until it is a hit. With
  /// a limit no more than that many hits are kept.
  package func documents(matching query: QueryDescription) throws(DatabaseError) -> [Document] {
    try translatingErrors {
      let matcher = try QueryMatcher(query)
      let isReversed = query.limit?.isLast ?? false
      var hits: [Hit]
      if case .collection(let collection) = query.source, matcher.orders.count == 1, matcher.orders[0].path.isDocumentID
      {
        let isDescending = matcher.orders[0].isDescending != isReversed
        hits = try hitsInKeyOrder(matcher, of: collection, descending: isDescending)
      } else if let limit = query.limit {
        hits = try firstHits(limit.count, matcher, reversed: isReversed)
      } else {
        hits = try allHits(matcher)
      }
      if isReversed { hits.reverse() }
      return hits.map(\.document)
    }
  }

  /// Hits in the order of the tree, which is the order of the query; no more than its limit.
  private func hitsInKeyOrder(
    _ matcher: QueryMatcher, of collection: CollectionPath, descending: Bool
  ) throws -> [Hit] {
    let limit = matcher.query.limit?.count ?? .max
    var hits: [Hit] = []
    try forEachDocument(of: collection, descending: descending) { key, document in
      if let position = try matcher.positionInSource(of: EncodedFields(key: key, document: document)) {
        hits.append(Hit(position: position, document: try document.decoded(key)))
      }
      return hits.count < limit
    }
    return hits
  }

  /// The first hits in the query's order, or in its reverse.
  private func firstHits(_ limit: Int, _ matcher: QueryMatcher, reversed: Bool) throws -> [Hit] {
    let wanted: Ordering = reversed ? .greater : .less
    var heap = BoundedHeap<Hit>(capacity: limit) { matcher.compare($0.position, $1.position) == wanted }
    try forEachDocument(of: matcher.query.source) { key, document in
      guard let position = try matcher.positionInSource(of: EncodedFields(key: key, document: document)) else {
        return true
      }
      // Decoding is the dear part, so only what stays is.
      if let last = heap.last, matcher.compare(position, last.position) != wanted { return true }
      heap.insert(Hit(position: position, document: try document.decoded(key)))
      return true
    }
    return heap.sorted()
  }

  private func allHits(_ matcher: QueryMatcher) throws -> [Hit] {
    var hits: [Hit] = []
    try forEachDocument(of: matcher.query.source) { key, document in
      if let position = try matcher.positionInSource(of: EncodedFields(key: key, document: document)) {
        hits.append(Hit(position: position, document: try document.decoded(key)))
      }
      return true
    }
    return hits.sorted { matcher.compare($0.position, $1.position) == .less }
  }

  /// Calls `body` for each document that a query looks at, in the order of the tree, until it returns `false`.
  private func forEachDocument(
    of source: QueryDescription.Source, _ body: (DocumentKey, EncodedDocument) throws -> Bool
  ) throws {
    switch source {
    case .collection(let collection): try forEachDocument(of: collection, body)
    case .group:
      try view.scan(.documents) { key, value in
        let key = try KeySchema.document(of: key)
        return try source.contains(key) ? body(key, EncodedDocument(value)) : true
      }
    }
  }
}

extension EncodedDocument {
  /// The whole document.
  func decoded(_ key: DocumentKey) throws(ModelError) -> Document {
    Document(
      key: key, fields: try fields().decodeMap(), createTime: createTime, updateTime: updateTime, version: version)
  }
}
