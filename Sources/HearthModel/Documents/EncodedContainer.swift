/// A map or array in encoded form (``DocumentFormat``), read in place: one field costs the bytes on the way to it.
///
/// It points into memory that must outlive it. Any bytes will do: what is not well formed throws `corruption`, when the
/// container is opened or when the bad part is reached, and nothing is read outside the bytes given.
package struct EncodedContainer {
  private let bytes: UnsafeRawBufferPointer
  private let shape: DocumentFormat.Shape
  /// Where the contents begin in `bytes`.
  private let contentsOffset: Int
  let depth: Int

  package var count: Int { shape.count }

  /// - Parameters:
  ///   - hasNames: `true` for a map, `false` for an array.
  ///   - depth: How many containers hold this one.
  init(_ bytes: UnsafeRawBufferPointer, hasNames: Bool, depth: Int) throws(ModelError) {
    self.bytes = bytes
    self.depth = depth
    if depth > DocumentFormat.depthMax {
      throw .corruption("an encoded value is nested more than \(DocumentFormat.depthMax) deep")
    }
    if bytes.isEmpty {
      shape = DocumentFormat.Shape(count: 0, hasNames: hasNames, isWide: false)
      contentsOffset = 0
      return
    }
    let flags = bytes[0]
    guard flags & ~DocumentFormat.wideFlag == 0 else { throw .corruption("a container has unknown flags \(flags)") }
    var shape = DocumentFormat.Shape(count: 0, hasNames: hasNames, isWide: flags != 0)
    guard bytes.count >= shape.tableOffset else { throw EncodedContainer.tooShort(bytes.count) }
    shape.count = EncodedContainer.loadEnd(bytes, at: 1, width: shape.width)
    // At most 2^32 entries of 9 bytes: this cannot overflow.
    guard shape.count > 0, shape.dataOffset <= bytes.count else { throw EncodedContainer.tooShort(bytes.count) }
    self.shape = shape
    let last = shape.tableOffset + (shape.count - 1) * shape.entryBytes
    let namesBytes = hasNames ? EncodedContainer.loadEnd(bytes, at: last, width: shape.width) : 0
    contentsOffset = shape.dataOffset + namesBytes
    let contentsBytes = EncodedContainer.loadEnd(bytes, at: last + (hasNames ? shape.width : 0), width: shape.width)
    guard contentsOffset + contentsBytes == bytes.count else {
      throw .corruption("a container of \(bytes.count) bytes ends at byte \(contentsOffset + contentsBytes)")
    }
  }

  private static func tooShort(_ count: Int) -> ModelError {
    .corruption("a container of \(count) bytes is too short for its table")
  }

  @inline(__always)
  private static func loadEnd(_ bytes: UnsafeRawBufferPointer, at offset: Int, width: Int) -> Int {
    width == 2
      ? Int(UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self)))
      : Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
  }

  /// The part of `bytes` that entry `index` has in the names or in the contents.
  @inline(__always)
  private func part(
    _ index: Int, fieldOffset: Int, base: Int, limit: Int
  ) throws(ModelError) -> UnsafeRawBufferPointer {
    let slot = shape.tableOffset + index * shape.entryBytes + fieldOffset
    let start = index == 0 ? 0 : EncodedContainer.loadEnd(bytes, at: slot - shape.entryBytes, width: shape.width)
    let end = EncodedContainer.loadEnd(bytes, at: slot, width: shape.width)
    guard start <= end, base + end <= limit else {
      throw .corruption("entry \(index) of a container of \(bytes.count) bytes lies at \(start)..<\(end)")
    }
    return UnsafeRawBufferPointer(rebasing: bytes[base + start..<base + end])
  }

  /// The name of a map's field, `index` from 0 to ``count`` - 1.
  package func name(at index: Int) throws(ModelError) -> UnsafeRawBufferPointer {
    try part(index, fieldOffset: 0, base: shape.dataOffset, limit: contentsOffset)
  }

  /// The value at `index`, from 0 to ``count`` - 1, still encoded.
  package func value(at index: Int) throws(ModelError) -> EncodedValue {
    let fieldOffset = shape.hasNames ? shape.width : 0
    let slot = shape.tableOffset + index * shape.entryBytes + fieldOffset
    let rawTag = bytes[slot + shape.width]
    guard let tag = DocumentFormat.Tag(rawValue: rawTag) else {
      throw .corruption("a value has the unknown tag \(rawTag)")
    }
    let content = try part(index, fieldOffset: fieldOffset, base: contentsOffset, limit: bytes.count)
    return EncodedValue(tag: tag, content: content, depth: depth)
  }

  /// The value of a map's field, or `nil`.
  package func value(named name: UnsafeRawBufferPointer) throws(ModelError) -> EncodedValue? {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      switch ByteOrder.compare(try self.name(at: middle), name) {
      case .less: low = middle + 1
      case .equal: return try value(at: middle)
      case .greater: high = middle
      }
    }
    return nil
  }

  package func value(named name: String) throws(ModelError) -> EncodedValue? {
    try name.withUTF8Bytes { name in Result { () throws(ModelError) in try value(named: name) } }.get()
  }

  /// Decodes a map with everything in it.
  package func decodeMap() throws(ModelError) -> MapValue {
    var entries: [MapValue.Entry] = []
    entries.reserveCapacity(count)
    var cursor = Cursor(self)
    var previous = UnsafeRawBufferPointer(start: nil, count: 0)
    for index in 0..<count {
      let bytes = try cursor.nextName()
      if index > 0, ByteOrder.compare(previous, bytes) != .less {
        throw .corruption("the names of a map do not ascend at field \(index)")
      }
      previous = bytes
      guard let name = String(utf8Bytes: bytes) else { throw .corruption("the name of field \(index) is not UTF-8") }
      entries.append(MapValue.Entry(name: name, value: try cursor.nextValue().decode()))
    }
    return MapValue(sorted: entries)
  }

  /// Decodes an array with everything in it.
  package func decodeArray() throws(ModelError) -> [Value] {
    var elements: [Value] = []
    elements.reserveCapacity(count)
    var cursor = Cursor(self)
    for _ in 0..<count { elements.append(try cursor.nextValue().decode()) }
    return elements
  }

  /// Goes through all entries in order, for each the name (of a map's) and then the value, reading each end once.
  private struct Cursor {
    private let container: EncodedContainer
    /// Where the next entry is in the table.
    private var slot: Int
    /// Where the next name and the next content begin.
    private var name: Int
    private var content: Int

    init(_ container: EncodedContainer) {
      self.container = container
      slot = container.shape.tableOffset
      name = container.shape.dataOffset
      content = container.contentsOffset
    }

    @inline(__always)
    private func part(from start: Int, to end: Int, limit: Int) throws(ModelError) -> UnsafeRawBufferPointer {
      guard start <= end, end <= limit else {
        throw .corruption("an entry of a container of \(container.bytes.count) bytes lies at \(start)..<\(end)")
      }
      return UnsafeRawBufferPointer(rebasing: container.bytes[start..<end])
    }

    @inline(__always)
    mutating func nextName() throws(ModelError) -> UnsafeRawBufferPointer {
      let end =
        container.shape.dataOffset
        &+ EncodedContainer.loadEnd(container.bytes, at: slot, width: container.shape.width)
      let bytes = try part(from: name, to: end, limit: container.contentsOffset)
      name = end
      return bytes
    }

    @inline(__always)
    mutating func nextValue() throws(ModelError) -> EncodedValue {
      let shape = container.shape
      let endSlot = shape.hasNames ? slot &+ shape.width : slot
      let end = container.contentsOffset &+ EncodedContainer.loadEnd(container.bytes, at: endSlot, width: shape.width)
      let rawTag = container.bytes[endSlot &+ shape.width]
      guard let tag = DocumentFormat.Tag(rawValue: rawTag) else {
        throw .corruption("a value has the unknown tag \(rawTag)")
      }
      let bytes = try part(from: content, to: end, limit: container.bytes.count)
      content = end
      slot &+= shape.entryBytes
      return EncodedValue(tag: tag, content: bytes, depth: container.depth)
    }
  }
}
