internal import HearthStorage

/// The folders that this process has open, so that opening one twice gives one database.
///
/// Threading: any thread. Opening and closing hold the lock throughout, so that a folder that is being closed is opened
/// again only when its files are free.
final class OpenFolders: @unchecked Sendable {
  static let shared = OpenFolders()

  private struct Entry {
    let database: Database
    /// Without it a folder made anew could get the number of this one once this one is deleted, and be taken for it.
    let hold: FolderHold
    var users: Int
  }

  private let files = POSIXFileSystem()
  private let lock = Lock()
  // Guarded by `lock`.
  private var entries: [FileIdentity: Entry] = [:]

  func open(_ directory: String) throws(StorageError) -> Database {
    try lock.withLock { () throws(StorageError) in
      if let hold = try files.hold(folder: directory), let entry = entries[hold.identity] {
        entries[hold.identity]?.users += 1
        return entry.database
      }
      let environment = StorageEnvironment(
        fileSystem: files, clock: SystemClock(), executor: ThreadExecutor(), random: SystemRandom())
      let engine = try StorageEngine.open(at: directory, environment: environment)
      guard let hold = try files.hold(folder: directory) else {
        try engine.close()
        throw StorageError(.notFound, "The folder vanished while it was opened", file: directory)
      }
      let database = Database(engine: engine, sharing: hold.identity)
      entries[hold.identity] = Entry(database: database, hold: hold, users: 1)
      return database
    }
  }

  /// Ends one use; the last one closes the engine.
  func close(_ database: Database, _ identity: FileIdentity) throws(StorageError) {
    try lock.withLock { () throws(StorageError) in
      guard let entry = entries[identity], entry.database === database else { return }
      guard entry.users == 1 else {
        entries[identity]?.users -= 1
        return
      }
      entries[identity] = nil
      try database.engine.close()
    }
  }
}
