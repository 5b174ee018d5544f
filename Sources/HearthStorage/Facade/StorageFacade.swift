/// The storage engine for programs outside this package, which `package` declarations do not reach: the comparison with
/// other databases (`Benchmarks/compare`). Not for apps, and free to change: `@_spi(Storage) import HearthStorage`.
///
/// Threading: every member from any thread.
@_spi(Storage)
public final class StorageFacade: Sendable {
  public enum Tree: Sendable {
    case documents, indexes

    var id: TreeID { self == .documents ? .documents : .indexes }
  }

  private let engine: StorageEngine

  /// Opens the database in `directory` for writing and makes one where there is none.
  /// - Throws: ``StorageError``.
  /// - Parameter cacheBytes: memory for pages.
  public init(directory: String, cacheBytes: Int = 256 << 20) throws {
    let environment = StorageEnvironment(
      fileSystem: POSIXFileSystem(), clock: SystemClock(), executor: ThreadExecutor(), random: SystemRandom())
    var options = StorageOptions()
    options.pageCacheBytes = cacheBytes
    engine = try StorageEngine.open(at: directory, options: options, environment: environment)
  }

  /// The newest published state.
  public func state() throws -> State { State(view: try engine.view()) }

  /// Commits what `fill` adds to the batch, and returns once it survives the process, or a power cut when `isDurable`.
  /// `fill` runs again when another commit changed what it read.
  public func commit(isDurable: Bool, _ fill: (State, inout Batch) throws -> Void) throws {
    try engine.commit(isDurable ? .durable : .buffered) { view in
      var batch = Batch(operations: KeyValueBatch(baseVersion: view.version))
      try fill(State(view: view), &batch)
      return batch.operations
    }
  }

  public func close() throws { try engine.close() }
}

@_spi(Storage)
extension StorageFacade {
  /// One immutable state of the database. Keys and values that a closure gets are valid inside that call alone.
  public struct State: Sendable {
    let view: View

    /// Calls `body` with the value at `key`; returns whether there is one.
    public func withValue(_ tree: Tree, _ key: [UInt8], _ body: (UnsafeRawBufferPointer) -> Void) throws -> Bool {
      try view.withValue(tree.id, key, body) != nil
    }

    /// Calls `body` for each entry from `lower` (included) up to `upper` (excluded; `nil` is the end of the tree) in
    /// key order until it returns `false`.
    public func scan(
      _ tree: Tree, from lower: [UInt8], to upper: [UInt8]?,
      _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws -> Bool
    ) throws {
      try view.scan(tree.id, KeyRange(lower: lower, upper: upper), body)
    }

    /// How many entries there are from `lower` (included) up to `upper` (excluded).
    public func count(_ tree: Tree, from lower: [UInt8], to upper: [UInt8]?) throws -> Int {
      try view.count(tree.id, KeyRange(lower: lower, upper: upper))
    }
  }

  /// Changes that are committed together.
  public struct Batch {
    var operations: KeyValueBatch

    /// Adds a key that is absent in the state given along; a wrong claim fails the commit or corrupts counts.
    public mutating func insert(_ tree: Tree, _ key: [UInt8], _ value: [UInt8]) throws {
      try operations.insert(tree.id, key: key, value: value)
    }

    /// Inserts or replaces, whichever `state` calls for.
    public mutating func put(_ tree: Tree, _ key: [UInt8], _ value: [UInt8], reading state: State) throws {
      try operations.put(tree.id, key: key, value: value, reading: state.view)
    }

    /// Replaces the value, `oldSize` bytes long, of a key that is present.
    public mutating func replace(_ tree: Tree, _ key: [UInt8], _ value: [UInt8], oldSize: Int) throws {
      try operations.replace(tree.id, key: key, value: value, oldSize: oldSize)
    }
  }
}
