public import Foundation

/// A type that ``ServerTimestamp`` can hold: `Date`, ``Timestamp`` or one of the app's own.
public protocol ServerTimestampWrappable {
  static func wrap(_ timestamp: Timestamp) throws -> Self
  static func unwrap(_ value: Self) throws -> Timestamp
}

extension Date: ServerTimestampWrappable {
  public static func wrap(_ timestamp: Timestamp) throws -> Date { timestamp.dateValue() }
  public static func unwrap(_ value: Date) throws -> Timestamp { Timestamp(date: value) }
}

extension Timestamp: ServerTimestampWrappable {
  public static func wrap(_ timestamp: Timestamp) throws -> Timestamp { timestamp }
  public static func unwrap(_ value: Timestamp) throws -> Timestamp { value }
}

/// Writes the time of the commit when the property is nil, else the property's value. Null and a missing field
/// decode to nil.
@propertyWrapper
public struct ServerTimestamp<Value: ServerTimestampWrappable & Codable>: Codable, DecodableWhenAbsent {
  public var wrappedValue: Value?

  public init(wrappedValue value: Value?) {
    wrappedValue = value
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    wrappedValue = container.decodeNil() ? nil : try Value.wrap(container.decode(Timestamp.self))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    if let wrappedValue {
      try container.encode(Value.unwrap(wrappedValue))
    } else {
      try container.encode(FieldValue.serverTimestamp())
    }
  }
}

extension ServerTimestamp: Equatable where Value: Equatable {}
extension ServerTimestamp: Hashable where Value: Hashable {}
extension ServerTimestamp: Sendable where Value: Sendable {}
