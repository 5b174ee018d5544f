/// The databases that can be compared; Hearth first, its peers after it.
enum EngineKind: String, CaseIterable, Codable, Sendable {
  case hearth, sqlite, lmdb, leveldb, rocksdb, wiredtiger

  var title: String {
    switch self {
    case .hearth: "Hearth"
    case .sqlite: "SQLite"
    case .lmdb: "LMDB"
    case .leveldb: "LevelDB"
    case .rocksdb: "RocksDB"
    case .wiredtiger: "WiredTiger"
    }
  }

  /// Opens the database in `folder`, which exists, and makes one where there is none.
  func open(_ folder: String, _ settings: EngineSettings) throws -> any Engine {
    switch self {
    case .hearth: try HearthEngine(folder, settings)
    case .sqlite: try SQLiteEngine(folder, settings)
    case .lmdb: try LMDBEngine(folder, settings)
    case .leveldb: LSMEngine(try LevelDBLibrary(folder, settings))
    case .rocksdb: LSMEngine(try RocksDBLibrary(folder, settings))
    case .wiredtiger: try WiredTigerEngine(folder, settings)
    }
  }

  /// `nil` where the engine has no bulk load.
  func bulkLoader(_ folder: String, _ settings: EngineSettings) throws -> (any BulkLoader)? {
    switch self {
    case .hearth: try HearthEngine.bulkLoader(folder, settings)
    case .sqlite: try SQLiteBulkLoader(folder, settings)
    case .lmdb: try LMDBBulkLoader(folder, settings)
    case .leveldb: try LevelDBBulkLoader(folder, settings)
    case .rocksdb: try RocksDBBulkLoader(folder, settings)
    case .wiredtiger: try WiredTigerBulkLoader(folder, settings)
    }
  }
}
