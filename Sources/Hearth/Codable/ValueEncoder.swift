internal import Foundation

/// Encodes one value into an ``EncodedNode``.
///
/// Types that a document holds natively (``Timestamp``, ``GeoPoint``, ``DocumentReference``, ``VectorValue``,
/// ``FieldValue``) pass through unchanged. Not thread-safe; used by one encoding call.
final class ValueEncoder: Swift.Encoder {
  struct Options {
    var date: FirebaseDataEncoder.DateEncodingStrategy?
    var data: FirebaseDataEncoder.DataEncodingStrategy = .blob
    var nonConformingFloat: FirebaseDataEncoder.NonConformingFloatEncodingStrategy = .throw
    var key: FirebaseDataEncoder.KeyEncodingStrategy = .useDefaultKeys
    var userInfo: [CodingUserInfoKey: Any] = [:]
  }

  /// Deeper than any document, and shallow enough for any thread's stack.
  private static let depthMax = 64

  let options: Options
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { options.userInfo }

  /// `nil` until something was encoded.
  var value: EncodedNode?
  /// Set by a property that is never written (``DocumentID``).
  var isOmitted = false

  init(options: Options, codingPath: [any CodingKey]) {
    self.options = options
    self.codingPath = codingPath
  }

  /// A type that encoded nothing is an empty map.
  var result: EncodedNode { value ?? .map(EncodedNode.MapBox()) }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(ValueKeyedEncodingContainer<Key>(encoder: self, map: mapBox(), codingPath: codingPath))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    ValueUnkeyedEncodingContainer(encoder: self, array: arrayBox(), codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    ValueSingleEncodingContainer(encoder: self)
  }

  private func mapBox() -> EncodedNode.MapBox {
    if case .map(let box) = value { return box }
    let box = EncodedNode.MapBox()
    value = .map(box)
    return box
  }

  private func arrayBox() -> EncodedNode.ArrayBox {
    if case .array(let box) = value { return box }
    let box = EncodedNode.ArrayBox()
    value = .array(box)
    return box
  }
}

extension ValueEncoder {
  func encodeNumber(_ value: Double, at path: @autoclosure () -> [any CodingKey]) throws -> EncodedNode {
    guard !value.isFinite else { return .double(value) }
    switch options.nonConformingFloat {
    case .throw:
      throw EncodingError.invalidValue(
        value,
        .init(codingPath: path(), debugDescription: "\(value) needs nonConformingFloatEncodingStrategy."))
    case .convertToString(let positive, let negative, let nan):
      return .string(value.isNaN ? nan : value > 0 ? positive : negative)
    }
  }

  func encodeNumber(_ value: Float, at path: @autoclosure () -> [any CodingKey]) throws -> EncodedNode {
    try encodeNumber(Double(value), at: path())
  }

  func encodeInteger(_ value: some FixedWidthInteger) -> EncodedNode {
    if let value = Int64(exactly: value) { return .integer(value) }
    return .unsigned(UInt64(truncatingIfNeeded: value))
  }

  /// Encodes any other type; `nil` for a value that is never written.
  func encode<T: Encodable>(_ value: T, at path: @autoclosure () -> [any CodingKey]) throws -> EncodedNode? {
    // Metatype comparison first: it costs nanoseconds where a cast of the value costs tens. The elements of arrays
    // come here too.
    if T.self == String.self { return .string(value as! String) }
    if T.self == Double.self { return try encodeNumber(value as! Double, at: path()) }
    if T.self == Int.self { return .integer(Int64(value as! Int)) }
    if T.self == Date.self { return try encodeDate(value as! Date, at: path()) }
    if T.self == Timestamp.self { return .timestamp(value as! Timestamp) }
    if T.self == Data.self { return try encodeData(value as! Data, at: path()) }
    if T.self == DocumentReference.self { return .reference(value as! DocumentReference) }
    if T.self == GeoPoint.self { return .geoPoint(value as! GeoPoint) }
    if T.self == VectorValue.self { return .vector(value as! VectorValue) }
    if T.self == FieldValue.self { return .sentinel(value as! FieldValue) }
    if T.self == URL.self { return .string((value as! URL).absoluteString) }
    if T.self == Decimal.self {
      return try encodeNumber(NSDecimalNumber(decimal: value as! Decimal).doubleValue, at: path())
    }
    if T.self is any StringKeyedDictionary.Type {
      return try encodeDictionary(value as! any StringKeyedDictionary, at: path())
    }
    return try encodeNested(at: path()) { try value.encode(to: $0) }
  }

  private func encodeNested(
    at path: [any CodingKey], _ body: (ValueEncoder) throws -> Void
  ) throws -> EncodedNode? {
    if path.count > ValueEncoder.depthMax {
      throw EncodingError.invalidValue(
        path.count, .init(codingPath: path, debugDescription: "The value is nested too deep, perhaps without end."))
    }
    let encoder = ValueEncoder(options: options, codingPath: path)
    try body(encoder)
    return encoder.isOmitted ? nil : encoder.result
  }

  private func encodeDate(_ date: Date, at path: [any CodingKey]) throws -> EncodedNode? {
    switch options.date {
    case nil: return .timestamp(Timestamp(date: date))
    case .deferredToDate: return try encodeNested(at: path) { try date.encode(to: $0) }
    case .secondsSince1970: return .double(date.timeIntervalSince1970)
    case .millisecondsSince1970: return .double(date.timeIntervalSince1970 * 1000)
    case .iso8601: return .string(ISO8601DateFormatter().string(from: date))
    case .formatted(let formatter): return .string(formatter.string(from: date))
    case .custom(let body): return try encodeNested(at: path) { try body(date, $0) }
    }
  }

  private func encodeData(_ data: Data, at path: [any CodingKey]) throws -> EncodedNode? {
    switch options.data {
    case .blob: return .bytes(data)
    case .base64: return .string(data.base64EncodedString())
    case .deferredToData: return try encodeNested(at: path) { try data.encode(to: $0) }
    case .custom(let body): return try encodeNested(at: path) { try body(data, $0) }
    }
  }

  /// Dictionaries with string keys skip the key strategy: their keys are data.
  private func encodeDictionary(
    _ dictionary: any StringKeyedDictionary, at path: [any CodingKey]
  ) throws -> EncodedNode {
    let map = EncodedNode.MapBox()
    for (name, value) in dictionary.encodableEntries {
      if let encoded = try encode(value, at: path + [IndexKey(stringValue: name)]) { map.set(name, encoded) }
    }
    return .map(map)
  }
}

/// Finds `[String: Encodable]` among generic values.
private protocol StringKeyedDictionary {
  var encodableEntries: [(String, any Encodable)] { get }
}

extension Dictionary: StringKeyedDictionary where Key == String, Value: Encodable {
  var encodableEntries: [(String, any Encodable)] { map { ($0.key, $0.value) } }
}
