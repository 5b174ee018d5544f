@_spi(Storage) import HearthStorage

/// Hearth's storage engine, reached through its facade alone: documents in one tree, all index keys in another.
final class HearthEngine: Engine {
  private let store: StorageFacade
  private let isDurable: Bool
  private let cacheBytes: Int

  init(_ folder: String, _ settings: EngineSettings) throws {
    store = try StorageFacade(directory: folder, cacheBytes: settings.cacheBytes)
    cacheBytes = settings.cacheBytes
    isDurable = settings.isDurable
  }

  var about: EngineAbout {
    EngineAbout(
      version: "of this tree",
      settings:
        "page cache \(cacheBytes >> 20) MiB, LZ4 blocks of 16 KiB pages; commits \(isDurable ? "durable" : "buffered")",
      bulkLoad: nil)
  }

  /// The engine has no bulk path yet; one that comes is wrapped here.
  static func bulkLoader(_ folder: String, _ settings: EngineSettings) throws -> (any BulkLoader)? { nil }

  func session() throws -> any Session { HearthSession(store, isDurable: isDurable) }

  func close() throws { try store.close() }
}

private final class HearthSession: Session {
  private let store: StorageFacade
  private let isDurable: Bool
  /// The key of the document that an index entry names.
  private var key = BenchDocuments.pathPrefix + [UInt8](repeating: 0, count: 20)
  private var value: [UInt8] = []

  init(_ store: StorageFacade, isDurable: Bool) {
    self.store = store
    self.isDurable = isDurable
  }

  func insert(_ documents: ArraySlice<CompareDocument>) throws {
    try store.commit(isDurable: isDurable) { state, batch in
      for document in documents {
        // Reads whether the key is free, as LMDB and SQLite do; then so are its index keys.
        try batch.put(.documents, document.key, document.stored.value, reading: state)
        for key in document.stored.indexKeys { try batch.insert(.indexes, key, []) }
      }
    }
  }

  func read(_ key: [UInt8], _ digest: inout AnswerDigest) throws -> Bool {
    try store.state().withValue(.documents, key) { digest.add($0) }
  }

  func update(_ change: ScoreChange) throws {
    try store.commit(isDurable: isDurable) { state, batch in
      guard try state.withValue(.documents, change.key, { value.replaceAll($0) }) else {
        throw CompareError.missing(change.key)
      }
      change.apply(to: &value)
      try batch.replace(.documents, change.key, value, oldSize: value.count)
    }
  }

  func readModifyWrite(_ change: ScoreChange, _ digest: inout AnswerDigest) throws {
    var answer = digest
    try store.commit(isDurable: isDurable) { state, batch in
      // Begins anew when the commit is derived again.
      answer = digest
      guard try state.withValue(.documents, change.key, { value.replaceAll($0) }) else {
        throw CompareError.missing(change.key)
      }
      value.withUnsafeBytes { answer.add($0) }
      change.apply(to: &value)
      try batch.replace(.documents, change.key, value, oldSize: value.count)
    }
    digest = answer
  }

  func scan(from key: [UInt8], limit: Int, _ digest: inout AnswerDigest) throws -> Int {
    var found = 0
    try store.state().scan(.documents, from: key, to: nil) { _, value in
      digest.add(value, place: found)
      found += 1
      return found < limit
    }
    return found
  }

  func newest(_ query: Query, limit: Int, _ digest: inout AnswerDigest) throws -> Int {
    try documents(query, limit, &digest)
  }

  func byAge(_ query: Query, limit: Int, _ digest: inout AnswerDigest) throws -> Int {
    try documents(query, limit, &digest)
  }

  private func documents(_ query: Query, _ limit: Int, _ digest: inout AnswerDigest) throws -> Int {
    let state = try store.state()
    var found = 0
    try state.scan(.indexes, from: query.lower, to: query.upper) { entry, _ in
      key.replaceID(entry)
      guard try state.withValue(.documents, key, { digest.add($0, place: found) }) else {
        throw CompareError.missing(key)
      }
      found += 1
      return found < limit
    }
    return found
  }

  func count(_ query: Query) throws -> Int {
    try store.state().count(.indexes, from: query.lower, to: query.upper)
  }

  func scanAll(_ digest: inout AnswerDigest) throws -> Int {
    var found = 0
    try store.state().scan(.documents, from: [], to: nil) { _, value in
      digest.add(value)
      found += 1
      return true
    }
    return found
  }
}
