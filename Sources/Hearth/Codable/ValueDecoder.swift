internal import Foundation
internal import HearthModel

/// Decodes one stored value.
///
/// Not thread-safe; used by one decoding call.
final class ValueDecoder: Swift.Decoder {
  struct Options {
    var date: FirebaseDataDecoder.DateDecodingStrategy?
    var data: FirebaseDataDecoder.DataDecodingStrategy = .blob
    var nonConformingFloat: FirebaseDataDecoder.NonConformingFloatDecodingStrategy = .throw
    var key: FirebaseDataDecoder.KeyDecodingStrategy = .useDefaultKeys
    var userInfo: [CodingUserInfoKey: Any] = [:]
  }

  /// What stays the same throughout one decoding call.
  final class Context {
    let options: Options
    /// The document the data comes from; fills ``DocumentID``.
    let reference: DocumentReference?
    /// The database that references in the data belong to.
    let firestore: Firestore?

    init(options: Options, reference: DocumentReference?, firestore: Firestore?) {
      self.options = options
      self.reference = reference
      self.firestore = firestore
    }
  }

  let value: Value
  let context: Context
  let codingPath: [any CodingKey]

  var userInfo: [CodingUserInfoKey: Any] { context.options.userInfo }
  var reference: DocumentReference? { context.reference }

  init(_ value: Value, context: Context, codingPath: [any CodingKey]) {
    self.value = value
    self.context = context
    self.codingPath = codingPath
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(try context.keyedContainer(value, keyedBy: type, at: codingPath))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try context.unkeyedContainer(value, at: codingPath)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    ValueSingleDecodingContainer(value: value, context: context, codingPath: codingPath)
  }
}

extension ValueDecoder.Context {
  typealias Path = [any CodingKey]

  func keyedContainer<Key: CodingKey>(
    _ value: Value, keyedBy type: Key.Type, at path: Path
  ) throws -> ValueKeyedDecodingContainer<Key> {
    guard case .map(let map) = value else { throw mismatch([String: Any].self, value, at: path) }
    return ValueKeyedDecodingContainer(map: converted(map, at: path), context: self, codingPath: path)
  }

  func unkeyedContainer(_ value: Value, at path: Path) throws -> ValueUnkeyedDecodingContainer {
    guard case .array(let array) = value else { throw mismatch([Any].self, value, at: path) }
    return ValueUnkeyedDecodingContainer(array: array, context: self, codingPath: path)
  }

  /// The map with its names as the key strategy turns them into coding keys.
  private func converted(_ map: MapValue, at path: Path) -> MapValue {
    switch options.key {
    case .useDefaultKeys: map
    case .convertFromSnakeCase: MapValue(map.entries.map { (SnakeCase.revert($0.name), $0.value) })
    case .custom(let convert):
      MapValue(map.entries.map { (convert(path + [IndexKey(stringValue: $0.name)]).stringValue, $0.value) })
    }
  }

  func decode(_ type: Bool.Type, _ value: Value, at path: @autoclosure () -> Path) throws -> Bool {
    guard case .boolean(let value) = value else { throw mismatch(type, value, at: path()) }
    return value
  }

  func decode(_ type: String.Type, _ value: Value, at path: @autoclosure () -> Path) throws -> String {
    guard case .string(let value) = value else { throw mismatch(type, value, at: path()) }
    return value
  }

  func decodeInteger<T: FixedWidthInteger>(
    _ type: T.Type, _ value: Value, at path: @autoclosure () -> Path
  ) throws -> T {
    switch value {
    case .integer(let number):
      if let result = T(exactly: number) { return result }
      throw corrupted("\(number) does not fit in \(type).", at: path())
    case .double(let number):
      if let result = T(exactly: number) { return result }
      throw corrupted("\(number) does not fit in \(type).", at: path())
    default: throw mismatch(type, value, at: path())
    }
  }

  func decode(_ type: Double.Type, _ value: Value, at path: @autoclosure () -> Path) throws -> Double {
    switch value {
    case .double(let number): return number
    case .integer(let number): return Double(number)
    case .string(let text):
      guard let number = nonConformingFloat(text) else { throw mismatch(type, value, at: path()) }
      return number
    default: throw mismatch(type, value, at: path())
    }
  }

  func decode(_ type: Float.Type, _ value: Value, at path: @autoclosure () -> Path) throws -> Float {
    if case .string(let text) = value, let number = nonConformingFloat(text) { return Float(number) }
    let number = try decode(Double.self, value, at: path())
    let result = Float(number)
    guard !result.isInfinite else { throw corrupted("\(number) does not fit in Float.", at: path()) }
    return result
  }

  private func nonConformingFloat(_ text: String) -> Double? {
    guard case .convertFromString(let positive, let negative, let nan) = options.nonConformingFloat else { return nil }
    return text == positive ? .infinity : text == negative ? -.infinity : text == nan ? .nan : nil
  }

  func decode<T: Decodable>(_ type: T.Type, _ value: Value, at path: @autoclosure () -> Path) throws -> T {
    // Metatype comparison first: it costs nanoseconds where a cast costs tens. The elements of arrays come here too.
    if type == String.self { return try decode(String.self, value, at: path()) as! T }
    if type == Int.self { return try decodeInteger(Int.self, value, at: path()) as! T }
    if type == Double.self { return try decode(Double.self, value, at: path()) as! T }
    if type == Timestamp.self {
      guard case .timestamp(let timestamp) = value else { throw mismatch(type, value, at: path()) }
      return timestamp as! T
    }
    if type == Date.self { return try decodeDate(value, at: path()) as! T }
    if type == Data.self { return try decodeData(value, at: path()) as! T }
    if type == DocumentReference.self {
      guard case .reference(let key) = value, let firestore else { throw mismatch(type, value, at: path()) }
      return DocumentReference(firestore: firestore, key: key) as! T
    }
    if type == GeoPoint.self {
      guard case .geoPoint(let point) = value else { throw mismatch(type, value, at: path()) }
      return point as! T
    }
    if type == VectorValue.self {
      guard case .vector(let elements) = value else { throw mismatch(type, value, at: path()) }
      return VectorValue(elements) as! T
    }
    if type == URL.self {
      let text = try decode(String.self, value, at: path())
      guard let url = URL(string: text) else { throw corrupted("\(text.quotedForMessage) is not a URL.", at: path()) }
      return url as! T
    }
    if type == Decimal.self {
      if case .integer(let number) = value { return Decimal(number) as! T }
      let number = try decode(Double.self, value, at: path())
      // `Decimal` has no infinity, and stops the process when made from one.
      guard !number.isInfinite else { throw corrupted("\(number) does not fit in Decimal.", at: path()) }
      return Decimal(number) as! T
    }
    if let type = type as? any StringKeyedDecodableDictionary.Type {
      guard case .map(let map) = value else { throw mismatch([String: Any].self, value, at: path()) }
      return try type.decode(map, context: self, at: path()) as! T
    }
    return try T(from: ValueDecoder(value, context: self, codingPath: path()))
  }

  private func decodeDate(_ value: Value, at path: Path) throws -> Date {
    switch options.date {
    case nil:
      guard case .timestamp(let timestamp) = value else { throw mismatch(Date.self, value, at: path) }
      return timestamp.dateValue()
    case .deferredToDate: return try Date(from: ValueDecoder(value, context: self, codingPath: path))
    case .secondsSince1970: return Date(timeIntervalSince1970: try decode(Double.self, value, at: path))
    case .millisecondsSince1970: return Date(timeIntervalSince1970: try decode(Double.self, value, at: path) / 1000)
    case .iso8601:
      let text = try decode(String.self, value, at: path)
      guard let date = ISO8601DateFormatter().date(from: text) else {
        throw corrupted("\(text.quotedForMessage) is not an ISO 8601 date.", at: path)
      }
      return date
    case .formatted(let formatter):
      let text = try decode(String.self, value, at: path)
      guard let date = formatter.date(from: text) else {
        throw corrupted("\(text.quotedForMessage) is not a date of the formatter's.", at: path)
      }
      return date
    case .custom(let body): return try body(ValueDecoder(value, context: self, codingPath: path))
    }
  }

  private func decodeData(_ value: Value, at path: Path) throws -> Data {
    switch options.data {
    case .blob:
      if case .bytes(let bytes) = value { return Data(bytes) }
      return try decodeBase64(value, at: path)
    case .base64: return try decodeBase64(value, at: path)
    case .deferredToData: return try Data(from: ValueDecoder(value, context: self, codingPath: path))
    case .custom(let body): return try body(ValueDecoder(value, context: self, codingPath: path))
    }
  }

  private func decodeBase64(_ value: Value, at path: Path) throws -> Data {
    guard case .string(let text) = value else { throw mismatch(Data.self, value, at: path) }
    guard let data = Data(base64Encoded: text) else { throw corrupted("The string is not base64.", at: path) }
    return data
  }

  func mismatch(_ type: Any.Type, _ value: Value, at path: Path) -> DecodingError {
    if value.isNull {
      return .valueNotFound(type, .init(codingPath: path, debugDescription: "Found null instead of \(type)."))
    }
    return .typeMismatch(
      type, .init(codingPath: path, debugDescription: "Found \(value.type) instead of \(type)."))
  }

  func corrupted(_ message: String, at path: Path) -> DecodingError {
    .dataCorrupted(.init(codingPath: path, debugDescription: message))
  }
}

/// Finds `[String: Decodable]` among generic types: its keys are data, which the key strategy leaves alone.
private protocol StringKeyedDecodableDictionary {
  static func decode(_ map: MapValue, context: ValueDecoder.Context, at path: [any CodingKey]) throws -> Any
}

extension Dictionary: StringKeyedDecodableDictionary where Key == String, Value: Decodable {
  static func decode(_ map: MapValue, context: ValueDecoder.Context, at path: [any CodingKey]) throws -> Any {
    var result = [String: Value](minimumCapacity: map.count)
    for entry in map.entries {
      result[entry.name] = try context.decode(
        Value.self, entry.value, at: path + [IndexKey(stringValue: entry.name)])
    }
    return result
  }
}
