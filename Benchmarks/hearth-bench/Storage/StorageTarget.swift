import HearthStorage
import Synchronization

/// The storage engine by itself: one key for a document, four for its index entries.
final class StorageTarget: BenchTarget {
  typealias Item = StoredDocument

  struct Key: Sendable {
    var bytes: [UInt8]
    /// Where the score lies in the value; 0 when not asked for.
    var scoreOffset: Int
  }

  static var environment: StorageEnvironment {
    StorageEnvironment(
      fileSystem: POSIXFileSystem(), clock: SystemClock(), executor: ThreadExecutor(), random: SystemRandom())
  }

  static var blocks: Bool { true }

  private let engine: StorageEngine
  private let documents: BenchDocuments
  private let durability: Durability
  private let hasIndexes: Bool
  /// Taken once per slice for workloads that only read; others take one per operation.
  private let sharedView = Mutex<View?>(nil)
  private let onlyReads: Bool

  init(directory: String, options: BenchOptions) throws {
    engine = try StorageEngine.open(at: directory, environment: Self.environment)
    documents = BenchDocuments(seed: options.seed)
    durability = options.durability
    hasIndexes = options.hasIndexes
    onlyReads = options.command == .read || options.command == .scan
  }

  func item(_ index: UInt64) -> StoredDocument {
    StoredDocument(documents.document(index))
  }

  func key(_ index: UInt64, isForUpdate: Bool) -> Key {
    if isForUpdate {
      let stored = item(index)
      return Key(bytes: stored.key, scoreOffset: stored.scoreOffset)
    }
    return Key(bytes: documents.path(index), scoreOffset: 0)
  }

  private func batch(inserting items: [StoredDocument], _ view: View) throws -> KeyValueBatch {
    var batch = KeyValueBatch(baseVersion: view.version)
    for item in items {
      try batch.insert(.documents, key: item.key, value: item.value)
      if hasIndexes {
        for key in item.indexKeys { try batch.insert(.indexes, key: key, value: []) }
      }
    }
    return batch
  }

  private func batch(updating key: Key, score: Double, _ view: View) throws -> KeyValueBatch {
    guard var value = try view.get(.documents, key.bytes) else { throw missing(key) }
    let bits = score.bitPattern.littleEndian
    withUnsafeBytes(of: bits) { bytes in
      for k in 0..<8 { value[key.scoreOffset + k] = bytes[k] }
    }
    var batch = KeyValueBatch(baseVersion: view.version)
    try batch.replace(.documents, key: key.bytes, value: value, oldSize: value.count)
    return batch
  }

  func insert(_ items: [StoredDocument]) throws {
    try engine.commit(durability) { try batch(inserting: items, $0) }
  }

  func insert(_ items: [StoredDocument]) async throws {
    try await engine.commit(durability) { try batch(inserting: items, $0) }
  }

  func update(_ key: Key, score: Double) throws {
    try engine.commit(durability) { try batch(updating: key, score: score, $0) }
  }

  func update(_ key: Key, score: Double) async throws {
    try await engine.commit(durability) { try batch(updating: key, score: score, $0) }
  }

  func read(_ key: Key) throws -> UInt64 {
    let view = try onlyReads ? currentView() : engine.view()
    let sum = try view.withValue(.documents, key.bytes) { value in
      UInt64(value.count) &+ UInt64(value[0]) &+ UInt64(value[value.count - 1])
    }
    guard let sum else { throw missing(key) }
    return sum
  }

  func read(_ key: Key) async throws -> UInt64 {
    try readBlocking(key)
  }

  func scan(from key: Key, count: Int) throws -> Int {
    var found = 0
    try engine.view().scan(.documents, KeyRange(lower: key.bytes)) { _, _ in
      found += 1
      return found < count
    }
    return found
  }

  func scan(from key: Key, count: Int) async throws -> Int {
    try scanBlocking(from: key, count: count)
  }

  func scanAll() throws -> BenchDigest {
    var digest = BenchDigest()
    let prefix = BenchDocuments.pathPrefix.count
    try engine.view().scan(.documents) { key, value in
      digest.add(id: UnsafeRawBufferPointer(rebasing: key[prefix...]), size: value.count)
      return true
    }
    return digest
  }

  func scanAll() async throws -> BenchDigest {
    try scanAllBlocking()
  }

  func digestSize(_ document: BenchDocument) -> Int { StoredDocument(document).value.count }

  func check(_ index: UInt64) async throws {
    try checkBlocking(index)
  }

  func checkCount(_ expected: Int) async throws {
    let view = try engine.view()
    let found = try view.count(.documents)
    try BenchError.expect(found == expected, "\(found) documents instead of \(expected)")
    let entries = try view.count(.indexes)
    let wanted = hasIndexes ? 4 * expected : 0
    try BenchError.expect(entries == wanted, "\(entries) index entries instead of \(wanted)")
  }

  func prepareForSlice() throws {
    if onlyReads {
      let view = try engine.view()
      sharedView.withLock { $0 = view }
    }
  }

  func close() throws {
    sharedView.withLock { $0 = nil }
    try engine.close()
  }

  private func currentView() throws -> View {
    if let view = sharedView.withLock({ $0 }) { return view }
    return try engine.view()
  }

  // Inside an async function the awaiting forms above would call themselves.
  private func readBlocking(_ key: Key) throws -> UInt64 { try read(key) }
  private func scanBlocking(from key: Key, count: Int) throws -> Int { try scan(from: key, count: count) }
  private func scanAllBlocking() throws -> BenchDigest { try scanAll() }

  private func checkBlocking(_ index: UInt64) throws {
    let stored = item(index)
    let view = try engine.view()
    guard var value = try view.get(.documents, stored.key) else {
      throw missing(Key(bytes: stored.key, scoreOffset: 0))
    }
    // The score is what updates change; everything else must be as it was inserted.
    let score = stored.scoreOffset..<(stored.scoreOffset + 8)
    try BenchError.expect(value.count == stored.value.count, "document \(index) has \(value.count) bytes")
    value.replaceSubrange(score, with: stored.value[score])
    try BenchError.expect(value == stored.value, "document \(index) has other bytes than the data set")
    guard hasIndexes else { return }
    for key in stored.indexKeys {
      let entry = try view.get(.indexes, key)
      try BenchError.expect(entry == [], "an index entry of document \(index) is missing")
    }
  }

  private func missing(_ key: Key) -> BenchError {
    BenchError("wrong answer: \(String(decoding: key.bytes, as: UTF8.self)) is missing", kind: .wrongAnswer)
  }
}
