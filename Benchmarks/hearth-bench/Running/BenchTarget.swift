import HearthStorage

/// A database under measurement: the storage engine, or the public API over it.
///
/// Threading: all members may be called by several callers at once.
protocol BenchTarget: Sendable {
  /// A document made ready to be inserted, so that making it is not measured.
  associatedtype Item: Sendable
  /// A document's name made ready to be looked up.
  associatedtype Key: Sendable

  /// Whether one caller calls the blocking forms; without them it awaits like many.
  static var blocks: Bool { get }

  func item(_ index: UInt64) -> Item
  /// - Parameter isForUpdate: Whether ``update(_:score:)`` will be called with it, which may need more.
  func key(_ index: UInt64, isForUpdate: Bool) -> Key

  /// Inserts new documents in one commit.
  func insert(_ items: [Item]) throws
  func insert(_ items: [Item]) async throws
  func update(_ key: Key, score: Double) throws
  func update(_ key: Key, score: Double) async throws
  /// Returns something made of the document's bytes, so that it was read.
  func read(_ key: Key) throws -> UInt64
  func read(_ key: Key) async throws -> UInt64
  /// Reads up to `count` documents in order from `key` on; returns how many.
  func scan(from key: Key, count: Int) throws -> Int
  func scan(from key: Key, count: Int) async throws -> Int

  /// Compares a stored document with the data set.
  func check(_ index: UInt64) async throws
  /// Compares the number of documents (and of what hangs on them) with `expected`.
  func checkCount(_ expected: Int) async throws
  /// Reads all documents in order; returns how many there were and a sum over them, see ``BenchDigest``.
  func scanAll() throws -> BenchDigest
  func scanAll() async throws -> BenchDigest

  /// The size that ``scanAll()`` adds to the digest for a document.
  func digestSize(_ document: BenchDocument) -> Int

  /// Called between slices, when nothing is measured.
  func prepareForSlice() throws
  func close() throws
}

/// For targets that only await.
extension BenchTarget {
  func insert(_ items: [Item]) throws { throw BenchError.noBlockingForm }
  func update(_ key: Key, score: Double) throws { throw BenchError.noBlockingForm }
  func read(_ key: Key) throws -> UInt64 { throw BenchError.noBlockingForm }
  func scan(from key: Key, count: Int) throws -> Int { throw BenchError.noBlockingForm }
  func scanAll() throws -> BenchDigest { throw BenchError.noBlockingForm }
}

/// One thing a workload does.
enum BenchOperation<Target: BenchTarget>: Sendable {
  case insert([Target.Item], indexes: [UInt64])
  case read(Target.Key)
  case update(Target.Key, score: Double)
  case scan(Target.Key, count: Int)
  case scanAll
}

/// What a set of documents looks like from far: their number and a sum over ids and sizes, whatever their order.
struct BenchDigest: Equatable, Sendable {
  var count = 0
  var sum: UInt64 = 0

  /// - Parameter id: The 20 bytes of a document's id.
  mutating func add(id: UnsafeRawBufferPointer, size: Int) {
    count += 1
    let head = id.loadUnaligned(fromByteOffset: 0, as: UInt64.self)
    let tail = id.loadUnaligned(fromByteOffset: 12, as: UInt64.self)
    sum &+= SplitMix.mix(head &+ UInt64(size)) ^ tail
  }
}
