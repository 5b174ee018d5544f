/// One value in encoded form (``DocumentFormat``), read in place. It points into memory that must outlive it.
package struct EncodedValue {
  package let tag: DocumentFormat.Tag
  package let content: UnsafeRawBufferPointer
  /// How many containers hold the value, less one.
  let depth: Int

  /// The fields of a map, or `nil` for another type.
  package func map() throws(ModelError) -> EncodedContainer? {
    guard tag == .map else { return nil }
    return try EncodedContainer(content, hasNames: true, depth: depth + 1)
  }

  /// The elements of an array, or `nil` for another type.
  package func array() throws(ModelError) -> EncodedContainer? {
    guard tag == .array else { return nil }
    return try EncodedContainer(content, hasNames: false, depth: depth + 1)
  }

  /// The value with everything in it.
  package func decode() throws(ModelError) -> Value {
    switch tag {
    case .null: return try expecting(0, .null)
    case .false: return try expecting(0, .boolean(false))
    case .true: return try expecting(0, .boolean(true))
    case .integer: return .integer(try integer())
    case .double: return .double(try double())
    case .timestamp: return .timestamp(try timestamp())
    case .string: return .string(try string())
    case .bytes: return .bytes(Array(content))
    case .reference:
      // Parsed, not only decoded: a path that breaks the rules could not be turned into a key.
      guard let key = try? DocumentKey(try string()) else {
        throw .corruption("a reference of \(content.count) bytes is no document path")
      }
      return .reference(key)
    case .geoPoint:
      guard content.count == 16 else { throw wrongSize }
      return .geoPoint(GeoPoint(latitude: loadDouble(at: 0), longitude: loadDouble(at: 8)))
    case .array: return .array(try EncodedContainer(content, hasNames: false, depth: depth + 1).decodeArray())
    case .vector:
      guard content.count % 8 == 0 else { throw wrongSize }
      return .vector((0..<content.count / 8).map { loadDouble(at: $0 * 8) })
    case .map: return .map(try EncodedContainer(content, hasNames: true, depth: depth + 1).decodeMap())
    }
  }

  private var wrongSize: ModelError { .corruption("a value with the tag \(tag) has \(content.count) bytes") }

  private func expecting(_ count: Int, _ value: Value) throws(ModelError) -> Value {
    guard content.count == count else { throw wrongSize }
    return value
  }

  private func integer() throws(ModelError) -> Int64 {
    guard content.count <= 8 else { throw wrongSize }
    guard let last = content.last else { return 0 }
    var bits: UInt64 = last & 0x80 == 0 ? 0 : .max
    for byte in content.reversed() { bits = bits << 8 | UInt64(byte) }
    return Int64(bitPattern: bits)
  }

  private func double() throws(ModelError) -> Double {
    guard content.count <= 8 else { throw wrongSize }
    var bits: UInt64 = 0
    for byte in content { bits = bits << 8 | UInt64(byte) }
    // Shifting by 64 gives 0, which is what no bytes mean.
    bits <<= UInt64(8 * (8 - content.count))
    return Double(bitPattern: Double(bitPattern: bits).identityBits)
  }

  private func timestamp() throws(ModelError) -> Timestamp {
    guard content.count == 8 else { throw wrongSize }
    let bits = UInt64(bigEndian: content.loadUnaligned(as: UInt64.self))
    let microseconds = Int64(orderedBits: bits)
    guard microseconds >= Timestamp.microsecondsMin, microseconds <= Timestamp.microsecondsMax else {
      throw .corruption("a timestamp of \(microseconds) microseconds is out of range")
    }
    return Timestamp(microseconds: microseconds)
  }

  private func string() throws(ModelError) -> String {
    guard let string = String(utf8Bytes: content) else { throw .corruption("a string is not UTF-8") }
    return string
  }

  private func loadDouble(at offset: Int) -> Double {
    let bits = UInt64(littleEndian: content.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    return Double(bitPattern: Double(bitPattern: bits).identityBits)
  }
}
