internal import HearthModel

// Order, limits and cursors. A bad one makes a query that fails with `invalidArgument` when it is run.
extension Query {
  /// Sorts by a field, ascending. Documents without the field are not found. `field` is a dot path.
  public func order(by field: String) -> Query { ordered(field, descending: false) }

  /// Sorts by a field, ascending. Documents without the field are not found.
  public func order(by path: FieldPath) -> Query { ordered(path, descending: false) }

  /// Sorts by a field. Documents without the field are not found. `field` is a dot path.
  public func order(by field: String, descending: Bool) -> Query { ordered(field, descending: descending) }

  /// Sorts by a field. Documents without the field are not found.
  public func order(by path: FieldPath, descending: Bool) -> Query { ordered(path, descending: descending) }

  private func ordered(_ field: Any, descending: Bool) -> Query {
    adding { query throws(ModelError) in try query.ordering(by: FieldPath.resolve(field), descending: descending) }
  }

  /// The first `limit` documents in the query's order; replaces any limit. Must be positive.
  public func limit(to limit: Int) -> Query {
    adding { query throws(ModelError) in try query.limiting(to: limit) }
  }

  /// The last `limit` documents, in the query's order; replaces any limit. Must be positive; needs an `order(by:)`.
  public func limit(toLast limit: Int) -> Query {
    adding { query throws(ModelError) in try query.limiting(toLast: limit) }
  }
}

extension Query {
  /// Starts at a document, by the content of the snapshot.
  public func start(atDocument document: DocumentSnapshot) -> Query {
    bounded(document) { query, document throws(ModelError) in try query.starting(at: document, isInclusive: true) }
  }

  /// Starts behind a document, by the content of the snapshot.
  public func start(afterDocument document: DocumentSnapshot) -> Query {
    bounded(document) { query, document throws(ModelError) in try query.starting(at: document, isInclusive: false) }
  }

  /// Ends before a document, by the content of the snapshot.
  public func end(beforeDocument document: DocumentSnapshot) -> Query {
    bounded(document) { query, document throws(ModelError) in try query.ending(at: document, isInclusive: false) }
  }

  /// Ends with a document, by the content of the snapshot.
  public func end(atDocument document: DocumentSnapshot) -> Query {
    bounded(document) { query, document throws(ModelError) in try query.ending(at: document, isInclusive: true) }
  }

  /// Starts at the values of the first `order(by:)` fields, one each.
  public func start(at fieldValues: [Any]) -> Query {
    bounded(fieldValues) { query, values throws(ModelError) in try query.starting(at: values, isInclusive: true) }
  }

  /// Starts behind the values of the first `order(by:)` fields, one each.
  public func start(after fieldValues: [Any]) -> Query {
    bounded(fieldValues) { query, values throws(ModelError) in try query.starting(at: values, isInclusive: false) }
  }

  /// Ends before the values of the first `order(by:)` fields, one each.
  public func end(before fieldValues: [Any]) -> Query {
    bounded(fieldValues) { query, values throws(ModelError) in try query.ending(at: values, isInclusive: false) }
  }

  /// Ends with the values of the first `order(by:)` fields, one each.
  public func end(at fieldValues: [Any]) -> Query {
    bounded(fieldValues) { query, values throws(ModelError) in try query.ending(at: values, isInclusive: true) }
  }

  private func bounded(
    _ fieldValues: [Any], _ bound: (QueryDescription, [Value]) throws(ModelError) -> QueryDescription
  ) -> Query {
    adding { query throws(ModelError) in
      let reader = ValueReader(firestore: firestore, use: .comparing)
      var values: [Value] = []
      for value in fieldValues { values.append(try reader.value(value)) }
      return try bound(query, values)
    }
  }

  private func bounded(
    _ snapshot: DocumentSnapshot, _ bound: (QueryDescription, Document) throws(ModelError) -> QueryDescription
  ) -> Query {
    adding { query throws(ModelError) in
      let path = snapshot.reference.path.quotedForMessage
      guard firestore.isSameDatabase(as: snapshot.reference.firestore) else {
        throw .invalidArgument("a cursor cannot be at document \(path): it is of another database")
      }
      guard let document = snapshot.document else {
        throw .invalidArgument("a cursor cannot be at document \(path): it does not exist")
      }
      return try bound(query, document)
    }
  }
}

extension Query {
  /// Adds a composite filter.
  public func whereFilter(_ filter: Filter) -> Query {
    adding { query throws(ModelError) in
      try query.filtering(filter.resolved(ValueReader(firestore: firestore, use: .comparing)))
    }
  }
}

extension Firestore {
  /// The documents of every collection whose last path segment is `collectionID`, at any depth.
  public func collectionGroup(_ collectionID: String) -> Query {
    Query(
      firestore: self,
      query: Result { () throws(ModelError) in try QueryDescription(collectionGroup: collectionID) })
  }
}
