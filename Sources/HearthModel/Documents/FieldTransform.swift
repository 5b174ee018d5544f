/// A change of one field that depends on what the field holds (semantics.md 11).
package struct FieldTransform: Hashable, Sendable {
  package enum Operation: Hashable, Sendable {
    /// The operand is a number.
    case increment(Value)
    case maximum(Value)
    case minimum(Value)
    case arrayUnion([Value])
    case arrayRemove([Value])
    case serverTimestamp
  }

  package var path: FieldPath
  package var operation: Operation

  package init(path: FieldPath, operation: Operation) {
    self.path = path
    self.operation = operation
  }

  package func apply(to fields: inout MapValue) {
    fields.set(operation.result(for: fields[path]), at: path)
  }
}

extension FieldTransform.Operation {
  /// The field's new value.
  ///
  /// - Parameter old: What it holds, `nil` if it is missing.
  package func result(for old: Value?) -> Value {
    switch self {
    case .increment(let operand):
      old.map { FieldTransform.Operation.sum($0, operand) } ?? operand
    case .maximum(let operand): extreme(old, operand, prefersOperandWhen: .greater)
    case .minimum(let operand): extreme(old, operand, prefersOperandWhen: .less)
    case .arrayUnion(let elements): .array(union(old, elements))
    case .arrayRemove(let elements):
      .array(
        FieldTransform.Operation.elements(of: old).filter { element in
          !elements.contains { ValueOrder.equal($0, element) }
        })
    case .serverTimestamp: .timestamp(.commitTime)
    }
  }

  /// Integers stay integers and saturate; the operand alone if the field holds no number.
  private static func sum(_ old: Value, _ operand: Value) -> Value {
    switch (old, operand) {
    case (.integer(let a), .integer(let b)):
      let (sum, overflowed) = a.addingReportingOverflow(b)
      return .integer(overflowed ? (b < 0 ? .min : .max) : sum)
    case (.integer(let a), .double(let b)): return .double(Double(a) + b)
    case (.double(let a), .integer(let b)): return .double(a + Double(b))
    case (.double(let a), .double(let b)): return .double(a + b)
    default: return operand
    }
  }

  /// The stored value wins a tie, with its type and sign. NaN wins over everything.
  private func extreme(_ old: Value?, _ operand: Value, prefersOperandWhen ordering: Ordering) -> Value {
    guard let old, old.type == .number else { return operand }
    if old.isNaN { return old }
    return operand.isNaN || ValueOrder.compare(operand, old) == ordering ? operand : old
  }

  private func union(_ old: Value?, _ added: [Value]) -> [Value] {
    var result = FieldTransform.Operation.elements(of: old)
    for element in added where !result.contains(where: { ValueOrder.equal($0, element) }) {
      result.append(element)
    }
    return result
  }

  private static func elements(of value: Value?) -> [Value] {
    if case .array(let elements)? = value { elements } else { [] }
  }
}
