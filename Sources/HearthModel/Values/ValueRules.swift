/// What a value must keep to be stored or to be an operand (semantics.md 1 and 9.3), and the form it is stored in.
package enum ValueRules {
  /// How deep maps and arrays may nest below the document.
  package static let depthMax = 20
  package static let vectorDimensionsMax = 2048

  /// Of a type all of whose values are storable as they are.
  static func isAlwaysStorable(_ value: Value) -> Bool {
    switch value {
    case .null, .boolean, .integer, .string, .bytes, .reference: true
    case .double(let value): value.bitPattern == value.identityBits
    case .timestamp, .geoPoint, .array, .vector, .map: false
    }
  }

  /// Checks the fields of a document and brings them into stored form: timestamps cut to microseconds, one NaN.
  package static func storable(_ fields: MapValue) throws(ModelError) -> MapValue {
    guard case .map(let map) = try storable(.map(fields), at: [], depth: 0) else { return fields }
    return map
  }

  /// Checks a value that is to be written at `path`, below the document or below a map of `depth` - 1 others.
  ///
  /// - Parameters:
  ///   - path: The names that lead to the value, for messages.
  ///   - depth: How many maps and arrays hold the value, the document itself not counted.
  static func storable(_ value: Value, at path: [String], depth: Int) throws(ModelError) -> Value {
    try check(value, at: path, depth: depth, checksNames: true)
  }

  /// Checks a value that a query compares with. Names of fields in it are not restricted.
  package static func operand(_ value: Value, of path: FieldPath) throws(ModelError) -> Value {
    try check(value, at: path.segments, depth: 1, checksNames: false)
  }

  private static func check(
    _ value: Value, at path: [String], depth: Int, checksNames: Bool
  ) throws(ModelError) -> Value {
    var walk = Walk(checksNames: checksNames)
    if let fault = walk.fault(in: value, depth: depth) {
      let steps = path.map(Step.name) + fault.trail.reversed()
      throw .invalidArgument(steps.isEmpty ? fault.message : "\(fault.message) (at \(place(steps)))")
    }
    return walk.needsNormalizing ? normalized(value) : value
  }

  static func place(_ names: [String]) -> String { place(names.map(Step.name)) }

  private static func place(_ steps: [Step]) -> String {
    var text = ""
    for step in steps {
      switch step {
      case .name(let name):
        if !text.isEmpty { text += "." }
        text += name.utf8.isEmpty ? "\"\"" : FieldPath(name: name).canonicalText
      case .index(let index): text += "[\(index)]"
      }
    }
    return text.quotedForMessage
  }

  /// One step from a document into it; for messages.
  private enum Step {
    case name(String)
    case index(Int)
  }

  private struct Fault {
    var message: String
    /// Steps from the fault outwards.
    var trail: [Step] = []
  }

  private struct Walk {
    let checksNames: Bool
    var needsNormalizing = false

    mutating func fault(in value: Value, depth: Int) -> Fault? {
      switch value {
      case .null, .boolean, .integer, .string, .bytes, .reference: return nil
      case .double(let value):
        if value.bitPattern != value.identityBits { needsNormalizing = true }
        return nil
      case .timestamp(let value):
        if !value.isValid {
          return Fault(message: "\(value) is out of range: it must be in the years 1 to 9999, nanoseconds below 10^9")
        }
        if value.nanoseconds % 1000 != 0 { needsNormalizing = true }
        return nil
      case .geoPoint(let value):
        if value.isValid { return nil }
        return Fault(message: "\(value) is out of range: latitude must be within ±90 and longitude within ±180")
      case .vector(let value):
        if value.count > vectorDimensionsMax {
          return Fault(message: "a vector has \(value.count) dimensions; at most \(vectorDimensionsMax) are allowed")
        }
        if value.contains(where: { $0.bitPattern != $0.identityBits }) { needsNormalizing = true }
        return nil
      case .array(let elements):
        if depth > depthMax { return tooDeep }
        for (index, element) in elements.enumerated() {
          if case .array = element {
            return Fault(message: "an array is an element of an array", trail: [.index(index)])
          }
          if var fault = fault(in: element, depth: depth + 1) {
            fault.trail.append(.index(index))
            return fault
          }
        }
        return nil
      case .map(let map):
        if depth > depthMax { return tooDeep }
        for entry in map.entries {
          if checksNames, let message = FieldName.fault(in: entry.name) { return Fault(message: message) }
          if var fault = fault(in: entry.value, depth: depth + 1) {
            fault.trail.append(.name(entry.name))
            return fault
          }
        }
        return nil
      }
    }

    private var tooDeep: Fault { Fault(message: "maps and arrays are nested more than \(depthMax) deep") }
  }

  private static func normalized(_ value: Value) -> Value {
    switch value {
    case .double(let value): .double(Double(bitPattern: value.identityBits))
    case .timestamp(let value): .timestamp(value.flooredToMicroseconds)
    case .vector(let value): .vector(value.map { Double(bitPattern: $0.identityBits) })
    case .array(let value): .array(value.map(normalized))
    case .map(let value):
      .map(MapValue(sorted: value.entries.map { .init(name: $0.name, value: normalized($0.value)) }))
    default: value
    }
  }
}
