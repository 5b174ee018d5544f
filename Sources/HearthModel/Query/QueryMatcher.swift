/// A query ready to be asked: does this document belong to the result, and where in its order?
///
/// Limits are the caller's: they depend on the other documents.
package struct QueryMatcher: Sendable {
  /// Where a document stands in the order of a query.
  package struct Position: Sendable {
    package let key: DocumentKey
    /// One per normalised order.
    package let values: [Value]
  }

  package let query: QueryDescription
  /// ``QueryDescription/normalizedOrders``.
  package let orders: [QueryOrder]

  /// - Throws: What ``QueryDescription/validate(isAggregate:)`` does.
  package init(_ query: QueryDescription, isAggregate: Bool = false) throws(ModelError) {
    try query.validate(isAggregate: isAggregate)
    self.query = query
    orders = query.normalizedOrders
  }

  /// The document's position, or `nil` if it does not belong to the result.
  package func position(of document: some DocumentFields) throws(ModelError) -> Position? {
    guard query.source.contains(document.key) else { return nil }
    return try positionInSource(of: document)
  }

  /// As ``position(of:)`` for a document that is known to come from the query's collection or group.
  package func positionInSource(of document: some DocumentFields) throws(ModelError) -> Position? {
    for filter in query.filters where try !filter.matches(document) { return nil }
    var values: [Value] = []
    values.reserveCapacity(orders.count)
    for order in orders {
      // A document without an ordered field is in no result, whatever its filters say.
      guard let value = try document.fieldOrKey(at: order.path) else { return nil }
      values.append(value)
    }
    if let start = query.start {
      switch compare(values, start.values[...]) {
      case .less: return nil
      case .equal: if !start.isBefore { return nil }
      case .greater: break
      }
    }
    if let end = query.end {
      switch compare(values, end.values[...]) {
      case .less: break
      case .equal: if end.isBefore { return nil }
      case .greater: return nil
      }
    }
    return Position(key: document.key, values: values)
  }

  package func matches(_ document: some DocumentFields) throws(ModelError) -> Bool {
    try position(of: document) != nil
  }

  /// The order of results. Two documents never compare equal: the key decides.
  package func compare(_ left: Position, _ right: Position) -> Ordering {
    compare(left.values, right.values[...])
  }

  /// Over the orders that `bound` has values for.
  private func compare(_ values: [Value], _ bound: ArraySlice<Value>) -> Ordering {
    for (index, value) in zip(values.indices, bound) {
      let ordering = ValueOrder.compare(values[index], value)
      if ordering != .equal { return orders[index].isDescending ? ordering.reversed : ordering }
    }
    return .equal
  }
}
