/// Turns values into bytes whose order, as unsigned bytes, is ``ValueOrder``; for the keys of indexes.
///
/// Compare-equal values become equal bytes (so the bytes do not tell `1` from `1.0`), and no encoded value is a prefix
/// of another, so values can follow each other in one key, each in a direction of its own. On disk since format 0.
///
/// | type      | tag       | then                                                                                   |
/// | --------- | --------- | -------------------------------------------------------------------------------------- |
/// | null      | `10`      |                                                                                        |
/// | boolean   | `18` `19` | (false, true)                                                                          |
/// | number    | `20`      | ordered double; where its magnitude is in [2^53, 2^63) or it is -2^63, the remainder   |
/// | timestamp | `28`      | microseconds since 1970, 8 bytes, big-endian, sign bit flipped                         |
/// | string    | `30`      | UTF-8 as a ``KeySegment``                                                              |
/// | bytes     | `38`      | as a ``KeySegment``                                                                    |
/// | reference | `40`      | per pair: the collection id as a ``KeySegment``, the document id as in ``KeySchema``; `00` |
/// | geo point | `48`      | latitude, longitude: ordered doubles                                                   |
/// | array     | `50`      | the elements; `00`                                                                     |
/// | vector    | `58`      | the number of elements, 4 bytes, big-endian; ordered doubles                           |
/// | map       | `60`      | per field by name: `01`, the name as a ``KeySegment``, the value; `00`                 |
///
/// - *Ordered double*: 8 bytes, big-endian; all bits flipped if negative, else the sign bit. `-0.0` counts as `0.0`; NaN
///   is eight zero bytes, which no other double becomes, below -∞.
/// - A number is the largest double that is not above it, and its *remainder*, 0 to 1023, 2 bytes, big-endian. Only
///   integers of more than 53 bits have one that is not 0, so only their doubles are followed by one.
/// - `00` is below every tag, so a shorter array, map or reference comes first.
/// - *Descending*: every byte of the value is complemented.
///
/// Timestamps are cut to microseconds, as every stored value and every operand of a query is.
package struct OrderedValueEncoder: Sendable {
  package private(set) var bytes: [UInt8] = []

  package init() {}

  /// Goes on after bytes that are there already, such as an index's id.
  package init(after prefix: [UInt8]) { bytes = prefix }

  package static func encode(_ value: Value, descending: Bool = false) -> [UInt8] {
    var encoder = OrderedValueEncoder()
    encoder.append(value, descending: descending)
    return encoder.bytes
  }

  package mutating func append(_ value: Value, descending: Bool = false) {
    let start = bytes.count
    append(value)
    if descending { complement(from: start) }
  }

  /// Appends a document's key in path order, as the last component of an index entry.
  package mutating func append(_ key: DocumentKey, descending: Bool = false) {
    let start = bytes.count
    append(reference: key)
    if descending { complement(from: start) }
  }

  private mutating func complement(from start: Int) {
    for index in start..<bytes.count { bytes[index] = ~bytes[index] }
  }

  private enum Tag {
    static let null: UInt8 = 0x10
    static let `false`: UInt8 = 0x18
    static let `true`: UInt8 = 0x19
    static let number: UInt8 = 0x20
    static let timestamp: UInt8 = 0x28
    static let string: UInt8 = 0x30
    static let bytes: UInt8 = 0x38
    static let reference: UInt8 = 0x40
    static let geoPoint: UInt8 = 0x48
    static let array: UInt8 = 0x50
    static let vector: UInt8 = 0x58
    static let map: UInt8 = 0x60
    static let field: UInt8 = 0x01
    static let end: UInt8 = 0x00
  }

  private mutating func append(_ value: Value) {
    switch value {
    case .null: bytes.append(Tag.null)
    case .boolean(let value): bytes.append(value ? Tag.true : Tag.false)
    case .integer(let value): append(number: value)
    case .double(let value):
      bytes.append(Tag.number)
      append(ordered: value)
      if OrderedValueEncoder.hasRemainder(value) { append(remainder: 0) }
    case .timestamp(let value):
      bytes.append(Tag.timestamp)
      KeySegment.appendBigEndian(value.microseconds.orderedBits, to: &bytes)
    case .string(let value):
      bytes.append(Tag.string)
      value.withUTF8Bytes { KeySegment.append($0, to: &bytes) }
    case .bytes(let value):
      bytes.append(Tag.bytes)
      value.withUnsafeBytes { KeySegment.append($0, to: &bytes) }
    case .reference(let value):
      bytes.append(Tag.reference)
      append(reference: value)
    case .geoPoint(let value):
      bytes.append(Tag.geoPoint)
      append(ordered: value.latitude)
      append(ordered: value.longitude)
    case .array(let value):
      bytes.append(Tag.array)
      for element in value { append(element) }
      bytes.append(Tag.end)
    case .vector(let value):
      bytes.append(Tag.vector)
      withUnsafeBytes(of: UInt32(clamping: value.count).bigEndian) { bytes.append(contentsOf: $0) }
      for element in value { append(ordered: element) }
    case .map(let value):
      bytes.append(Tag.map)
      for entry in value.entries {
        bytes.append(Tag.field)
        entry.name.withUTF8Bytes { KeySegment.append($0, to: &bytes) }
        append(entry.value)
      }
      bytes.append(Tag.end)
    }
  }

  private mutating func append(number integer: Int64) {
    bytes.append(Tag.number)
    var double = Double(integer)
    // Rounding to the nearest may have gone up, for the largest even out of Int64.
    if double >= 0x1p63 || Int64(double) > integer { double = double.nextDown }
    append(ordered: double)
    if OrderedValueEncoder.hasRemainder(double) { append(remainder: UInt16(integer - Int64(double))) }
  }

  /// Doubles this large are more than 1 apart, or could be, so integers lie between them.
  private static func hasRemainder(_ double: Double) -> Bool {
    (double >= 0x1p53 && double < 0x1p63) || (double <= -0x1p53 && double >= -0x1p63)
  }

  private mutating func append(remainder: UInt16) {
    bytes.append(UInt8(remainder >> 8))
    bytes.append(UInt8(truncatingIfNeeded: remainder))
  }

  private mutating func append(ordered double: Double) {
    let bits = double == 0 ? 0 : double.bitPattern
    let ordered = double.isNaN ? 0 : (bits >> 63 == 0 ? bits | (1 << 63) : ~bits)
    KeySegment.appendBigEndian(ordered, to: &bytes)
  }

  /// A document id is followed by the end or by a collection id, which is not empty: that is why `00` can begin a
  /// numeric id and still be the end of the path.
  private mutating func append(reference key: DocumentKey) {
    key.path.withUTF8Bytes { path in
      var start = 0
      var isCollection = true
      while start <= path.count {
        let end = ResourcePath.segmentEnd(path, from: start)
        let segment = UnsafeRawBufferPointer(rebasing: path[start..<end])
        if isCollection {
          KeySegment.append(segment, to: &bytes)
        } else {
          KeySegment.appendDocumentID(segment, to: &bytes)
        }
        isCollection.toggle()
        start = end + 1
      }
    }
    bytes.append(Tag.end)
  }
}
