import CWiredTiger

typealias WiredTigerSession = UnsafeMutablePointer<WT_SESSION>
typealias WiredTigerCursor = UnsafeMutablePointer<WT_CURSOR>

/// WiredTiger: a table for the documents and one for each index, transactions with snapshot isolation.
final class WiredTigerEngine: Engine, @unchecked Sendable {
  static let documents = "table:documents"
  /// By ``IndexKind/rawValue``.
  static let indexes = IndexKind.allCases.map { "table:\($0)" }

  private let connection: UnsafeMutablePointer<WT_CONNECTION>
  private let settings: EngineSettings

  init(_ folder: String, _ settings: EngineSettings) throws {
    self.settings = settings
    // The log goes to the system at each commit ("none"), or to the disk as well. Without a wide margin for what is
    // changed in the cache, a load of random keys drowns in eviction.
    let configuration = [
      "create", "cache_size=\(max(8, settings.cacheBytes >> 20))M", "session_max=64",
      "log=(enabled=true,compressor=snappy,file_max=100MB)",
      "transaction_sync=(enabled=true,method=\(settings.isDurable ? "fsync" : "none"))",
      "checkpoint=(wait=60,log_size=512MB)", "eviction=(threads_min=1,threads_max=2)",
      "eviction_dirty_target=60,eviction_dirty_trigger=80",
      settings.usesDirectIO ? "direct_io=(data)" : "", "extensions=[libwiredtiger_snappy.so]",
    ].filter { !$0.isEmpty }.joined(separator: ",")
    var connection: UnsafeMutablePointer<WT_CONNECTION>?
    try Self.check(wiredtiger_open(folder, nil, configuration, &connection))
    guard let connection else { throw CompareError("WiredTiger: no connection") }
    self.connection = connection
    let session = try makeSession()
    let common = "key_format=u,value_format=u,block_compressor=snappy"
    try Self.check(session.pointee.create(session, Self.documents, common + ",leaf_page_max=32KB"))
    for index in Self.indexes {
      try Self.check(
        session.pointee.create(session, index, common + ",prefix_compression=true,leaf_page_max=16KB"))
    }
    try Self.check(session.pointee.close(session, nil))
  }

  var about: EngineAbout {
    var (major, minor, patch) = (Int32(0), Int32(0), Int32(0))
    wiredtiger_version(&major, &minor, &patch)
    return EngineAbout(
      version: "\(major).\(minor).\(patch)",
      settings: "5 tables, Snappy, pages of 32 and 16 KiB, index keys prefix-compressed, cache "
        + "\(max(8, settings.cacheBytes >> 20)) MiB, eviction at 80 % changed, log "
        + (settings.isDurable ? "synced" : "written") + " at each commit, snapshot isolation, checkpoint every 60 s or "
        + "512 MB" + (settings.usesDirectIO ? ", direct I/O" : ""),
      bulkLoad: "bulk cursors, then the checkpoint of closing")
  }

  func makeSession() throws -> WiredTigerSession {
    var session: WiredTigerSession?
    try Self.check(connection.pointee.open_session(connection, nil, "isolation=snapshot", &session))
    guard let session else { throw CompareError("WiredTiger: no session") }
    return session
  }

  func session() throws -> any Session { try WiredTigerAccess(makeSession()) }

  func close() throws { try Self.check(connection.pointee.close(connection, nil)) }

  static func check(_ result: Int32) throws {
    if result != 0 { throw CompareError("WiredTiger: \(String(cString: wiredtiger_strerror(result)))") }
  }

  static func cursor(
    _ session: WiredTigerSession, _ table: String, _ configuration: String
  ) throws -> WiredTigerCursor {
    var cursor: WiredTigerCursor?
    try check(session.pointee.open_cursor(session, table, nil, configuration, &cursor))
    guard let cursor else { throw CompareError("WiredTiger: no cursor") }
    return cursor
  }

  /// Sets key and value, whose bytes are taken at the insertion, and inserts. Returns WiredTiger's answer.
  static func insert(
    _ cursor: WiredTigerCursor, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
  ) -> Int32 {
    var (keyItem, valueItem) = (WT_ITEM(key), WT_ITEM(value))
    hearth_wt_set_key(cursor, &keyItem)
    hearth_wt_set_value(cursor, &valueItem)
    return cursor.pointee.insert(cursor)
  }

  /// The index has a table of its own: its letter is left out.
  static func insertEntry(_ cursor: WiredTigerCursor, _ key: [UInt8]) -> Int32 {
    key.withUnsafeBytes { key in
      insert(cursor, UnsafeRawBufferPointer(rebasing: key.dropFirst()), UnsafeRawBufferPointer(start: nil, count: 0))
    }
  }
}

extension WT_ITEM {
  init(_ bytes: UnsafeRawBufferPointer) {
    self.init()
    data = bytes.baseAddress
    size = bytes.count
  }

  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: data, count: size) }
}

/// Fills each table by a bulk cursor, which builds pages without searching or logging.
final class WiredTigerBulkLoader: BulkLoader {
  private let engine: WiredTigerEngine
  private let session: WiredTigerSession
  private var cursor: WiredTigerCursor?
  private var table = ""

  init(_ folder: String, _ settings: EngineSettings) throws {
    engine = try WiredTigerEngine(folder, settings)
    session = try engine.makeSession()
  }

  private func cursor(_ table: String) throws -> WiredTigerCursor {
    if let cursor, self.table == table { return cursor }
    try closeCursor()
    let made = try WiredTigerEngine.cursor(session, table, "bulk")
    cursor = made
    self.table = table
    return made
  }

  private func closeCursor() throws {
    if let cursor { try WiredTigerEngine.check(cursor.pointee.close(cursor)) }
    cursor = nil
  }

  func append(_ documents: ArraySlice<CompareDocument>) throws {
    let cursor = try cursor(WiredTigerEngine.documents)
    for document in documents {
      try document.key.withUnsafeBytes { key in
        try document.stored.value.withUnsafeBytes { value in
          try WiredTigerEngine.check(WiredTigerEngine.insert(cursor, key, value))
        }
      }
    }
  }

  func append(_ keys: ArraySlice<[UInt8]>, to index: IndexKind) throws {
    let cursor = try cursor(WiredTigerEngine.indexes[index.rawValue])
    for key in keys { try WiredTigerEngine.check(WiredTigerEngine.insertEntry(cursor, key)) }
  }

  func finish() throws {
    try closeCursor()
    try WiredTigerEngine.check(session.pointee.close(session, nil))
    try engine.close()
  }
}
