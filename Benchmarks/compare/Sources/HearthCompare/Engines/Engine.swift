/// A database under comparison, open in one folder. Closed at most once.
///
/// Threading: sessions from any thread, each on one.
protocol Engine: AnyObject, Sendable {
  /// Version and settings in words, for the report.
  var about: EngineAbout { get }
  func session() throws -> any Session
  /// Everything is on its way to disk as after an ordinary end of a program.
  func close() throws
}

/// One thread's access to an engine. Every write keeps the four indexes in the same commit.
///
/// A digest gets the bytes of each returned document; nobody decodes them.
protocol Session: AnyObject {
  /// One commit. The documents are new.
  func insert(_ documents: ArraySlice<CompareDocument>) throws
  /// Returns whether the document exists.
  func read(_ key: [UInt8], _ digest: inout AnswerDigest) throws -> Bool
  func update(_ change: ScoreChange) throws
  /// Reads the document, then writes it changed, as one transaction.
  func readModifyWrite(_ change: ScoreChange, _ digest: inout AnswerDigest) throws
  /// Documents by key, from `key` on; returns how many, at most `limit`.
  func scan(from key: [UInt8], limit: Int, _ digest: inout AnswerDigest) throws -> Int
  /// Documents of a city, newest first (``Query/newest(inCity:)``).
  func newest(_ query: Query, limit: Int, _ digest: inout AnswerDigest) throws -> Int
  /// Documents by age and key (``Query/byAge(from:path:)``).
  func byAge(_ query: Query, limit: Int, _ digest: inout AnswerDigest) throws -> Int
  /// How many documents were created in a time (``Query/created(from:before:)``), from the index alone.
  func count(_ query: Query) throws -> Int
  /// All documents in the engine's own order; returns how many.
  func scanAll(_ digest: inout AnswerDigest) throws -> Int
}

/// Fills a fresh database by an engine's fastest way. Documents come first, by key; then the index keys, index by index
/// in the order of ``IndexKind/inKeyOrder``, each ascending.
protocol BulkLoader: AnyObject {
  func append(_ documents: ArraySlice<CompareDocument>) throws
  func append(_ keys: ArraySlice<[UInt8]>, to index: IndexKind) throws
  /// Ends the load, and closes.
  func finish() throws
}

struct EngineAbout: Codable, Equatable {
  var version: String
  var settings: String
  /// How it loads in bulk; `nil` where it offers nothing of the kind.
  var bulkLoad: String?
}

struct EngineSettings: Codable, Equatable {
  /// Commits survive a power cut, else the process.
  var isDurable = false
  var cacheBytes = 1 << 30
  /// Data does not fit in memory: no reading ahead of single documents.
  var isCold = false
  /// Bypass the system's page cache where the engine can.
  var usesDirectIO = false
}
