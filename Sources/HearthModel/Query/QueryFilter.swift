/// A condition on documents: comparisons of fields, joined by "and" and "or".
package indirect enum QueryFilter: Hashable, Sendable {
  case field(FieldFilter)
  case and([QueryFilter])
  case or([QueryFilter])

  /// All comparisons in it, composites opened.
  var fieldFilters: [FieldFilter] {
    switch self {
    case .field(let filter): [filter]
    case .and(let filters), .or(let filters): filters.flatMap(\.fieldFilters)
    }
  }

  /// Without empty composites, and composites of one replaced by that one; `nil` if nothing is left.
  var simplified: QueryFilter? {
    func join(_ filters: [QueryFilter], _ make: ([QueryFilter]) -> QueryFilter) -> QueryFilter? {
      let parts = filters.compactMap(\.simplified)
      return parts.count < 2 ? parts.first : make(parts)
    }
    return switch self {
    case .field: self
    case .and(let filters): join(filters, QueryFilter.and)
    case .or(let filters): join(filters, QueryFilter.or)
    }
  }

  /// The same filter with each comparison replaced.
  func mapFields(_ transform: (FieldFilter) throws(ModelError) -> FieldFilter) throws(ModelError) -> QueryFilter {
    func map(_ filters: [QueryFilter]) throws(ModelError) -> [QueryFilter] {
      var result: [QueryFilter] = []
      for filter in filters { result.append(try filter.mapFields(transform)) }
      return result
    }
    switch self {
    case .field(let filter): return .field(try transform(filter))
    case .and(let filters): return .and(try map(filters))
    case .or(let filters): return .or(try map(filters))
    }
  }

  package func matches(_ document: some DocumentFields) throws(ModelError) -> Bool {
    switch self {
    case .field(let filter):
      guard let value = try document.fieldOrKey(at: filter.path) else { return false }
      return filter.matches(value)
    case .and(let filters):
      for filter in filters where try !filter.matches(document) { return false }
      return true
    case .or(let filters):
      for filter in filters where try filter.matches(document) { return true }
      return false
    }
  }
}
