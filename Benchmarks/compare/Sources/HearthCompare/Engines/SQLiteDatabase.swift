import CSQLite

/// One connection to SQLite and what can go wrong with it. One thread at a time.
final class SQLiteDatabase {
  let handle: OpaquePointer

  static let schema = """
    CREATE TABLE IF NOT EXISTS docs(path TEXT PRIMARY KEY NOT NULL, name TEXT, email TEXT, city TEXT, age INTEGER,
      score REAL, active INTEGER, createdAt INTEGER, tag0 TEXT, tag1 TEXT, tag2 TEXT, street TEXT, zip TEXT, lat REAL,
      lng REAL, bio TEXT)
    """
  /// They end in the path, so that ties have the order they have in every other engine.
  static let indexes = """
    CREATE INDEX IF NOT EXISTS docs_city ON docs(city, path);
    CREATE INDEX IF NOT EXISTS docs_age ON docs(age, path);
    CREATE INDEX IF NOT EXISTS docs_created ON docs(createdAt, path);
    CREATE INDEX IF NOT EXISTS docs_city_created ON docs(city, createdAt DESC, path)
    """
  static let insertion = "INSERT INTO docs VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16)"

  init(_ folder: String) throws {
    var handle: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    guard sqlite3_open_v2(folder + "/docs.sqlite", &handle, flags, nil) == SQLITE_OK, let handle else {
      throw CompareError("SQLite can't open \(folder)/docs.sqlite")
    }
    self.handle = handle
    sqlite3_busy_timeout(handle, 10_000)
  }

  func run(_ sql: String) throws {
    try check(sqlite3_exec(handle, sql, nil, nil, nil))
  }

  func prepare(_ sql: String) throws -> OpaquePointer {
    var statement: OpaquePointer?
    try check(sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil))
    guard let statement else { throw CompareError("SQLite: an empty statement: \(sql)") }
    return statement
  }

  /// Runs a statement that returns no rows.
  func step(_ statement: OpaquePointer) throws {
    let result = sqlite3_step(statement)
    sqlite3_reset(statement)
    if result != SQLITE_DONE { try check(result) }
  }

  /// Moves to the next row; `false` after the last.
  @inline(__always)
  func next(_ statement: OpaquePointer) throws -> Bool {
    let result = sqlite3_step(statement)
    if result == SQLITE_ROW { return true }
    sqlite3_reset(statement)
    if result != SQLITE_DONE { try check(result) }
    return false
  }

  func check(_ result: Int32) throws {
    if result == SQLITE_OK { return }
    throw CompareError("SQLite: \(String(cString: sqlite3_errmsg(handle))) (\(result))")
  }

  func close() throws { try check(sqlite3_close(handle)) }

  /// The bytes must stay until the statement ran.
  @inline(__always)
  static func bind(_ statement: OpaquePointer, _ place: Int32, _ text: UnsafeRawBufferPointer) {
    sqlite3_bind_text(
      statement, place, text.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(text.count), nil)
  }

  /// Binds a whole document and runs the insertion.
  func insert(_ document: BenchDocument, _ statement: OpaquePointer) throws {
    // SQLite copies the text at once (SQLITE_TRANSIENT): fifteen pointers can't be held open side by side.
    let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    func bind(_ place: Int32, _ text: [UInt8]) {
      text.withUnsafeBytes {
        _ = sqlite3_bind_text(
          statement, place, $0.baseAddress?.assumingMemoryBound(to: CChar.self), Int32($0.count), transient)
      }
    }
    bind(1, document.path)
    bind(2, document.name)
    bind(3, document.email)
    bind(4, document.city)
    sqlite3_bind_int64(statement, 5, document.age)
    sqlite3_bind_double(statement, 6, document.score)
    sqlite3_bind_int(statement, 7, document.isActive ? 1 : 0)
    sqlite3_bind_int64(statement, 8, document.createdAt)
    for (index, tag) in document.tags.enumerated() { bind(9 + Int32(index), tag) }
    bind(12, document.street)
    bind(13, document.zip)
    sqlite3_bind_double(statement, 14, document.latitude)
    sqlite3_bind_double(statement, 15, document.longitude)
    bind(16, document.bio)
    try step(statement)
  }
}
