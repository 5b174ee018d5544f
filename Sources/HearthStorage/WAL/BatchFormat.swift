/// Layout of the operations in a frame's payload (FORMAT.md, "Operations"). On disk since format 0.
///
/// | size | field |
/// |---|---|
/// | 1 | tag: bits 0–1 the operation (``EntryKind``: 0 insert, 1 replace, 2 remove), bits 2–3 the tree (``TreeID``), the rest 0 |
/// | varint | length of the key |
/// | varint | insert, replace: length of the value |
/// | varint | replace, remove: size of the value that was there |
/// | … | key, then value |
///
/// Varints are unsigned LEB128 of at most 32 bits.
enum BatchFormat {
  static func tag(_ kind: EntryKind, _ tree: TreeID) -> UInt8 { kind.rawValue | tree.rawValue << 2 }
}

/// One decoded operation; key and value point into the payload.
struct BatchOperation {
  var kind: EntryKind
  var tree: TreeID
  var key: UnsafeRawBufferPointer
  var value: UnsafeRawBufferPointer
  /// Size of the value before; 0 for an insert.
  var oldSize: Int

  /// What the operation adds to the bytes of all keys and values.
  var stateGrowth: Int {
    switch kind {
    case .insert: key.count &+ value.count
    case .replace: value.count &- oldSize
    case .remove: 0 &- key.count &- oldSize
    }
  }
}

/// Walks the operations of a payload. Total: bytes that are no operation end it with `isDamaged`.
struct BatchReader {
  private var reader: ByteReader
  private(set) var isDamaged = false

  init(_ payload: UnsafeRawBufferPointer) {
    reader = ByteReader(payload)
  }

  /// Where the next operation begins.
  var offset: Int { reader.offset }

  @inline(__always) mutating func next() -> BatchOperation? {
    if isDamaged || reader.isAtEnd { return nil }
    guard let tag = reader.byte(), tag < 0x10, let kind = EntryKind(rawValue: tag & 3),
      let tree = TreeID(rawValue: tag &>> 2), let keyLength = reader.varint(), keyLength <= StorageLimits.keyBytesMax,
      let valueLength = kind == .remove ? 0 : reader.varint(), valueLength <= StorageLimits.valueBytesMax,
      let oldSize = kind == .insert ? 0 : reader.varint(),
      let key = reader.take(keyLength), let value = reader.take(valueLength)
    else {
      isDamaged = true
      return nil
    }
    return BatchOperation(kind: kind, tree: tree, key: key, value: value, oldSize: oldSize)
  }
}
