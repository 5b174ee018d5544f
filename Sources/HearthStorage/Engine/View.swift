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
  package func get(_ tree: TreeID, _ key: [UInt8]) throws(StorageError) -> [UInt8]? {
    key.withKeyBytes { key in stack.lookup(tree, key).map { [UInt8]($0.value) } }
  }

  /// Calls `body` with the value at `key`, in place; `nil` when the key is absent.
  package func withValue<R>(
    _ tree: TreeID, _ key: [UInt8], _ body: (UnsafeRawBufferPointer) throws -> R
  ) throws -> R? {
    guard let entry = key.withKeyBytes({ stack.lookup(tree, $0) }) else { return nil }
    return try body(entry.value)
  }

  /// Whether `key` is present, the commit that last changed it as far as that is remembered, and its value's size.
  func state(_ tree: TreeID, _ key: [UInt8]) -> KeyState {
    key.withKeyBytes { stack.state(tree, $0) }
  }

  /// Calls `body` for each entry of `range` in key order (or against it) until it returns `false`.
  package func scan(
    _ tree: TreeID, _ range: KeyRange = .everything, descending: Bool = false,
    _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws -> Bool
  ) throws {
    var cursor = MergedCursor(stack, tree, range)
    if descending {
      cursor.seekToEnd()
      while let entry = cursor.previous() {
        if try !body(entry.key.bytes, entry.value) { return }
      }
    } else {
      while let entry = cursor.next() {
        if try !body(entry.key.bytes, entry.value) { return }
      }
    }
  }

  /// How many entries the range holds. O(height × layers), whatever the size of the range.
  package func count(_ tree: TreeID, _ range: KeyRange = .everything) throws(StorageError) -> Int {
    range.withKeyBytes { lower, upper in stack.count(tree, from: lower, to: upper) }
  }

  /// The entry at `offset` (from 0) of the range in key order, or `nil` past its end.
  package func entry(
    at offset: Int, in range: KeyRange, _ tree: TreeID
  ) throws(StorageError) -> (key: [UInt8], value: [UInt8])? {
    range.withKeyBytes { lower, upper in
      stack.entry(tree, at: offset, from: lower, to: upper).map { ([UInt8]($0.key.bytes), [UInt8]($0.value)) }
    }
  }

  /// A cursor over `range`, standing before its first entry.
  package func cursor(_ tree: TreeID, _ range: KeyRange = .everything) -> Cursor {
    Cursor(self, tree, range)
  }
}

extension View {
  /// The size of the value at `key`, or `nil` when the key is absent.
  package func valueSize(_ tree: TreeID, _ key: [UInt8]) throws(StorageError) -> Int? {
    let state = state(tree, key)
    return state.isPresent ? state.valueSize : nil
  }

  /// Whether a key of the range changed after `version`; may say so where only a neighbour did.
  func hasChange(_ tree: TreeID, _ range: KeyRange, after version: UInt64) -> Bool {
    range.withKeyBytes { lower, upper in stack.hasChange(tree, from: lower, to: upper, after: version) }
  }
}
