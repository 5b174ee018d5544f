/// One comparison of a field, or of the document's key, with an operand (semantics.md 4).
package struct FieldFilter: Hashable, Sendable {
  package enum Comparison: String, Hashable, Sendable, CaseIterable {
    case equal = "=="
    case notEqual = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case isIn = "in"
    case notIn = "not-in"
    case arrayContains = "array-contains"
    case arrayContainsAny = "array-contains-any"

    /// Orders the result by its field.
    package var isInequality: Bool {
      switch self {
      case .less, .lessOrEqual, .greater, .greaterOrEqual, .notEqual, .notIn: true
      case .equal, .isIn, .arrayContains, .arrayContainsAny: false
      }
    }

    /// Its operand is a list.
    package var takesList: Bool {
      switch self {
      case .isIn, .notIn, .arrayContainsAny: true
      default: false
      }
    }
  }

  /// ``FieldPath/documentID`` for the document's key.
  package var path: FieldPath
  package var comparison: Comparison
  /// The list, as an array, where the comparison takes one.
  package var operand: Value

  package init(path: FieldPath, comparison: Comparison, operand: Value) {
    self.path = path
    self.comparison = comparison
    self.operand = operand
  }

  /// Whether a value that exists passes.
  package func matches(_ value: Value) -> Bool {
    switch comparison {
    case .equal: ValueOrder.equal(value, operand)
    case .notEqual: !value.isNull && !ValueOrder.equal(value, operand)
    case .less: inRange(value) { $0 == .less }
    case .lessOrEqual: inRange(value) { $0 != .greater }
    case .greater: inRange(value) { $0 == .greater }
    case .greaterOrEqual: inRange(value) { $0 != .less }
    case .isIn: FieldFilter.isComparable(value) && list.contains { ValueOrder.equal(value, $0) }
    case .notIn: !value.isNull && !list.contains { $0.isNull || ValueOrder.equal(value, $0) }
    case .arrayContains:
      FieldFilter.isComparable(operand) && FieldFilter.elements(value).contains { ValueOrder.equal($0, operand) }
    case .arrayContainsAny:
      FieldFilter.elements(value).contains { element in
        FieldFilter.isComparable(element) && list.contains { ValueOrder.equal(element, $0) }
      }
    }
  }

  /// Only within the operand's type; NaN is in no range of numbers, and no range but "at NaN" has NaN for a bound.
  private func inRange(_ value: Value, _ holds: (Ordering) -> Bool) -> Bool {
    guard value.type == operand.type else { return false }
    if value.isNaN || operand.isNaN { return value.isNaN && operand.isNaN && holds(.equal) }
    return holds(ValueOrder.compare(value, operand))
  }

  /// What `in` and the array operators can find at all.
  private static func isComparable(_ value: Value) -> Bool { !value.isNull && !value.isNaN }

  private var list: [Value] { FieldFilter.elements(operand) }

  private static func elements(_ value: Value) -> [Value] {
    if case .array(let elements) = value { elements } else { [] }
  }
}
