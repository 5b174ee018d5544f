/// One immutable state of the three trees, after the commit of ``version``.
///
/// Threading: any thread. A view costs memory only: it keeps alive what it shows. Keys and values handed to a closure
/// are valid inside that call alone.
package final class View: @unchecked Sendable {
  /// The last commit in this view; 0 when nothing was ever committed.
  package let version: UInt64
  /// That commit's time in microseconds since 1970; 0 when nothing was ever committed.
  package let commitTime: Int64

  init(version: UInt64, commitTime: Int64) {
    self.version = version
    self.commitTime = commitTime
  }

  /// A copy of the value at `key`, or `nil`.
  package func get(_ tree: TreeID, _ key: [UInt8]) throws(StorageError) -> [UInt8]? {
    fatalError("pending")
  }

  /// Calls `body` with the value at `key`, in place; `nil` when the key is absent.
  package func withValue<R>(
    _ tree: TreeID, _ key: [UInt8], _ body: (UnsafeRawBufferPointer) throws -> R
  ) throws -> R? {
    fatalError("pending")
  }

  /// Calls `body` for each entry of `range` in key order (or against it) until it returns `false`.
  package func scan(
    _ tree: TreeID, _ range: KeyRange = .everything, descending: Bool = false,
    _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws -> Bool
  ) throws {
    fatalError("pending")
  }

  /// How many entries the range holds. O(height × layers), whatever the size of the range.
  package func count(_ tree: TreeID, _ range: KeyRange = .everything) throws(StorageError) -> Int {
    fatalError("pending")
  }

  /// The entry at `offset` (from 0) of the range in key order, or `nil` past its end.
  package func entry(
    at offset: Int, in range: KeyRange, _ tree: TreeID
  ) throws(StorageError) -> (key: [UInt8], value: [UInt8])? {
    fatalError("pending")
  }
}
