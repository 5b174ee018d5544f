import CSQLite

/// Puts the columns of a row together to the bytes that the other engines store (``StoredDocument``), so that one digest
/// compares all answers. About as much work as copying the columns out, which a caller has to do anyway.
final class SQLiteRow {
  static let columns = "name,email,city,age,score,active,createdAt,tag0,tag1,tag2,street,zip,lat,lng,bio"

  private enum Tag { static let (no, yes, integer, double, text, array, map, time) = (1, 2, 3, 4, 5, 6, 7, 8) }

  private static let capacity = 4096
  private let bytes = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
  private var end = 0

  deinit { bytes.deallocate() }

  /// The bytes of the row that `statement` stands on; valid until the next call.
  func assemble(_ statement: OpaquePointer) throws -> UnsafeRawBufferPointer {
    end = 0
    let map = begin(Tag.map, count: 10)
    try field("name", text: 0, statement)
    try field("email", text: 1, statement)
    try field("city", text: 2, statement)
    name("age")
    put(Tag.integer)
    let age = sqlite3_column_int64(statement, 3)
    varint(UInt64(bitPattern: age << 1 ^ age >> 63))
    name("score")
    double(4, statement)
    name("active")
    put(sqlite3_column_int(statement, 5) == 0 ? Tag.no : Tag.yes)
    name("createdAt")
    put(Tag.time)
    little(UInt64(bitPattern: sqlite3_column_int64(statement, 6)))
    name("tags")
    let tags = begin(Tag.array, count: 3)
    for column in 7..<10 { try text(Int32(column), statement) }
    finish(tags)
    name("address")
    let address = begin(Tag.map, count: 3)
    try field("street", text: 10, statement)
    try field("zip", text: 11, statement)
    name("geo")
    let geo = begin(Tag.map, count: 2)
    name("lat")
    double(12, statement)
    name("lng")
    double(13, statement)
    finish(geo)
    finish(address)
    try field("bio", text: 14, statement)
    finish(map)
    return UnsafeRawBufferPointer(start: bytes, count: end)
  }

  @inline(__always)
  private func put(_ byte: Int) {
    bytes.storeBytes(of: UInt8(truncatingIfNeeded: byte), toByteOffset: end, as: UInt8.self)
    end &+= 1
  }

  @inline(__always)
  private func varint(_ number: UInt64) {
    var rest = number
    while rest >= 128 {
      put(Int(rest & 127 | 128))
      rest >>= 7
    }
    put(Int(rest))
  }

  @inline(__always)
  private func little(_ number: UInt64) {
    bytes.storeBytes(of: number.littleEndian, toByteOffset: end, as: UInt64.self)
    end &+= 8
  }

  @inline(__always)
  private func name(_ name: StaticString) {
    put(name.utf8CodeUnitCount)
    bytes.advanced(by: end).copyMemory(from: name.utf8Start, byteCount: name.utf8CodeUnitCount)
    end &+= name.utf8CodeUnitCount
  }

  @inline(__always)
  private func double(_ column: Int32, _ statement: OpaquePointer) {
    put(Tag.double)
    little(sqlite3_column_double(statement, column).bitPattern)
  }

  @inline(__always)
  private func text(_ column: Int32, _ statement: OpaquePointer) throws {
    let text = sqlite3_column_blob(statement, column)
    let count = Int(sqlite3_column_bytes(statement, column))
    // Room for what follows, all of it short.
    guard end &+ count &+ 256 <= Self.capacity else { throw CompareError("SQLite: a row longer than its document") }
    put(Tag.text)
    varint(UInt64(count))
    if let text { bytes.advanced(by: end).copyMemory(from: text, byteCount: count) }
    end &+= count
  }

  @inline(__always)
  private func field(_ name: StaticString, text column: Int32, _ statement: OpaquePointer) throws {
    self.name(name)
    try text(column, statement)
  }

  @inline(__always)
  private func begin(_ tag: Int, count: Int) -> Int {
    put(tag)
    let start = end
    end &+= 4
    varint(UInt64(count))
    return start
  }

  @inline(__always)
  private func finish(_ start: Int) {
    bytes.storeBytes(of: UInt32(end &- start &- 4).littleEndian, toByteOffset: start, as: UInt32.self)
  }
}
