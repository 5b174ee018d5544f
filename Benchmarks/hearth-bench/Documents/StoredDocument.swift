/// A document as the storage level sees it: bytes to put under a key, and the keys of its four index entries.
///
/// The value is a self-describing binary form with field names inside, as a schemaless store must keep them; it is the
/// one the peers of the comparison store, byte for byte, so that sizes compare. The index keys (city, age, creation,
/// city and creation descending) end in the document's id and have empty values.
struct StoredDocument {
  var key: [UInt8]
  var value: [UInt8]
  var indexKeys: [[UInt8]]
  /// Where in ``value`` the eight bytes of `score` lie, which updates overwrite.
  var scoreOffset: Int

  init(_ document: BenchDocument) {
    key = document.path
    var out = Encoder()
    let map = out.begin(.map, count: 10)
    out.field("name", text: document.name)
    out.field("email", text: document.email)
    out.field("city", text: document.city)
    out.key("age")
    out.tag(.integer)
    out.varint(UInt64(bitPattern: document.age << 1 ^ document.age >> 63))
    out.key("score")
    out.tag(.double)
    scoreOffset = out.bytes.count
    out.little(document.score.bitPattern)
    out.key("active")
    out.tag(document.isActive ? .true : .false)
    out.key("createdAt")
    out.tag(.timestamp)
    out.little(UInt64(bitPattern: document.createdAt))
    out.key("tags")
    let tags = out.begin(.array, count: document.tags.count)
    for tag in document.tags { out.text(tag) }
    out.end(tags)
    out.key("address")
    let address = out.begin(.map, count: 3)
    out.field("street", text: document.street)
    out.field("zip", text: document.zip)
    out.key("geo")
    let geo = out.begin(.map, count: 2)
    out.key("lat")
    out.tag(.double)
    out.little(document.latitude.bitPattern)
    out.key("lng")
    out.tag(.double)
    out.little(document.longitude.bitPattern)
    out.end(geo)
    out.end(address)
    out.field("bio", text: document.bio)
    out.end(map)
    value = out.bytes
    indexKeys = Self.indexKeys(
      id: document.id, city: document.city, age: document.age, createdAt: document.createdAt)
  }

  static func indexKeys(id: ArraySlice<UInt8>, city: [UInt8], age: Int64, createdAt: Int64) -> [[UInt8]] {
    // Signed numbers order as bytes once the sign bit is flipped; descending is every bit flipped.
    func ordered(_ number: Int64) -> UInt64 { UInt64(bitPattern: number) ^ 1 << 63 }
    func big(_ number: UInt64) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: number >> UInt64(56 - 8 * $0)) } }
    return [
      [UInt8(ascii: "c")] + city + [0] + id,
      [UInt8(ascii: "a")] + big(ordered(age)) + id,
      [UInt8(ascii: "t")] + big(ordered(createdAt)) + id,
      [UInt8(ascii: "x")] + city + [0] + big(~ordered(createdAt)) + id,
    ]
  }

  private struct Encoder {
    enum Tag: UInt8 { case null, `false`, `true`, integer, double, text, array, map, timestamp }

    var bytes: [UInt8] = []

    init() { bytes.reserveCapacity(480) }

    mutating func tag(_ tag: Tag) { bytes.append(tag.rawValue) }

    mutating func varint(_ number: UInt64) {
      var rest = number
      while rest >= 128 {
        bytes.append(UInt8(truncatingIfNeeded: rest) | 128)
        rest >>= 7
      }
      bytes.append(UInt8(rest))
    }

    mutating func little(_ number: UInt64) {
      for shift in stride(from: UInt64(0), to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
    }

    mutating func key(_ name: StaticString) {
      varint(UInt64(name.utf8CodeUnitCount))
      name.withUTF8Buffer { bytes += $0 }
    }

    mutating func text(_ text: [UInt8]) {
      tag(.text)
      varint(UInt64(text.count))
      bytes += text
    }

    mutating func field(_ name: StaticString, text value: [UInt8]) {
      key(name)
      text(value)
    }

    /// Containers carry their length in bytes, so that a reader can skip them; it is known at their end.
    mutating func begin(_ kind: Tag, count: Int) -> Int {
      tag(kind)
      let start = bytes.count
      bytes += [0, 0, 0, 0]
      varint(UInt64(count))
      return start
    }

    mutating func end(_ start: Int) {
      let length = UInt32(bytes.count - start - 4)
      for k in 0..<4 { bytes[start + k] = UInt8(truncatingIfNeeded: length >> UInt32(8 * k)) }
    }
  }
}
