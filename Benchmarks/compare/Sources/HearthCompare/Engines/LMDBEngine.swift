import CLMDB

/// LMDB: a named database for the documents and one for each index. It has no cache of its own, the map is the cache.
final class LMDBEngine: Engine, @unchecked Sendable {
  let environment: OpaquePointer
  let documents: MDB_dbi
  /// By ``IndexKind/rawValue``.
  let indexes: [MDB_dbi]
  private let settings: EngineSettings

  init(_ folder: String, _ settings: EngineSettings) throws {
    self.settings = settings
    var made: OpaquePointer?
    try Self.check(mdb_env_create(&made))
    guard let environment = made else { throw CompareError("LMDB: no environment") }
    self.environment = environment
    // Addresses only: the file grows as it is filled.
    try Self.check(mdb_env_set_mapsize(environment, 64 << 30))
    try Self.check(mdb_env_set_maxdbs(environment, 8))
    try Self.check(mdb_env_set_maxreaders(environment, 64))
    var flags = MDB_NOTLS
    if settings.isCold { flags |= MDB_NORDAHEAD }
    if !settings.isDurable { flags |= MDB_NOSYNC }
    try Self.check(mdb_env_open(environment, folder, UInt32(flags), 0o644))
    var transaction: OpaquePointer?
    try Self.check(mdb_txn_begin(environment, nil, 0, &transaction))
    func open(_ name: String) throws -> MDB_dbi {
      var database = MDB_dbi()
      try Self.check(mdb_dbi_open(transaction, name, UInt32(MDB_CREATE), &database))
      return database
    }
    documents = try open("documents")
    var indexes: [MDB_dbi] = []
    for kind in IndexKind.allCases { indexes.append(try open("\(kind)")) }
    self.indexes = indexes
    try Self.check(mdb_txn_commit(transaction))
  }

  var about: EngineAbout {
    var (major, minor, patch) = (Int32(0), Int32(0), Int32(0))
    mdb_version(&major, &minor, &patch)
    return EngineAbout(
      version: "\(major).\(minor).\(patch)",
      settings: "5 named databases, the map is the cache" + (settings.isCold ? ", MDB_NORDAHEAD" : "")
        + (settings.isDurable ? ", sync at each commit" : ", MDB_NOSYNC"),
      bulkLoad: "MDB_APPEND, one transaction, then sync")
  }

  func session() throws -> any Session { try LMDBSession(self) }

  func close() throws {
    try check(mdb_env_sync(environment, 1))
    mdb_env_close(environment)
  }

  func check(_ result: Int32) throws { try LMDBEngine.check(result) }

  static func check(_ result: Int32) throws {
    if result != MDB_SUCCESS { throw CompareError("LMDB: \(String(cString: mdb_strerror(result)))") }
  }
}

extension MDB_val {
  init(_ bytes: UnsafeRawBufferPointer) {
    self.init(mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
  }

  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: mv_data, count: mv_size) }
}

extension LMDBEngine {
  static func put(
    _ transaction: OpaquePointer?, _ database: MDB_dbi, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer,
    flags: Int32 = 0
  ) throws {
    var (key, value) = (MDB_val(key), MDB_val(value))
    try check(mdb_put(transaction, database, &key, &value, UInt32(flags)))
  }

  /// The index has a database of its own: its letter is left out.
  static func putEntry(
    _ transaction: OpaquePointer?, _ database: MDB_dbi, _ key: [UInt8], flags: Int32 = 0
  ) throws {
    try key.withUnsafeBytes { key in
      try put(
        transaction, database, UnsafeRawBufferPointer(rebasing: key.dropFirst()),
        UnsafeRawBufferPointer(start: nil, count: 0), flags: flags)
    }
  }
}

private final class LMDBSession: Session {
  private let engine: LMDBEngine
  /// Kept from read to read, as LMDB advises.
  private let reader: OpaquePointer
  private var key = BenchDocuments.pathPrefix + [UInt8](repeating: 0, count: 20)
  private var value: [UInt8] = []

  init(_ engine: LMDBEngine) throws {
    self.engine = engine
    var reader: OpaquePointer?
    try engine.check(mdb_txn_begin(engine.environment, nil, UInt32(MDB_RDONLY), &reader))
    guard let reader else { throw CompareError("LMDB: no transaction") }
    mdb_txn_reset(reader)
    self.reader = reader
  }

  deinit { mdb_txn_abort(reader) }

  @inline(__always)
  private func reading<R>(_ body: (OpaquePointer) throws -> R) throws -> R {
    try engine.check(mdb_txn_renew(reader))
    defer { mdb_txn_reset(reader) }
    return try body(reader)
  }

  private func writing(_ body: (OpaquePointer) throws -> Void) throws {
    var transaction: OpaquePointer?
    try engine.check(mdb_txn_begin(engine.environment, nil, 0, &transaction))
    guard let transaction else { throw CompareError("LMDB: no transaction") }
    do {
      try body(transaction)
    } catch {
      mdb_txn_abort(transaction)
      throw error
    }
    try engine.check(mdb_txn_commit(transaction))
  }

  func insert(_ documents: ArraySlice<CompareDocument>) throws {
    try writing { transaction in
      for document in documents {
        try document.key.withUnsafeBytes { key in
          try document.stored.value.withUnsafeBytes { value in
            try LMDBEngine.put(transaction, engine.documents, key, value, flags: MDB_NOOVERWRITE)
          }
        }
        for (kind, key) in document.stored.indexKeys.enumerated() {
          try LMDBEngine.putEntry(transaction, engine.indexes[kind], key)
        }
      }
    }
  }

  /// The bytes stay valid until the transaction ends.
  @inline(__always)
  private func get(_ transaction: OpaquePointer, _ key: [UInt8]) throws -> UnsafeRawBufferPointer? {
    try key.withUnsafeBytes { bytes in
      var (key, value) = (MDB_val(bytes), MDB_val())
      let result = mdb_get(transaction, engine.documents, &key, &value)
      if result == MDB_NOTFOUND { return nil }
      try engine.check(result)
      return value.bytes
    }
  }

  func read(_ key: [UInt8], _ digest: inout AnswerDigest) throws -> Bool {
    try reading { transaction in
      guard let bytes = try get(transaction, key) else { return false }
      digest.add(bytes)
      return true
    }
  }

  func update(_ change: ScoreChange) throws {
    try writing { try replace(change, $0) { _ in } }
  }

  func readModifyWrite(_ change: ScoreChange, _ digest: inout AnswerDigest) throws {
    try writing { try replace(change, $0) { digest.add($0) } }
  }

  private func replace(
    _ change: ScoreChange, _ transaction: OpaquePointer, _ see: (UnsafeRawBufferPointer) -> Void
  ) throws {
    guard let bytes = try get(transaction, change.key) else { throw CompareError.missing(change.key) }
    see(bytes)
    value.replaceAll(bytes)
    change.apply(to: &value)
    try change.key.withUnsafeBytes { key in
      try value.withUnsafeBytes { try LMDBEngine.put(transaction, engine.documents, key, $0) }
    }
  }

  /// Calls `body` for each entry from `lower` on until it returns `false`.
  private func walk(
    _ transaction: OpaquePointer, _ database: MDB_dbi, from lower: UnsafeRawBufferPointer,
    _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws -> Bool
  ) throws {
    var cursor: OpaquePointer?
    try engine.check(mdb_cursor_open(transaction, database, &cursor))
    defer { mdb_cursor_close(cursor) }
    var (key, value) = (MDB_val(lower), MDB_val())
    var result = mdb_cursor_get(cursor, &key, &value, lower.isEmpty ? MDB_FIRST : MDB_SET_RANGE)
    while result == MDB_SUCCESS {
      guard try body(key.bytes, value.bytes) else { return }
      result = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
    }
    if result != MDB_NOTFOUND { try engine.check(result) }
  }

  func scan(from key: [UInt8], limit: Int, _ digest: inout AnswerDigest) throws -> Int {
    var found = 0
    try reading { transaction in
      try key.withUnsafeBytes { key in
        try walk(transaction, engine.documents, from: key) { _, value in
          digest.add(value, place: found)
          found += 1
          return found < limit
        }
      }
    }
    return found
  }

  func newest(_ query: Query, limit: Int, _ digest: inout AnswerDigest) throws -> Int {
    try documents(query, .cityCreated, limit, &digest)
  }

  func byAge(_ query: Query, limit: Int, _ digest: inout AnswerDigest) throws -> Int {
    try documents(query, .age, limit, &digest)
  }

  private func documents(
    _ query: Query, _ kind: IndexKind, _ limit: Int, _ digest: inout AnswerDigest
  ) throws -> Int {
    var found = 0
    try reading { transaction in
      try query.withIndexBounds { lower, upper in
        try walk(transaction, engine.indexes[kind.rawValue], from: lower) { entry, _ in
          guard upper.isEmpty || entry.precedes(upper) else { return false }
          key.replaceID(entry)
          guard let bytes = try get(transaction, key) else { throw CompareError.missing(key) }
          digest.add(bytes, place: found)
          found += 1
          return found < limit
        }
      }
    }
    return found
  }

  func count(_ query: Query) throws -> Int {
    var found = 0
    try reading { transaction in
      try query.withIndexBounds { lower, upper in
        try walk(transaction, engine.indexes[IndexKind.created.rawValue], from: lower) { entry, _ in
          guard entry.precedes(upper) else { return false }
          found += 1
          return true
        }
      }
    }
    return found
  }

  func scanAll(_ digest: inout AnswerDigest) throws -> Int {
    var found = 0
    try reading { transaction in
      try walk(transaction, engine.documents, from: UnsafeRawBufferPointer(start: nil, count: 0)) { _, value in
        digest.add(value)
        found += 1
        return true
      }
    }
    return found
  }
}

/// Appends at the right edge of each database: nothing is searched, pages are filled.
final class LMDBBulkLoader: BulkLoader {
  private let engine: LMDBEngine
  private var transaction: OpaquePointer?

  init(_ folder: String, _ settings: EngineSettings) throws {
    engine = try LMDBEngine(folder, settings)
    try engine.check(mdb_txn_begin(engine.environment, nil, 0, &transaction))
  }

  func append(_ documents: ArraySlice<CompareDocument>) throws {
    for document in documents {
      try document.key.withUnsafeBytes { key in
        try document.stored.value.withUnsafeBytes { value in
          try LMDBEngine.put(transaction, engine.documents, key, value, flags: MDB_APPEND)
        }
      }
    }
  }

  func append(_ keys: ArraySlice<[UInt8]>, to index: IndexKind) throws {
    for key in keys {
      try LMDBEngine.putEntry(transaction, engine.indexes[index.rawValue], key, flags: MDB_APPEND)
    }
  }

  func finish() throws {
    try engine.check(mdb_txn_commit(transaction))
    try engine.close()
  }
}
