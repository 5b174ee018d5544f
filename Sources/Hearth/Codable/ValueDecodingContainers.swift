internal import HearthModel

/// Reads the properties of one map.
struct ValueKeyedDecodingContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let map: MapValue
  let context: ValueDecoder.Context
  let codingPath: [any CodingKey]

  var allKeys: [Key] { map.entries.compactMap { Key(stringValue: $0.name) } }

  func contains(_ key: Key) -> Bool { map[key.stringValue] != nil }

  private func value(_ key: Key) throws -> Value {
    guard let value = map[key.stringValue] else { throw notFound(key) }
    return value
  }

  private func notFound(_ key: Key) -> DecodingError {
    .keyNotFound(
      key, .init(codingPath: codingPath, debugDescription: "There is no field \(key.stringValue.quotedForMessage)."))
  }

  func decodeNil(forKey key: Key) throws -> Bool { try value(key).isNull }
  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
    try context.decode(type, value(key), at: codingPath + [key])
  }
  func decode(_ type: String.Type, forKey key: Key) throws -> String {
    try context.decode(type, value(key), at: codingPath + [key])
  }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
    try context.decode(type, value(key), at: codingPath + [key])
  }
  func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
    try context.decode(type, value(key), at: codingPath + [key])
  }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try integer(type, key) }
  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try integer(type, key) }
  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try integer(type, key) }
  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try integer(type, key) }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try integer(type, key) }
  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try integer(type, key) }
  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try integer(type, key) }
  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try integer(type, key) }
  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try integer(type, key) }
  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try integer(type, key) }

  private func integer<T: FixedWidthInteger>(_ type: T.Type, _ key: Key) throws -> T {
    try context.decodeInteger(type, value(key), at: codingPath + [key])
  }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    guard let value = map[key.stringValue] else {
      // Only on this rare path, because the cast is slow.
      guard type is any DecodableWhenAbsent.Type else { throw notFound(key) }
      return try T(from: ValueDecoder(.null, context: context, codingPath: codingPath + [key]))
    }
    return try context.decode(type, value, at: codingPath + [key])
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    KeyedDecodingContainer(try context.keyedContainer(value(key), keyedBy: type, at: codingPath + [key]))
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try context.unkeyedContainer(value(key), at: codingPath + [key])
  }

  func superDecoder() throws -> any Swift.Decoder {
    ValueDecoder(map[IndexKey.super.stringValue] ?? .null, context: context, codingPath: codingPath + [IndexKey.super])
  }

  func superDecoder(forKey key: Key) throws -> any Swift.Decoder {
    ValueDecoder(map[key.stringValue] ?? .null, context: context, codingPath: codingPath + [key])
  }
}

/// Reads the elements of one array.
struct ValueUnkeyedDecodingContainer: UnkeyedDecodingContainer {
  let array: [Value]
  let context: ValueDecoder.Context
  let codingPath: [any CodingKey]
  private(set) var currentIndex = 0

  init(array: [Value], context: ValueDecoder.Context, codingPath: [any CodingKey]) {
    self.array = array
    self.context = context
    self.codingPath = codingPath
  }

  var count: Int? { array.count }
  var isAtEnd: Bool { currentIndex >= array.count }
  private var path: [any CodingKey] { codingPath + [IndexKey(index: currentIndex)] }

  /// Hands the next element to `body` and moves on only if that succeeds, as the protocol asks.
  private mutating func next<R>(
    _ type: Any.Type, _ body: (Value, ValueDecoder.Context, _ path: () -> [any CodingKey]) throws -> R
  ) throws -> R {
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(
        type, .init(codingPath: path, debugDescription: "The array ends after \(array.count) elements."))
    }
    let result = try body(array[currentIndex], context) { path }
    currentIndex += 1
    return result
  }

  mutating func decodeNil() throws -> Bool {
    guard !isAtEnd else { return try next(Any?.self) { _, _, _ in true } }
    guard array[currentIndex].isNull else { return false }
    currentIndex += 1
    return true
  }

  mutating func decode(_ type: Bool.Type) throws -> Bool {
    try next(type) { try $1.decode(type, $0, at: $2()) }
  }
  mutating func decode(_ type: String.Type) throws -> String {
    try next(type) { try $1.decode(type, $0, at: $2()) }
  }
  mutating func decode(_ type: Double.Type) throws -> Double {
    try next(type) { try $1.decode(type, $0, at: $2()) }
  }
  mutating func decode(_ type: Float.Type) throws -> Float {
    try next(type) { try $1.decode(type, $0, at: $2()) }
  }
  mutating func decode(_ type: Int.Type) throws -> Int { try integer(type) }
  mutating func decode(_ type: Int8.Type) throws -> Int8 { try integer(type) }
  mutating func decode(_ type: Int16.Type) throws -> Int16 { try integer(type) }
  mutating func decode(_ type: Int32.Type) throws -> Int32 { try integer(type) }
  mutating func decode(_ type: Int64.Type) throws -> Int64 { try integer(type) }
  mutating func decode(_ type: UInt.Type) throws -> UInt { try integer(type) }
  mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try integer(type) }
  mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try integer(type) }
  mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try integer(type) }
  mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try integer(type) }

  private mutating func integer<T: FixedWidthInteger>(_ type: T.Type) throws -> T {
    try next(type) { try $1.decodeInteger(type, $0, at: $2()) }
  }

  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
    try next(type) { try $1.decode(type, $0, at: $2()) }
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> {
    try next([String: Any].self) {
      KeyedDecodingContainer(try $1.keyedContainer($0, keyedBy: type, at: $2()))
    }
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try next([Any].self) { try $1.unkeyedContainer($0, at: $2()) }
  }

  mutating func superDecoder() throws -> any Swift.Decoder {
    try next(Any.self) { ValueDecoder($0, context: $1, codingPath: $2()) }
  }
}

/// Reads one value in place of a map.
struct ValueSingleDecodingContainer: SingleValueDecodingContainer {
  let value: Value
  let context: ValueDecoder.Context
  let codingPath: [any CodingKey]

  func decodeNil() -> Bool { value.isNull }
  func decode(_ type: Bool.Type) throws -> Bool { try context.decode(type, value, at: codingPath) }
  func decode(_ type: String.Type) throws -> String { try context.decode(type, value, at: codingPath) }
  func decode(_ type: Double.Type) throws -> Double { try context.decode(type, value, at: codingPath) }
  func decode(_ type: Float.Type) throws -> Float { try context.decode(type, value, at: codingPath) }
  func decode(_ type: Int.Type) throws -> Int { try context.decodeInteger(type, value, at: codingPath) }
  func decode(_ type: Int8.Type) throws -> Int8 { try context.decodeInteger(type, value, at: codingPath) }
  func decode(_ type: Int16.Type) throws -> Int16 { try context.decodeInteger(type, value, at: codingPath) }
  func decode(_ type: Int32.Type) throws -> Int32 { try context.decodeInteger(type, value, at: codingPath) }
  func decode(_ type: Int64.Type) throws -> Int64 { try context.decodeInteger(type, value, at: codingPath) }
  func decode(_ type: UInt.Type) throws -> UInt { try context.decodeInteger(type, value, at: codingPath) }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try context.decodeInteger(type, value, at: codingPath) }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try context.decodeInteger(type, value, at: codingPath) }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try context.decodeInteger(type, value, at: codingPath) }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try context.decodeInteger(type, value, at: codingPath) }
  func decode<T: Decodable>(_ type: T.Type) throws -> T { try context.decode(type, value, at: codingPath) }
}
