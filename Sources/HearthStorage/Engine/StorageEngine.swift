/// An ordered map from bytes to bytes in a folder: atomic batches, immutable views, a write-ahead log.
///
/// Threading: every member may be called from any thread at any time.
package final class StorageEngine: Sendable {
  init() {}

  /// Opens the database in `directory`, creating it if missing and allowed.
  package static func open(
    at directory: String, options: StorageOptions = StorageOptions(), environment: StorageEnvironment
  ) throws(StorageError) -> StorageEngine {
    fatalError("pending")
  }

  /// The newest published state.
  package func view() throws(StorageError) -> View {
    fatalError("pending")
  }

  /// The newest published state once it holds every write that was enqueued without waiting before this call.
  package func settledView() throws(StorageError) -> View {
    fatalError("pending")
  }

  /// As the other form, suspending instead of blocking.
  package func settledView() async throws(StorageError) -> View {
    fatalError("pending")
  }

  /// Derives a batch from the newest sequenced state, commits it, and returns once it is as durable as asked.
  ///
  /// `derive` runs again when another commit changed what the batch depends on (its keys, its conditions taken from
  /// the view it was given); what it throws comes out unchanged and nothing is written. A condition older than that
  /// view (a transaction's) that no longer holds throws `.conflict`.
  @discardableResult
  package func commit(
    _ durability: Durability = .durable, deriving derive: (View) throws -> KeyValueBatch
  ) throws -> CommitReceipt {
    fatalError("pending")
  }

  /// As the blocking form. Cancelling the task does not undo the commit.
  @discardableResult
  package nonisolated(nonsending) func commit(
    _ durability: Durability = .durable, deriving derive: (View) throws -> KeyValueBatch
  ) async throws -> CommitReceipt {
    fatalError("pending")
  }

  /// As ``commit(_:deriving:)``, but returns once the commit is ordered; writing and syncing go on behind.
  /// `completion` is called exactly once, on a thread of the engine's that must not be blocked.
  package func enqueue(
    _ durability: Durability = .durable, deriving derive: (View) throws -> KeyValueBatch,
    completion: @escaping @Sendable (Result<CommitReceipt, StorageError>) -> Void
  ) throws {
    fatalError("pending")
  }

  /// Writes and syncs everything, writes a new base, releases the lock. Later calls throw `.closed`; twice is fine.
  package func close() throws(StorageError) {
    fatalError("pending")
  }
}
