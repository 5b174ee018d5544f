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
  package internal(set) var payload: [UInt8] = []
  package internal(set) var count = 0
  /// Places in `payload` that receive the commit's version and time (8 bytes, big-endian) when it is sequenced.
  var stamps: [Stamp] = []
  var conditions: [Condition] = []

  struct Stamp: Sendable {
    enum Kind: UInt8, Sendable { case version, time }
    var kind: Kind
    var offset: Int
  }

  enum Condition: Sendable {
    case key(TreeID, [UInt8], version: UInt64, wasAbsent: Bool)
    case range(TreeID, KeyRange, version: UInt64)
  }

  /// - Parameter baseVersion: ``View/version`` of the view that the claims are derived from.
  package init(baseVersion: UInt64) {
    self.baseVersion = baseVersion
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
  package mutating func insert(_ tree: TreeID, key: [UInt8], value: [UInt8]) throws(StorageError) {
    fatalError("pending")
  }

  /// Replaces the value, `oldSize` bytes long, of a key that is present.
  package mutating func replace(_ tree: TreeID, key: [UInt8], value: [UInt8], oldSize: Int) throws(StorageError) {
    fatalError("pending")
  }

  /// Removes a key that is present with a value of `oldSize` bytes.
  package mutating func remove(_ tree: TreeID, key: [UInt8], oldSize: Int) throws(StorageError) {
    fatalError("pending")
  }

  /// Insert or replace, whichever `view` calls for. The view is the one this batch is derived from.
  package mutating func put(_ tree: TreeID, key: [UInt8], value: [UInt8], reading view: View) throws(StorageError) {
    fatalError("pending")
  }

  /// Removes the key if `view` has it. The view is the one this batch is derived from.
  package mutating func delete(_ tree: TreeID, key: [UInt8], reading view: View) throws(StorageError) {
    fatalError("pending")
  }

  /// Asks for the commit's version to be written (8 bytes, big-endian) into the value of the operation added last.
  package mutating func stampVersion(atValueOffset offset: Int) {
    fatalError("pending")
  }

  /// Asks for the commit's time (8 bytes, microseconds since 1970, sign bit flipped so that bytes order as numbers,
  /// big-endian) to be written into the value of the operation added last.
  package mutating func stampTime(atValueOffset offset: Int) {
    fatalError("pending")
  }

  /// As ``stampTime(atValueOffset:)``, into the key of the operation added last (an index entry's value part).
  package mutating func stampTime(atKeyOffset offset: Int) {
    fatalError("pending")
  }
}
