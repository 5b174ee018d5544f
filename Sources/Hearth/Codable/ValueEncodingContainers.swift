internal import Foundation

/// Writes the properties of one map.
struct ValueKeyedEncodingContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: ValueEncoder
  let map: EncodedNode.MapBox
  let codingPath: [any CodingKey]

  private func name(of key: Key) -> String {
    switch encoder.options.key {
    case .useDefaultKeys: key.stringValue
    case .convertToSnakeCase: SnakeCase.convert(key.stringValue)
    case .custom(let convert): convert(codingPath + [key]).stringValue
    }
  }

  mutating func encodeNil(forKey key: Key) throws { map.set(name(of: key), .null) }
  mutating func encode(_ value: Bool, forKey key: Key) throws { map.set(name(of: key), .bool(value)) }
  mutating func encode(_ value: String, forKey key: Key) throws { map.set(name(of: key), .string(value)) }
  mutating func encode(_ value: Double, forKey key: Key) throws {
    map.set(name(of: key), try encoder.encodeNumber(value, at: codingPath + [key]))
  }
  mutating func encode(_ value: Float, forKey key: Key) throws {
    map.set(name(of: key), try encoder.encodeNumber(value, at: codingPath + [key]))
  }
  mutating func encode(_ value: Int, forKey key: Key) throws { map.set(name(of: key), .integer(Int64(value))) }
  mutating func encode(_ value: Int8, forKey key: Key) throws { map.set(name(of: key), .integer(Int64(value))) }
  mutating func encode(_ value: Int16, forKey key: Key) throws { map.set(name(of: key), .integer(Int64(value))) }
  mutating func encode(_ value: Int32, forKey key: Key) throws { map.set(name(of: key), .integer(Int64(value))) }
  mutating func encode(_ value: Int64, forKey key: Key) throws { map.set(name(of: key), .integer(value)) }
  mutating func encode(_ value: UInt, forKey key: Key) throws { map.set(name(of: key), encoder.encodeInteger(value)) }
  mutating func encode(_ value: UInt8, forKey key: Key) throws { map.set(name(of: key), .integer(Int64(value))) }
  mutating func encode(_ value: UInt16, forKey key: Key) throws { map.set(name(of: key), .integer(Int64(value))) }
  mutating func encode(_ value: UInt32, forKey key: Key) throws { map.set(name(of: key), .integer(Int64(value))) }
  mutating func encode(_ value: UInt64, forKey key: Key) throws { map.set(name(of: key), encoder.encodeInteger(value)) }

  mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
    if let encoded = try encoder.encode(value, at: codingPath + [key]) { map.set(name(of: key), encoded) }
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy keyType: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    let name = name(of: key)
    let nested: EncodedNode.MapBox
    if case .map(let existing) = map.value(named: name) {
      nested = existing
    } else {
      nested = EncodedNode.MapBox()
      map.replace(name, .map(nested))
    }
    return KeyedEncodingContainer(
      ValueKeyedEncodingContainer<Nested>(encoder: encoder, map: nested, codingPath: codingPath + [key]))
  }

  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    let name = name(of: key)
    let nested: EncodedNode.ArrayBox
    if case .array(let existing) = map.value(named: name) {
      nested = existing
    } else {
      nested = EncodedNode.ArrayBox()
      map.replace(name, .array(nested))
    }
    return ValueUnkeyedEncodingContainer(encoder: encoder, array: nested, codingPath: codingPath + [key])
  }

  mutating func superEncoder() -> any Swift.Encoder { superEncoder(named: "super", at: IndexKey.super) }

  mutating func superEncoder(forKey key: Key) -> any Swift.Encoder { superEncoder(named: name(of: key), at: key) }

  private func superEncoder(named name: String, at key: any CodingKey) -> any Swift.Encoder {
    let nested = ValueEncoder(options: encoder.options, codingPath: codingPath + [key])
    map.replace(name, .deferred(nested))
    return nested
  }
}

/// Writes the elements of one array.
struct ValueUnkeyedEncodingContainer: UnkeyedEncodingContainer {
  let encoder: ValueEncoder
  let array: EncodedNode.ArrayBox
  let codingPath: [any CodingKey]

  var count: Int { array.elements.count }
  private var nextPath: [any CodingKey] { codingPath + [IndexKey(index: count)] }

  mutating func encodeNil() throws { array.elements.append(.null) }
  mutating func encode(_ value: Bool) throws { array.elements.append(.bool(value)) }
  mutating func encode(_ value: String) throws { array.elements.append(.string(value)) }
  mutating func encode(_ value: Double) throws { array.elements.append(try encoder.encodeNumber(value, at: nextPath)) }
  mutating func encode(_ value: Float) throws { array.elements.append(try encoder.encodeNumber(value, at: nextPath)) }
  mutating func encode(_ value: Int) throws { array.elements.append(.integer(Int64(value))) }
  mutating func encode(_ value: Int8) throws { array.elements.append(.integer(Int64(value))) }
  mutating func encode(_ value: Int16) throws { array.elements.append(.integer(Int64(value))) }
  mutating func encode(_ value: Int32) throws { array.elements.append(.integer(Int64(value))) }
  mutating func encode(_ value: Int64) throws { array.elements.append(.integer(value)) }
  mutating func encode(_ value: UInt) throws { array.elements.append(encoder.encodeInteger(value)) }
  mutating func encode(_ value: UInt8) throws { array.elements.append(.integer(Int64(value))) }
  mutating func encode(_ value: UInt16) throws { array.elements.append(.integer(Int64(value))) }
  mutating func encode(_ value: UInt32) throws { array.elements.append(.integer(Int64(value))) }
  mutating func encode(_ value: UInt64) throws { array.elements.append(encoder.encodeInteger(value)) }

  mutating func encode<T: Encodable>(_ value: T) throws {
    if let encoded = try encoder.encode(value, at: nextPath) { array.elements.append(encoded) }
  }

  mutating func nestedContainer<Nested: CodingKey>(keyedBy keyType: Nested.Type) -> KeyedEncodingContainer<Nested> {
    let path = nextPath
    let nested = EncodedNode.MapBox()
    array.elements.append(.map(nested))
    return KeyedEncodingContainer(
      ValueKeyedEncodingContainer<Nested>(encoder: encoder, map: nested, codingPath: path))
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    let path = nextPath
    let nested = EncodedNode.ArrayBox()
    array.elements.append(.array(nested))
    return ValueUnkeyedEncodingContainer(encoder: encoder, array: nested, codingPath: path)
  }

  mutating func superEncoder() -> any Swift.Encoder {
    let nested = ValueEncoder(options: encoder.options, codingPath: nextPath)
    array.elements.append(.deferred(nested))
    return nested
  }
}

/// Writes one value in place of a map.
struct ValueSingleEncodingContainer: SingleValueEncodingContainer {
  let encoder: ValueEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }

  mutating func encodeNil() throws { encoder.value = .null }
  mutating func encode(_ value: Bool) throws { encoder.value = .bool(value) }
  mutating func encode(_ value: String) throws { encoder.value = .string(value) }
  mutating func encode(_ value: Double) throws { encoder.value = try encoder.encodeNumber(value, at: codingPath) }
  mutating func encode(_ value: Float) throws { encoder.value = try encoder.encodeNumber(value, at: codingPath) }
  mutating func encode(_ value: Int) throws { encoder.value = .integer(Int64(value)) }
  mutating func encode(_ value: Int8) throws { encoder.value = .integer(Int64(value)) }
  mutating func encode(_ value: Int16) throws { encoder.value = .integer(Int64(value)) }
  mutating func encode(_ value: Int32) throws { encoder.value = .integer(Int64(value)) }
  mutating func encode(_ value: Int64) throws { encoder.value = .integer(value) }
  mutating func encode(_ value: UInt) throws { encoder.value = encoder.encodeInteger(value) }
  mutating func encode(_ value: UInt8) throws { encoder.value = .integer(Int64(value)) }
  mutating func encode(_ value: UInt16) throws { encoder.value = .integer(Int64(value)) }
  mutating func encode(_ value: UInt32) throws { encoder.value = .integer(Int64(value)) }
  mutating func encode(_ value: UInt64) throws { encoder.value = encoder.encodeInteger(value) }

  mutating func encode<T: Encodable>(_ value: T) throws {
    if let encoded = try encoder.encode(value, at: codingPath) {
      encoder.value = encoded
    } else {
      encoder.isOmitted = true
    }
  }
}
