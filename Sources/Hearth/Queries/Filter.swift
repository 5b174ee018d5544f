public import Foundation
internal import HearthModel

/// A condition on documents for ``Query/whereFilter(_:)``: comparisons of fields, joined by "and" and "or".
///
/// A bad value or path makes a filter that carries the error; a query with it fails with `invalidArgument`.
///
/// Threading: immutable.
public final class Filter: NSObject, @unchecked Sendable {
  /// Operands stay as they were given: what database references must be of is known to the query only.
  indirect enum Kind {
    case field(Any, FieldFilter.Comparison, Any)
    case and([Filter])
    case or([Filter])
  }

  private let kind: Kind

  private init(_ kind: Kind) {
    self.kind = kind
  }

  /// All of the filters hold. Without any it is no filter.
  public class func andFilter(_ filters: [Filter]) -> Filter { Filter(.and(filters)) }

  /// At least one of the filters holds. Without any it is no filter.
  public class func orFilter(_ filters: [Filter]) -> Filter { Filter(.or(filters)) }

  func resolved(_ reader: ValueReader, depth: Int = 0) throws(ModelError) -> QueryFilter {
    if depth > Filter.depthMax { throw .invalidArgument("filters are nested more than \(Filter.depthMax) deep") }
    func resolve(_ filters: [Filter]) throws(ModelError) -> [QueryFilter] {
      var result: [QueryFilter] = []
      for filter in filters { result.append(try filter.resolved(reader, depth: depth + 1)) }
      return result
    }
    switch kind {
    case .and(let filters): return .and(try resolve(filters))
    case .or(let filters): return .or(try resolve(filters))
    case .field(let field, let comparison, let operand):
      return .field(
        FieldFilter(
          path: try FieldPath.resolve(field), comparison: comparison,
          operand: try reader.operand(operand, of: comparison)))
    }
  }

  /// Shallow enough for any thread's stack.
  private static let depthMax = 100
}

extension Filter {
  public class func whereField(_ field: String, isEqualTo value: Any) -> Filter {
    Filter(.field(field, .equal, value))
  }

  public class func whereField(_ path: FieldPath, isEqualTo value: Any) -> Filter {
    Filter(.field(path, .equal, value))
  }

  public class func whereField(_ field: String, isNotEqualTo value: Any) -> Filter {
    Filter(.field(field, .notEqual, value))
  }

  public class func whereField(_ path: FieldPath, isNotEqualTo value: Any) -> Filter {
    Filter(.field(path, .notEqual, value))
  }

  public class func whereField(_ field: String, isLessThan value: Any) -> Filter {
    Filter(.field(field, .less, value))
  }

  public class func whereField(_ path: FieldPath, isLessThan value: Any) -> Filter {
    Filter(.field(path, .less, value))
  }

  public class func whereField(_ field: String, isLessThanOrEqualTo value: Any) -> Filter {
    Filter(.field(field, .lessOrEqual, value))
  }

  public class func whereField(_ path: FieldPath, isLessThanOrEqualTo value: Any) -> Filter {
    Filter(.field(path, .lessOrEqual, value))
  }

  public class func whereField(_ field: String, isGreaterThan value: Any) -> Filter {
    Filter(.field(field, .greater, value))
  }

  public class func whereField(_ path: FieldPath, isGreaterThan value: Any) -> Filter {
    Filter(.field(path, .greater, value))
  }

  public class func whereField(_ field: String, isGreaterOrEqualTo value: Any) -> Filter {
    Filter(.field(field, .greaterOrEqual, value))
  }

  public class func whereField(_ path: FieldPath, isGreaterOrEqualTo value: Any) -> Filter {
    Filter(.field(path, .greaterOrEqual, value))
  }

  public class func whereField(_ field: String, arrayContains value: Any) -> Filter {
    Filter(.field(field, .arrayContains, value))
  }

  public class func whereField(_ path: FieldPath, arrayContains value: Any) -> Filter {
    Filter(.field(path, .arrayContains, value))
  }

  public class func whereField(_ field: String, arrayContainsAny values: [Any]) -> Filter {
    Filter(.field(field, .arrayContainsAny, values))
  }

  public class func whereField(_ path: FieldPath, arrayContainsAny values: [Any]) -> Filter {
    Filter(.field(path, .arrayContainsAny, values))
  }

  public class func whereField(_ field: String, in values: [Any]) -> Filter {
    Filter(.field(field, .isIn, values))
  }

  public class func whereField(_ path: FieldPath, in values: [Any]) -> Filter {
    Filter(.field(path, .isIn, values))
  }

  public class func whereField(_ field: String, notIn values: [Any]) -> Filter {
    Filter(.field(field, .notIn, values))
  }

  public class func whereField(_ path: FieldPath, notIn values: [Any]) -> Filter {
    Filter(.field(path, .notIn, values))
  }

  // Spelled as in `Query`, where the SDK has `isGreaterOrEqualTo` only.
  public class func whereField(_ field: String, isGreaterThanOrEqualTo value: Any) -> Filter {
    Filter(.field(field, .greaterOrEqual, value))
  }

  public class func whereField(_ path: FieldPath, isGreaterThanOrEqualTo value: Any) -> Filter {
    Filter(.field(path, .greaterOrEqual, value))
  }
}
