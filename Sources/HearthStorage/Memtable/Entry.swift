/// What an entry of a layer says about its key, compared with the layers below. The raw value tags pointers in leaves.
enum EntryKind: UInt8, Sendable {
  /// Was absent below: counts +1.
  case insert = 0
  /// Was present below and has a new value: counts 0.
  case replace = 1
  /// Was present below and is gone, a tombstone: counts −1.
  case remove = 2

  var sign: Int { 1 - Int(rawValue) }
}

/// One immutable entry in a layer's arena: kind, commit version, key and value.
///
/// The kind lives in the low bits of the pointer and not in the arena, so that counting reads no entry and a fold can
/// turn a replacement into an insert without copying. An entry lives as long as the arena chunk that holds it.
///
///     offset  size  field
///     0       8     commit version
///     8       4     size of the value
///     12      4     size of the value below this layer (replace and remove)
///     16      2     size of the key
///     18            key, then value
struct Entry: Equatable, @unchecked Sendable {
  private let tagged: UnsafeRawPointer

  static let headerBytes = 18
  static let alignment = 8

  @inline(__always)
  init(_ start: UnsafeRawPointer, _ kind: EntryKind) {
    tagged = start + Int(kind.rawValue)
  }

  /// Writes all but key and value.
  @inline(__always)
  static func writeHeader(
    to start: UnsafeMutableRawPointer, version: UInt64, oldSize: Int, keyBytes: Int, valueBytes: Int
  ) {
    start.storeBytes(of: version, as: UInt64.self)
    start.storeBytes(of: UInt32(truncatingIfNeeded: valueBytes), toByteOffset: 8, as: UInt32.self)
    start.storeBytes(of: UInt32(truncatingIfNeeded: oldSize), toByteOffset: 12, as: UInt32.self)
    start.storeBytes(of: UInt16(truncatingIfNeeded: keyBytes), toByteOffset: 16, as: UInt16.self)
  }

  @inline(__always)
  private var tag: Int { Int(bitPattern: tagged) & 3 }

  @inline(__always)
  var start: UnsafeRawPointer { tagged - tag }

  /// `unsafeBitCast` because the tag is always one of the three cases and this is read for each entry of a scan.
  @inline(__always)
  var kind: EntryKind { unsafeBitCast(UInt8(truncatingIfNeeded: tag), to: EntryKind.self) }

  @inline(__always)
  var sign: Int { 1 &- tag }

  @inline(__always)
  var isTombstone: Bool { tag == 2 }

  @inline(__always)
  var version: UInt64 { start.load(as: UInt64.self) }

  @inline(__always)
  var valueSize: Int { Int(start.load(fromByteOffset: 8, as: UInt32.self)) }

  /// The size of the value below this layer; 0 for an insert, whatever it was made from.
  var oldSize: Int { kind == .insert ? 0 : storedOldSize }

  /// What the arena says, whatever the kind.
  var storedOldSize: Int { Int(start.load(fromByteOffset: 12, as: UInt32.self)) }

  @inline(__always)
  var key: KeyBytes {
    let start = start
    return KeyBytes(start + Entry.headerBytes, Int(start.load(fromByteOffset: 16, as: UInt16.self)))
  }

  @inline(__always)
  var value: UnsafeRawBufferPointer {
    let key = key
    return UnsafeRawBufferPointer(start: key.start + key.count, count: valueSize)
  }
}
