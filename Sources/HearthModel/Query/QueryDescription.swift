/// What a query asks for (semantics.md 3 to 7). A value: each call gives a new one, checked as far as it can be.
package struct QueryDescription: Hashable, Sendable {
  package enum Source: Hashable, Sendable {
    /// The documents of one collection.
    case collection(CollectionPath)
    /// The documents of every collection with this id, at any depth.
    case group(String)
  }

  package struct Limit: Hashable, Sendable {
    package var count: Int
    /// The last of the results instead of the first; they keep their order.
    package var isLast: Bool
  }

  package let source: Source
  /// All must hold.
  package private(set) var filters: [QueryFilter] = []
  /// As the caller gave them; what the results are ordered by is ``normalizedOrders``.
  package private(set) var orders: [QueryOrder] = []
  package private(set) var start: QueryBound?
  package private(set) var end: QueryBound?
  package private(set) var limit: Limit?

  package init(collection: CollectionPath) { source = .collection(collection) }

  package init(collectionGroup id: String) throws(ModelError) {
    try ResourcePath.check(id: id, as: .collection)
    source = .group(id)
  }
}

extension QueryDescription.Source {
  package static func == (left: Self, right: Self) -> Bool {
    switch (left, right) {
    case (.collection(let a), .collection(let b)): a == b
    case (.group(let a), .group(let b)): a.equalsUTF8(b)
    default: false
    }
  }

  package func hash(into hasher: inout Hasher) {
    switch self {
    case .collection(let path): hasher.combine(path)
    case .group(let id): id.hashUTF8(into: &hasher)
    }
  }

  /// Whether documents with this key are asked for.
  package func contains(_ key: DocumentKey) -> Bool {
    switch self {
    case .collection(let path): key.parent == path
    case .group(let id): key.parent.collectionID.equalsUTF8(id)
    }
  }
}

// MARK: Building

extension QueryDescription {
  package func filtering(_ filter: QueryFilter) throws(ModelError) -> QueryDescription {
    guard let filter = filter.simplified else { return self }
    var query = self
    query.filters.append(try filter.mapFields { field throws(ModelError) in try normalized(field) })
    try query.checkCombinations()
    return query
  }

  package func filtering(
    _ path: FieldPath, _ comparison: FieldFilter.Comparison, _ operand: Value
  ) throws(ModelError) -> QueryDescription {
    try filtering(.field(FieldFilter(path: path, comparison: comparison, operand: operand)))
  }

  package func ordering(by path: FieldPath, descending: Bool = false) throws(ModelError) -> QueryDescription {
    if start != nil || end != nil {
      throw .invalidArgument("an order by \(path.canonicalText.quotedForMessage) must come before start and end")
    }
    var query = self
    query.orders.append(QueryOrder(path: path, isDescending: descending))
    return query
  }

  /// The first `count` results; replaces any limit.
  package func limiting(to count: Int) throws(ModelError) -> QueryDescription {
    try limiting(Limit(count: count, isLast: false))
  }

  /// The last `count` results, in the query's order; replaces any limit.
  package func limiting(toLast count: Int) throws(ModelError) -> QueryDescription {
    try limiting(Limit(count: count, isLast: true))
  }

  private func limiting(_ limit: Limit) throws(ModelError) -> QueryDescription {
    if limit.count <= 0 { throw .invalidArgument("the limit of a query is \(limit.count); it must be positive") }
    var query = self
    query.limit = limit
    return query
  }

  /// Starts at these values of the first orders, with the documents that have them if `isInclusive`.
  package func starting(at values: [Value], isInclusive: Bool) throws(ModelError) -> QueryDescription {
    var query = self
    query.start = QueryBound(values: try boundValues(values), isBefore: isInclusive)
    return query
  }

  package func ending(at values: [Value], isInclusive: Bool) throws(ModelError) -> QueryDescription {
    var query = self
    query.end = QueryBound(values: try boundValues(values), isBefore: !isInclusive)
    return query
  }

  /// Starts exactly at a document, by its content as given.
  package func starting(at document: some DocumentFields, isInclusive: Bool) throws(ModelError) -> QueryDescription {
    var query = self
    query.start = QueryBound(values: try boundValues(document), isBefore: isInclusive)
    return query
  }

  package func ending(at document: some DocumentFields, isInclusive: Bool) throws(ModelError) -> QueryDescription {
    var query = self
    query.end = QueryBound(values: try boundValues(document), isBefore: !isInclusive)
    return query
  }

  private func boundValues(_ values: [Value]) throws(ModelError) -> [Value] {
    if values.count > orders.count {
      throw .invalidArgument("a cursor has \(values.count) values; the query has \(orders.count) orders to match them")
    }
    var result: [Value] = []
    for (value, order) in zip(values, orders) {
      if order.path.isDocumentID {
        guard case .string(let text) = value else {
          throw .invalidArgument("a cursor needs a string for the document id")
        }
        result.append(.reference(try key(text)))
      } else {
        result.append(try ValueRules.operand(value, of: order.path))
      }
    }
    return result
  }

  private func boundValues(_ document: some DocumentFields) throws(ModelError) -> [Value] {
    var result: [Value] = []
    for order in normalizedOrders {
      guard let value = try document.fieldOrKey(at: order.path) else {
        throw .invalidArgument(
          "a cursor cannot be at document \(document.key.path.quotedForMessage): it has no field "
            + order.path.canonicalText.quotedForMessage)
      }
      result.append(value)
    }
    return result
  }
}

// MARK: Operands

extension QueryDescription {
  /// Checks one comparison alone and brings its operand into stored form.
  private func normalized(_ filter: FieldFilter) throws(ModelError) -> FieldFilter {
    var filter = filter
    let name = filter.comparison.rawValue
    if filter.path.isDocumentID, filter.comparison == .arrayContains || filter.comparison == .arrayContainsAny {
      throw .invalidArgument("a document id cannot be compared by \"\(name)\"")
    }
    if filter.comparison.takesList {
      guard case .array(let elements) = filter.operand else {
        throw .invalidArgument("\"\(name)\" on \(filter.path.canonicalText.quotedForMessage) needs a list")
      }
      if elements.isEmpty {
        throw .invalidArgument(
          "\"\(name)\" on \(filter.path.canonicalText.quotedForMessage) needs a list that is not empty")
      }
      var operands: [Value] = []
      for element in elements { operands.append(try operand(element, of: filter.path)) }
      filter.operand = .array(operands)
    } else {
      filter.operand = try operand(filter.operand, of: filter.path)
    }
    return filter
  }

  private func operand(_ value: Value, of path: FieldPath) throws(ModelError) -> Value {
    guard path.isDocumentID else { return try ValueRules.operand(value, of: path) }
    switch value {
    case .reference: return value
    case .string(let text): return .reference(try key(text))
    default: throw .invalidArgument("a document id must be compared with a string or a reference")
    }
  }

  /// The key that a string stands for: an id in a collection, a whole path in a group.
  private func key(_ text: String) throws(ModelError) -> DocumentKey {
    switch source {
    case .collection(let path):
      if text.utf8.isEmpty { throw .invalidArgument("a document id is compared with an empty string") }
      if text.utf8.contains(ResourcePath.slash) {
        throw .invalidArgument(
          "a document id is compared with \(text.quotedForMessage); in a collection it must not contain a slash")
      }
      // A place between ids need not be an id that a document could have.
      return DocumentKey(normal: path.path + "/" + text)
    case .group: return try DocumentKey(text)
    }
  }

  private func checkCombinations() throws(ModelError) {
    let used = filters.flatMap(\.fieldFilters).map(\.comparison)
    let notEqual = used.count { $0 == .notEqual }
    let notIn = used.count { $0 == .notIn }
    if notEqual + notIn > 1 {
      throw .invalidArgument("a query can have one \"!=\" or one \"not-in\", not \(notEqual + notIn) of them")
    }
    if notIn > 0, let other = used.first(where: { $0 == .isIn || $0 == .arrayContainsAny }) {
      throw .invalidArgument("a query cannot have both \"not-in\" and \"\(other.rawValue)\"")
    }
  }
}

// MARK: Order

extension QueryDescription {
  /// What results are ordered by: the explicit orders, the fields of inequalities, the key (semantics.md 5.1).
  package var normalizedOrders: [QueryOrder] {
    var result = orders
    let isDescending = orders.last?.isDescending ?? false
    let inequalities = filters.flatMap(\.fieldFilters).filter { $0.comparison.isInequality && !$0.path.isDocumentID }
    for path in inequalities.map(\.path).sorted() where !result.contains(where: { $0.path == path }) {
      result.append(QueryOrder(path: path, isDescending: isDescending))
    }
    if !result.contains(where: \.path.isDocumentID) {
      result.append(QueryOrder(path: .documentID, isDescending: isDescending))
    }
    return result
  }

  /// What can be checked only when the query is complete; call it before running it.
  ///
  /// - Parameter isAggregate: Aggregates take the last by key where there is no order.
  package func validate(isAggregate: Bool = false) throws(ModelError) {
    let normalized = normalizedOrders
    if let place = normalized.firstIndex(where: \.path.isDocumentID), place < normalized.count - 1 {
      throw .invalidArgument(
        "the query orders by the document id before \(normalized[place + 1].path.canonicalText.quotedForMessage); nothing "
          + "can follow the document id")
    }
    if limit?.isLast == true, orders.isEmpty, !isAggregate {
      throw .invalidArgument("a limit to the last results needs at least one explicit order")
    }
  }
}
