/// One value of a document, of any type Firestore stores (semantics.md 1).
///
/// `==` and hashing are *identity*: the same stored value, so that `1`, `1.0` and `-0.0` against `0.0` differ while
/// every NaN is the same, and strings are their UTF-8 bytes. Order, and the looser equality of filters, are
/// ``ValueOrder``'s.
///
/// A value is whatever its cases can hold; rules such as "no array directly in an array" are checked by
/// ``ValueRules`` before a value is stored or queried for.
package enum Value: Sendable {
  case null
  case boolean(Bool)
  case integer(Int64)
  case double(Double)
  case timestamp(Timestamp)
  case string(String)
  case bytes([UInt8])
  /// A document of the same database.
  case reference(DocumentKey)
  case geoPoint(GeoPoint)
  case array([Value])
  case vector([Double])
  case map(MapValue)
}

extension Value: Hashable {
  package static func == (left: Value, right: Value) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.boolean(let a), .boolean(let b)): a == b
    case (.integer(let a), .integer(let b)): a == b
    case (.double(let a), .double(let b)): a.isIdentical(to: b)
    case (.timestamp(let a), .timestamp(let b)): a == b
    case (.string(let a), .string(let b)): a.equalsUTF8(b)
    case (.bytes(let a), .bytes(let b)): a == b
    case (.reference(let a), .reference(let b)): a == b
    case (.geoPoint(let a), .geoPoint(let b)):
      a.latitude.isIdentical(to: b.latitude) && a.longitude.isIdentical(to: b.longitude)
    case (.array(let a), .array(let b)): a == b
    case (.vector(let a), .vector(let b)): a.count == b.count && zip(a, b).allSatisfy { $0.isIdentical(to: $1) }
    case (.map(let a), .map(let b)): a == b
    default: false
    }
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(type.rawValue)
    switch self {
    case .null: break
    case .boolean(let value): hasher.combine(value)
    case .integer(let value): hasher.combine(value)
    case .double(let value): hasher.combine(value.identityBits)
    case .timestamp(let value): hasher.combine(value)
    case .string(let value): value.hashUTF8(into: &hasher)
    case .bytes(let value): hasher.combine(value)
    case .reference(let value): hasher.combine(value)
    case .geoPoint(let value):
      hasher.combine(value.latitude.identityBits)
      hasher.combine(value.longitude.identityBits)
    case .array(let value): hasher.combine(value)
    case .vector(let value):
      hasher.combine(value.count)
      for element in value { hasher.combine(element.identityBits) }
    case .map(let value): hasher.combine(value)
    }
  }
}

extension Double {
  /// The bits that decide identity: every NaN is the canonical one.
  package var identityBits: UInt64 { isNaN ? Double.nan.bitPattern : bitPattern }

  package func isIdentical(to other: Double) -> Bool { identityBits == other.identityBits }
}
