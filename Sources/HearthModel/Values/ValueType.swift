/// The types of values in their order (semantics.md 2.1). Integers and doubles are one type.
package enum ValueType: UInt8, Comparable, Sendable {
  case null
  case boolean
  case number
  case timestamp
  case string
  case bytes
  case reference
  case geoPoint
  case array
  case vector
  case map

  package static func < (left: ValueType, right: ValueType) -> Bool { left.rawValue < right.rawValue }
}

extension Value {
  package var type: ValueType {
    switch self {
    case .null: .null
    case .boolean: .boolean
    case .integer, .double: .number
    case .timestamp: .timestamp
    case .string: .string
    case .bytes: .bytes
    case .reference: .reference
    case .geoPoint: .geoPoint
    case .array: .array
    case .vector: .vector
    case .map: .map
    }
  }

  package var isNull: Bool { if case .null = self { true } else { false } }

  package var isNaN: Bool { if case .double(let value) = self { value.isNaN } else { false } }
}
