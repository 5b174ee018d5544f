internal import HearthStorage

/// The folders that this process has open, so that opening one twice gives one database.
///
/// Threading: any thread. Opening and closing hold the lock throughout, so that a folder that is being closed is opened
/// again only when its files are free.
final class OpenFolders: @unchecked Sendable {
  static let shared = OpenFolders()

  private struct Entry {
    let database: Database
    var users: Int
  }

  private let files = POSIXFileSystem()
  private let lock = Lock()
  // Guarded by `lock`.
  private var entries: [FileIdentity: Entry] = [:]

  func open(_ directory: String) throws(StorageError) -> Database {
    try lock.withLock { () throws(StorageError) in
      if let identity = try files.identity(of: directory), let entry = entries[identity] {
        entries[identity] = Entry(database: entry.database, users: entry.users + 1)
        return entry.database
      }
      let environment = StorageEnvironment(
        fileSystem: files, clock: SystemClock(), executor: ThreadExecutor(), random: SystemRandom())
      let engine = try StorageEngine.open(at: directory, environment: environment)
      guard let identity = try files.identity(of: directory) else {
        try engine.close()
        throw StorageError(.notFound, "The folder vanished while it was opened", file: directory)
      }
      let database = Database(engine: engine, sharing: identity)
      entries[identity] = Entry(database: database, users: 1)
      return database
    }
  }

  /// Ends one use; the last one closes the engine.
  func close(_ database: Database, _ identity: FileIdentity) throws(StorageError) {
    try lock.withLock { () throws(StorageError) in
      guard let entry = entries[identity], entry.database === database else { return }
      guard entry.users == 1 else {
        entries[identity] = Entry(database: database, users: entry.users - 1)
        return
      }
      entries[identity] = nil
      try database.engine.close()
    }
  }
}
