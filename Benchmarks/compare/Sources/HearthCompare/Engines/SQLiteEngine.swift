import CSQLite
import Foundation

/// SQLite with a column for every field. Each session has a connection of its own.
final class SQLiteEngine: Engine, @unchecked Sendable {
  private let folder: String
  private let settings: EngineSettings
  /// Keeps the database open between sessions, and closes it last. Used only to open and to close.
  private let first: SQLiteDatabase
  /// Writers queue here, which is faster than SQLite's waiting by sleeping.
  let writers = NSLock()

  init(_ folder: String, _ settings: EngineSettings) throws {
    self.folder = folder
    self.settings = settings
    first = try Self.connect(folder, settings)
    try first.run(SQLiteDatabase.schema)
    try first.run(SQLiteDatabase.indexes)
  }

  static func connect(_ folder: String, _ settings: EngineSettings) throws -> SQLiteDatabase {
    let database = try SQLiteDatabase(folder)
    try database.run("PRAGMA page_size=4096; PRAGMA journal_mode=WAL; PRAGMA temp_store=MEMORY")
    try database.run("PRAGMA synchronous=\(settings.isDurable ? "FULL" : "NORMAL")")
    try database.run("PRAGMA cache_size=-\(settings.cacheBytes >> 10); PRAGMA wal_autocheckpoint=10000")
    // Where memory is short, each fault of a map reads 128 KiB for one page.
    try database.run("PRAGMA mmap_size=\(settings.isCold ? 0 : 8 << 30)")
    return database
  }

  var about: EngineAbout {
    EngineAbout(
      version: String(cString: sqlite3_libversion()),
      settings:
        "a column for every field, rowid table, indexes end in the path, WAL, pages of 4096 bytes, cache "
        + "\(settings.cacheBytes >> 20) MiB a connection, mmap \(settings.isCold ? "off" : "on"), checkpoint "
        + "every 10000 pages, synchronous=\(settings.isDurable ? "FULL" : "NORMAL"), writers queue at a lock",
      bulkLoad: "one transaction without journal in key order, then CREATE INDEX, then sync")
  }

  func session() throws -> any Session { try SQLiteSession(self, Self.connect(folder, settings)) }

  func close() throws { try first.close() }
}

private final class SQLiteSession: Session {
  private let engine: SQLiteEngine
  private let database: SQLiteDatabase
  private let row = SQLiteRow()
  private var statements: [OpaquePointer] = []
  private let begin, commit, insertion, get, change, scanning, city, age, counting, all: OpaquePointer

  init(_ engine: SQLiteEngine, _ database: SQLiteDatabase) throws {
    self.engine = engine
    self.database = database
    var statements: [OpaquePointer] = []
    func prepare(_ sql: String) throws -> OpaquePointer {
      let statement = try database.prepare(sql)
      statements.append(statement)
      return statement
    }
    let columns = SQLiteRow.columns
    begin = try prepare("BEGIN IMMEDIATE")
    commit = try prepare("COMMIT")
    insertion = try prepare(SQLiteDatabase.insertion)
    get = try prepare("SELECT \(columns) FROM docs WHERE path=?1")
    change = try prepare("UPDATE docs SET score=?2 WHERE path=?1")
    scanning = try prepare("SELECT \(columns) FROM docs WHERE path>=?1 ORDER BY path LIMIT ?2")
    city = try prepare(
      "SELECT \(columns) FROM docs INDEXED BY docs_city_created WHERE city=?1 ORDER BY createdAt DESC, path LIMIT ?2")
    age = try prepare(
      "SELECT \(columns) FROM docs INDEXED BY docs_age WHERE (age,path)>=(?1,?2) ORDER BY age, path LIMIT ?3")
    counting = try prepare(
      "SELECT count(*) FROM docs INDEXED BY docs_created WHERE createdAt>=?1 AND createdAt<?2")
    all = try prepare("SELECT \(columns) FROM docs")
    self.statements = statements
  }

  deinit {
    for statement in statements { sqlite3_finalize(statement) }
    sqlite3_close(database.handle)
  }

  func insert(_ documents: ArraySlice<CompareDocument>) throws {
    try engine.writers.withLock {
      if documents.count > 1 { try database.step(begin) }
      for document in documents { try database.insert(document.fields, insertion) }
      if documents.count > 1 { try database.step(commit) }
    }
  }

  func read(_ key: [UInt8], _ digest: inout AnswerDigest) throws -> Bool {
    try key.withUnsafeBytes { key in
      SQLiteDatabase.bind(get, 1, key)
      guard try database.next(get) else { return false }
      digest.add(try row.assemble(get))
      sqlite3_reset(get)
      return true
    }
  }

  func update(_ change: ScoreChange) throws {
    try engine.writers.withLock { try write(change) }
  }

  private func write(_ wanted: ScoreChange) throws {
    try wanted.key.withUnsafeBytes { key in
      SQLiteDatabase.bind(change, 1, key)
      sqlite3_bind_double(change, 2, wanted.score)
      try database.step(change)
    }
    guard sqlite3_changes(database.handle) == 1 else { throw CompareError.missing(wanted.key) }
  }

  func readModifyWrite(_ change: ScoreChange, _ digest: inout AnswerDigest) throws {
    try engine.writers.withLock {
      try database.step(begin)
      guard try read(change.key, &digest) else { throw CompareError.missing(change.key) }
      try write(change)
      try database.step(commit)
    }
  }

  private func rows(_ statement: OpaquePointer, _ digest: inout AnswerDigest, isOrdered: Bool = true) throws -> Int {
    var found = 0
    while try database.next(statement) {
      digest.add(try row.assemble(statement), place: isOrdered ? found : 0)
      found += 1
    }
    return found
  }

  func scan(from key: [UInt8], limit: Int, _ digest: inout AnswerDigest) throws -> Int {
    try key.withUnsafeBytes { key in
      SQLiteDatabase.bind(scanning, 1, key)
      sqlite3_bind_int64(scanning, 2, Int64(limit))
      return try rows(scanning, &digest)
    }
  }

  func newest(_ query: Query, limit: Int, _ digest: inout AnswerDigest) throws -> Int {
    try query.city.withUnsafeBytes { name in
      SQLiteDatabase.bind(city, 1, name)
      sqlite3_bind_int64(city, 2, Int64(limit))
      return try rows(city, &digest)
    }
  }

  func byAge(_ query: Query, limit: Int, _ digest: inout AnswerDigest) throws -> Int {
    try query.path.withUnsafeBytes { path in
      sqlite3_bind_int64(age, 1, query.age)
      SQLiteDatabase.bind(age, 2, path)
      sqlite3_bind_int64(age, 3, Int64(limit))
      return try rows(age, &digest)
    }
  }

  func count(_ query: Query) throws -> Int {
    sqlite3_bind_int64(counting, 1, query.createdFrom)
    sqlite3_bind_int64(counting, 2, query.createdBefore)
    guard try database.next(counting) else { throw CompareError("SQLite: count(*) returned no row") }
    let count = Int(sqlite3_column_int64(counting, 0))
    sqlite3_reset(counting)
    return count
  }

  func scanAll(_ digest: inout AnswerDigest) throws -> Int { try rows(all, &digest, isOrdered: false) }
}

/// One sorted transaction; SQLite sorts for its indexes itself.
final class SQLiteBulkLoader: BulkLoader {
  private let database: SQLiteDatabase
  private let insertion: OpaquePointer

  init(_ folder: String, _ settings: EngineSettings) throws {
    database = try SQLiteDatabase(folder)
    // Without a journal the file itself is synced at the commit.
    try database.run("PRAGMA page_size=4096; PRAGMA journal_mode=OFF; PRAGMA synchronous=NORMAL")
    try database.run("PRAGMA cache_size=-\(settings.cacheBytes >> 10); PRAGMA temp_store=MEMORY")
    try database.run(SQLiteDatabase.schema)
    insertion = try database.prepare(SQLiteDatabase.insertion)
    try database.run("BEGIN")
  }

  func append(_ documents: ArraySlice<CompareDocument>) throws {
    for document in documents { try database.insert(document.fields, insertion) }
  }

  func append(_ keys: ArraySlice<[UInt8]>, to index: IndexKind) throws {}

  func finish() throws {
    sqlite3_finalize(insertion)
    try database.run(SQLiteDatabase.indexes)
    try database.run("COMMIT")
    try database.close()
  }
}
