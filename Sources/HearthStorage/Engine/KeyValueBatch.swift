/// Changes that become visible and durable together, in the form in which the log keeps them.
///
/// Each operation states what it found: ``insert(_:key:value:)`` a key that was absent, ``replace(_:key:value:oldSize:)``
/// and ``remove(_:key:oldSize:)`` a key that was present with a value of `oldSize` bytes. The engine never reads to apply
/// a batch, so a wrong claim would corrupt counts; `put` and `delete` are for callers that don't know and read first.
/// Several operations on one key compose in order.
///
/// A batch is derived from one view: committing it fails with `.conflict` when one of its keys, or a key or range
/// it requires, changed since. Not thread-safe; a value.
package struct KeyValueBatch: Sendable {
  /// The version of the view that the claims were derived from.
  package let baseVersion: UInt64

  /// Operations, encoded as in a log record (`BatchFormat`).
  private(set) var payload: [UInt8] = []
  package private(set) var count = 0
  /// Places in `payload` that receive the commit's version and time (8 bytes, big-endian) when it is sequenced.
  private(set) var stamps: [Stamp] = []
  private(set) var conditions: [Condition] = []
  private var lastKeyStart = 0
  private var lastValueStart = 0

  struct Stamp: Sendable {
    enum Kind: UInt8, Sendable { case version, time }
    var kind: Kind
    /// In `payload`.
    var offset: Int
    /// Which operation it belongs to, and where that one's value begins in `payload`.
    var operation: Int
    var valueStart: Int
    var isInKey: Bool { offset < valueStart }
  }

  enum Condition: Sendable {
    case key(TreeID, [UInt8], version: UInt64, wasAbsent: Bool)
    case range(TreeID, KeyRange, version: UInt64)
  }

  /// - Parameter baseVersion: ``View/version`` of the view that the claims are derived from.
  package init(baseVersion: UInt64) {
    self.baseVersion = baseVersion
    // Room for a document with its index entries, so that an ordinary batch grows no array.
    payload.reserveCapacity(960)
  }

  package var isEmpty: Bool { count == 0 }

  /// Requires at commit that the key is as it was at `version`; a key absent then and now is no conflict.
  package mutating func require(_ tree: TreeID, key: [UInt8], unchangedSince version: UInt64, wasAbsent: Bool) {
    conditions.append(.key(tree, key, version: version, wasAbsent: wasAbsent))
  }

  /// Requires at commit that no key in the range changed after `version`. May find a conflict where there is none.
  package mutating func require(_ tree: TreeID, range: KeyRange, unchangedSince version: UInt64) {
    conditions.append(.range(tree, range, version: version))
  }
}

extension KeyValueBatch {
  /// Adds a key that is absent in the view this batch is derived from.
  /// - Throws: `.invalidArgument` for a key or value over the limits (``StorageLimits``); the batch is as before.
  package mutating func insert(_ tree: TreeID, key: [UInt8], value: [UInt8]) throws(StorageError) {
    try append(.insert, tree, key: key, value: value, oldSize: 0)
  }

  /// Replaces the value, `oldSize` bytes long, of a key that is present.
  package mutating func replace(_ tree: TreeID, key: [UInt8], value: [UInt8], oldSize: Int) throws(StorageError) {
    try append(.replace, tree, key: key, value: value, oldSize: oldSize)
  }

  /// Removes a key that is present with a value of `oldSize` bytes.
  package mutating func remove(_ tree: TreeID, key: [UInt8], oldSize: Int) throws(StorageError) {
    try append(.remove, tree, key: key, value: [], oldSize: oldSize)
  }

  /// Insert or replace, whichever `view` calls for. The view is the one this batch is derived from, and the batch has
  /// no operation on this key yet.
  package mutating func put(_ tree: TreeID, key: [UInt8], value: [UInt8], reading view: View) throws(StorageError) {
    if let oldSize = try view.valueSize(tree, key) {
      try replace(tree, key: key, value: value, oldSize: oldSize)
    } else {
      try insert(tree, key: key, value: value)
    }
  }

  /// Removes the key if `view` has it. The view is the one this batch is derived from, and the batch has no operation
  /// on this key yet.
  package mutating func delete(_ tree: TreeID, key: [UInt8], reading view: View) throws(StorageError) {
    guard let oldSize = try view.valueSize(tree, key) else { return }
    try remove(tree, key: key, oldSize: oldSize)
  }

  /// Asks for the commit's version to be written (8 bytes, big-endian) into the value of the operation added last.
  package mutating func stampVersion(atValueOffset offset: Int) {
    stamp(.version, at: lastValueStart + offset, within: payload.count)
  }

  /// Asks for the commit's time (8 bytes, microseconds since 1970, sign bit flipped so that bytes order as numbers,
  /// big-endian) to be written into the value of the operation added last.
  package mutating func stampTime(atValueOffset offset: Int) {
    stamp(.time, at: lastValueStart + offset, within: payload.count)
  }

  /// As ``stampTime(atValueOffset:)``, into the key of the operation added last (an index entry's value part).
  package mutating func stampTime(atKeyOffset offset: Int) {
    stamp(.time, at: lastKeyStart + offset, within: lastValueStart)
  }

  private mutating func stamp(_ kind: Stamp.Kind, at offset: Int, within end: Int) {
    precondition(count > 0 && offset + 8 <= end, "a stamp of 8 bytes at \(offset) reaches past \(end)")
    stamps.append(Stamp(kind: kind, offset: offset, operation: count - 1, valueStart: lastValueStart))
  }

  private mutating func append(
    _ kind: EntryKind, _ tree: TreeID, key: [UInt8], value: [UInt8], oldSize: Int
  ) throws(StorageError) {
    guard key.count <= StorageLimits.keyBytesMax else {
      throw StorageError(
        .invalidArgument, "a key of \(key.count) bytes is over the limit of \(StorageLimits.keyBytesMax)")
    }
    guard value.count <= StorageLimits.valueBytesMax else {
      throw StorageError(
        .invalidArgument, "a value of \(value.count) bytes is over the limit of \(StorageLimits.valueBytesMax)")
    }
    guard payload.count + key.count + value.count + 16 <= StorageLimits.batchBytesMax else {
      throw StorageError(
        .invalidArgument, "a batch of more than \(StorageLimits.batchBytesMax) bytes; write it as several")
    }
    payload.append(BatchFormat.tag(kind, tree))
    payload.append(varint: key.count)
    if kind != .remove { payload.append(varint: value.count) }
    if kind != .insert { payload.append(varint: oldSize) }
    lastKeyStart = payload.count
    payload.append(contentsOf: key)
    lastValueStart = payload.count
    payload.append(contentsOf: value)
    count += 1
  }

  /// Writes version and time into the places that asked for them.
  mutating func fillStamps(version: UInt64, time: Int64) {
    payload.withUnsafeMutableBytes { bytes in
      for stamp in stamps {
        let value = stamp.kind == .version ? version : UInt64(bitPattern: time) ^ (1 &<< 63)
        bytes.baseAddress!.storeBytes(of: value.bigEndian, toByteOffset: stamp.offset, as: UInt64.self)
      }
    }
  }
}

extension KeyValueBatch {
  /// Calls `body` with a reader of the operations in order.
  func withOperations<R>(_ body: (inout BatchReader) -> R) -> R {
    payload.withUnsafeBytes { bytes in
      var reader = BatchReader(bytes)
      return body(&reader)
    }
  }

  /// The payload cut between operations into pieces of about `limit` bytes, at least one.
  func chunks(of limit: Int) -> [(bytes: Range<Int>, operations: Int)] {
    if payload.count <= limit { return [(0..<payload.count, count)] }
    return withOperations { reader in
      var chunks: [(bytes: Range<Int>, operations: Int)] = []
      var start = 0
      var operations = 0
      while reader.next() != nil {
        operations += 1
        if reader.offset - start >= limit {
          chunks.append((start..<reader.offset, operations))
          start = reader.offset
          operations = 0
        }
      }
      if operations > 0 { chunks.append((start..<reader.offset, operations)) }
      return chunks
    }
  }
}
