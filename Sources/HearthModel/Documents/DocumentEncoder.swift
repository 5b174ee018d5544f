/// Writes a document in the layout of ``DocumentFormat``, in two passes: one measures every container, so that the
/// other can write straight into memory of the right size.
struct DocumentEncoder {
  private struct Size {
    var total: Int
    var isWide: Bool
  }

  /// Of every container that is not empty, in the order in which both passes enter them.
  private var sizes: [Size] = []
  private var nextSize = 0
  private var output = UnsafeMutableRawBufferPointer(start: nil, count: 0)
  private var timeOffsets: [Int] = []

  /// What precedes the fields: numbers as they lie in the document, before they are made big-endian.
  struct Header {
    var version: UInt64
    var updateTime: UInt64
    var createTime: UInt64
  }

  /// - Parameter timeOffsets: Places that wait for the commit's time already; those among the values are added.
  static func encode(
    _ header: Header, _ fields: MapValue, timeOffsets: [Int]
  ) -> (bytes: [UInt8], timeOffsets: [Int]) {
    var encoder = DocumentEncoder()
    encoder.timeOffsets = timeOffsets
    let total = DocumentFormat.headerBytes + encoder.measure(fields)
    let bytes = [UInt8](unsafeUninitializedCapacity: total) { buffer, count in
      encoder.output = UnsafeMutableRawBufferPointer(buffer)
      encoder.output[0] = DocumentFormat.format
      _ = encoder.write(header.version.bigEndian, at: DocumentFormat.versionOffset)
      _ = encoder.write(header.updateTime.bigEndian, at: DocumentFormat.updateTimeOffset)
      _ = encoder.write(header.createTime.bigEndian, at: DocumentFormat.createTimeOffset)
      let end = encoder.write(fields, at: DocumentFormat.headerBytes)
      precondition(end == total, "an encoded document has \(end) bytes, measured as \(total)")
      count = total
    }
    return (bytes, encoder.timeOffsets)
  }

  // MARK: Measuring

  private mutating func measure(_ map: MapValue) -> Int {
    if map.isEmpty { return 0 }
    let slot = sizes.count
    sizes.append(Size(total: 0, isWide: false))
    var names = 0
    var contents = 0
    for entry in map.entries {
      names += entry.name.utf8.count
      contents += measure(entry.value)
    }
    return finish(slot, count: map.count, hasNames: true, names: names, contents: contents)
  }

  private mutating func measure(_ array: [Value]) -> Int {
    if array.isEmpty { return 0 }
    let slot = sizes.count
    sizes.append(Size(total: 0, isWide: false))
    var contents = 0
    for element in array { contents += measure(element) }
    return finish(slot, count: array.count, hasNames: false, names: 0, contents: contents)
  }

  private mutating func finish(_ slot: Int, count: Int, hasNames: Bool, names: Int, contents: Int) -> Int {
    let isWide = max(count, names, contents) > DocumentFormat.narrowMax
    let shape = DocumentFormat.Shape(count: count, hasNames: hasNames, isWide: isWide)
    sizes[slot] = Size(total: shape.dataOffset + names + contents, isWide: isWide)
    return sizes[slot].total
  }

  private mutating func measure(_ value: Value) -> Int {
    switch value {
    case .null, .boolean: 0
    case .integer(let value): DocumentEncoder.byteCount(value)
    case .double(let value): DocumentEncoder.byteCount(value)
    case .timestamp: 8
    case .string(let value): value.utf8.count
    case .bytes(let value): value.count
    case .reference(let value): value.path.utf8.count
    case .geoPoint: 16
    case .array(let value): measure(value)
    case .vector(let value): value.count * 8
    case .map(let value): measure(value)
    }
  }

  /// The fewest bytes that sign-extend to the integer; none for 0.
  private static func byteCount(_ integer: Int64) -> Int {
    if integer == 0 { return 0 }
    let magnitude = integer < 0 ? ~integer : integer
    return (64 - magnitude.leadingZeroBitCount) / 8 + 1
  }

  /// Without the zero bytes at the end.
  private static func byteCount(_ double: Double) -> Int { 8 - double.identityBits.trailingZeroBitCount / 8 }

  // MARK: Writing

  private mutating func nextShape(count: Int, hasNames: Bool) -> (DocumentFormat.Shape, total: Int) {
    let size = sizes[nextSize]
    nextSize += 1
    return (DocumentFormat.Shape(count: count, hasNames: hasNames, isWide: size.isWide), size.total)
  }

  private func writeHead(_ shape: DocumentFormat.Shape, at start: Int) {
    output[start] = shape.width == 4 ? DocumentFormat.wideFlag : 0
    write(end: shape.count, width: shape.width, at: start + 1)
  }

  private mutating func write(_ map: MapValue, at start: Int) -> Int {
    if map.isEmpty { return start }
    let (shape, total) = nextShape(count: map.count, hasNames: true)
    writeHead(shape, at: start)
    let names = start + shape.dataOffset
    var nameEnd = names
    var slot = start + shape.tableOffset
    for entry in map.entries {
      nameEnd = write(entry.name, at: nameEnd)
      write(end: nameEnd - names, width: shape.width, at: slot)
      slot += shape.entryBytes
    }
    let contents = nameEnd
    var contentEnd = contents
    slot = start + shape.tableOffset
    for entry in map.entries {
      contentEnd = write(entry.value, at: contentEnd)
      write(end: contentEnd - contents, width: shape.width, at: slot + shape.width)
      output[slot + 2 * shape.width] = entry.value.tag.rawValue
      slot += shape.entryBytes
    }
    precondition(contentEnd - start == total, "a map's content has \(contentEnd - start) bytes, measured as \(total)")
    return contentEnd
  }

  private mutating func write(_ array: [Value], at start: Int) -> Int {
    if array.isEmpty { return start }
    let (shape, total) = nextShape(count: array.count, hasNames: false)
    writeHead(shape, at: start)
    let contents = start + shape.dataOffset
    var contentEnd = contents
    var slot = start + shape.tableOffset
    for element in array {
      contentEnd = write(element, at: contentEnd)
      write(end: contentEnd - contents, width: shape.width, at: slot)
      output[slot + shape.width] = element.tag.rawValue
      slot += shape.entryBytes
    }
    precondition(
      contentEnd - start == total, "an array's content has \(contentEnd - start) bytes, measured as \(total)")
    return contentEnd
  }

  private func write(end: Int, width: Int, at offset: Int) {
    if width == 2 {
      output.storeBytes(of: UInt16(end).littleEndian, toByteOffset: offset, as: UInt16.self)
    } else {
      output.storeBytes(of: UInt32(end).littleEndian, toByteOffset: offset, as: UInt32.self)
    }
  }

  private func write(_ string: String, at start: Int) -> Int {
    string.withUTF8Bytes { write($0, at: start) }
  }

  private func write(_ bytes: UnsafeRawBufferPointer, at start: Int) -> Int {
    UnsafeMutableRawBufferPointer(rebasing: output[start..<start + bytes.count]).copyMemory(from: bytes)
    return start + bytes.count
  }

  private func write(_ bits: UInt64, at start: Int) -> Int {
    output.storeBytes(of: bits, toByteOffset: start, as: UInt64.self)
    return start + 8
  }

  /// Writes a value's content and returns where it ends.
  private mutating func write(_ value: Value, at start: Int) -> Int {
    switch value {
    case .null, .boolean: return start
    case .integer(let value):
      let count = DocumentEncoder.byteCount(value)
      return withUnsafeBytes(of: value.littleEndian) {
        write(UnsafeRawBufferPointer(rebasing: $0[..<count]), at: start)
      }
    case .double(let value):
      let count = DocumentEncoder.byteCount(value)
      return withUnsafeBytes(of: value.identityBits.bigEndian) {
        write(UnsafeRawBufferPointer(rebasing: $0[..<count]), at: start)
      }
    case .timestamp(let value):
      if value.isCommitTime {
        timeOffsets.append(start)
        return write(0, at: start)
      }
      return write(value.microseconds.orderedBits.bigEndian, at: start)
    case .string(let value): return write(value, at: start)
    case .bytes(let value): return value.withUnsafeBytes { write($0, at: start) }
    case .reference(let value): return write(value.path, at: start)
    case .geoPoint(let value):
      let middle = write(value.latitude.identityBits.littleEndian, at: start)
      return write(value.longitude.identityBits.littleEndian, at: middle)
    case .array(let value): return write(value, at: start)
    case .vector(let value):
      var end = start
      for element in value { end = write(element.identityBits.littleEndian, at: end) }
      return end
    case .map(let value): return write(value, at: start)
    }
  }
}

extension Value {
  var tag: DocumentFormat.Tag {
    switch self {
    case .null: .null
    case .boolean(let value): value ? .true : .false
    case .integer: .integer
    case .double: .double
    case .timestamp: .timestamp
    case .string: .string
    case .bytes: .bytes
    case .reference: .reference
    case .geoPoint: .geoPoint
    case .array: .array
    case .vector: .vector
    case .map: .map
    }
  }
}
