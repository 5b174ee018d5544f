internal import HearthModel
package import HearthStorage

/// Documents on a storage engine: reads, queries, atomic commits.
///
/// Threading: every member may be called from any thread at any time. Reads see every commit that was ordered before
/// the call, also one that nobody waited for. No user code runs inside.
package final class Database: Sendable {
  package typealias Durability = HearthStorage.Durability

  /// The engine below; for the tool and the benchmark.
  package let engine: StorageEngine
  /// Set for a database in a folder: how the others that opened it are counted.
  private let sharing: FileIdentity?

  init(engine: StorageEngine, sharing: FileIdentity?) {
    self.engine = engine
    self.sharing = sharing
  }

  /// Runs on an engine that is open already. The caller closes it.
  package convenience init(engine: StorageEngine) {
    self.init(engine: engine, sharing: nil)
  }
}

extension Database {
  /// Opens the database in a folder, creating it if missing. The folder's parent must exist.
  ///
  /// A folder that this process has open already gives the same object; each open needs its own ``close()``.
  ///
  /// - Throws: `unavailable`, `permissionDenied`, `resourceExhausted` or `dataLoss`; nothing on disk is changed then.
  package static func open(at directory: String) throws(DatabaseError) -> Database {
    do {
      return try OpenFolders.shared.open(directory)
    } catch {
      throw DatabaseError(error)
    }
  }

  /// Makes an empty database in memory.
  package static func inMemory() throws(DatabaseError) -> Database {
    do {
      let environment = StorageEnvironment(
        fileSystem: MemoryFileSystem(), clock: SystemClock(), executor: ThreadExecutor(), random: SystemRandom())
      return Database(engine: try StorageEngine.open(at: "/memory", environment: environment))
    } catch {
      throw DatabaseError(error)
    }
  }

  /// Writes and syncs everything and closes the database, unless others that opened the same folder still use it.
  package func close() throws(DatabaseError) {
    do {
      guard let sharing else { return try engine.close() }
      try OpenFolders.shared.close(self, sharing)
    } catch {
      throw DatabaseError(error)
    }
  }
}
