/// One immutable state of the three trees, after the commit of ``version``.
///
/// Threading: any thread. A view costs memory only: it keeps alive what it shows. Keys and values handed to a closure
/// are valid inside that call alone.
package final class View: @unchecked Sendable {
  /// The last commit in this view; 0 when nothing was ever committed.
  package let version: UInt64
  /// That commit's time in microseconds since 1970; 0 when nothing was ever committed.
  package let commitTime: Int64

  /// The number that keeps the roots readable while the view lives.
  let number: UInt64
  let stack: LayerStack
  private let registry: (any ViewRegistry)?

  /// - Parameters:
  ///   - number: Already among the live numbers of every layer in `stack`.
  ///   - registry: Told when the view dies.
  init(number: UInt64, version: UInt64, commitTime: Int64, stack: LayerStack, registry: (any ViewRegistry)?) {
    self.number = number
    self.version = version
    self.commitTime = commitTime
    self.stack = stack
    self.registry = registry
  }

  deinit { registry?.viewDied(number: number) }

  /// A copy of the value at `key`, or `nil`.
  ///
  /// - Throws: what reading the files throws, `.corruption` with the place among it.
  package func get(_ tree: TreeID, _ key: [UInt8]) throws(StorageError) -> [UInt8]? {
    do {
      return try key.withKeyBytes { key in try stack.withValue(tree, key) { [UInt8]($0) } }
    } catch let error as StorageError {
      throw error
    } catch {
      throw StorageError(.io, "a value was not read", cause: "\(error)")
    }
  }

  /// Calls `body` with the value at `key`, in place; `nil` when the key is absent. `body` should be short: what is evicted
  /// from the page cache meanwhile stays in memory.
  package func withValue<R>(
    _ tree: TreeID, _ key: [UInt8], _ body: (UnsafeRawBufferPointer) throws -> R
  ) throws -> R? {
    defer { withExtendedLifetime(self) {} }
    return try key.withKeyBytes { key in try stack.withValue(tree, key, body) }
  }

  /// Whether `key` is present, the commit that last changed it as far as that is remembered, and its value's size.
  func state(_ tree: TreeID, _ key: [UInt8]) throws(StorageError) -> KeyState {
    try key.withKeyBytes { (key) throws(StorageError) in try stack.state(tree, key) }
  }

  /// Calls `body` for each entry of `range` in key order (or against it) until it returns `false`.
  ///
  /// Entries are shown in place, so `body` should be short: what is evicted from the page cache meanwhile stays in memory.
  /// Who waits between entries uses a cursor.
  package func scan(
    _ tree: TreeID, _ range: KeyRange = .everything, descending: Bool = false,
    _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws -> Bool
  ) throws {
    // The roots are readable as long as this view lives.
    defer { withExtendedLifetime(self) {} }
    var cursor = MergedCursor(stack, tree, range)
    if descending { cursor.seekToEnd() }
    var failure: (any Error)?
    var isDone = false
    while !isDone {
      var rest = View.entriesPerPin
      let isAtEnd = try cursor.visit(descending ? .down : .up) { key, value in
        do { isDone = !(try body(key.bytes, value)) } catch { failure = error }
        rest &-= 1
        return rest > 0 && !isDone && failure == nil
      }
      if let failure { throw failure }
      isDone = isDone || isAtEnd
    }
  }

  /// Evicted pages are freed after so many entries of a scan.
  private static let entriesPerPin = 1024

  /// How many entries the range holds. O(height × layers), whatever the size of the range.
  package func count(_ tree: TreeID, _ range: KeyRange = .everything) throws(StorageError) -> Int {
    try range.withKeyBytes { (lower, upper) throws(StorageError) in try stack.count(tree, from: lower, to: upper) }
  }

  /// The entry at `offset` (from 0) of the range in key order, or `nil` past its end.
  package func entry(
    at offset: Int, in range: KeyRange, _ tree: TreeID
  ) throws(StorageError) -> (key: [UInt8], value: [UInt8])? {
    let key = try range.withKeyBytes { (lower, upper) throws(StorageError) in
      try stack.key(tree, at: offset, from: lower, to: upper)
    }
    guard let key, let value = try get(tree, key) else { return nil }
    return (key, value)
  }

  /// A cursor over `range`, standing before its first entry.
  package func cursor(_ tree: TreeID, _ range: KeyRange = .everything) -> Cursor {
    Cursor(self, tree, range)
  }
}

extension View {
  /// The size of the value at `key`, or `nil` when the key is absent.
  package func valueSize(_ tree: TreeID, _ key: [UInt8]) throws(StorageError) -> Int? {
    let state = try state(tree, key)
    return state.isPresent ? state.valueSize : nil
  }
}
