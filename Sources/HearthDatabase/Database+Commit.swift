package import HearthModel
package import HearthStorage

// Commits: a list of writes becomes one atomic batch of the engine's.
//
// All forms fail with the same errors and then change nothing: `notFound` and `alreadyExists` where a write's
// precondition does not hold, `invalidArgument` for a document that would be too large, `resourceExhausted` for a full
// disk, `failedPrecondition` for a closed database, `dataLoss`, `internal`.
extension Database {
  /// Commits the writes, in their order, and returns once that is as durable as asked.
  @discardableResult
  package func commit(
    _ mutations: [Mutation], _ durability: Durability = .durable
  ) throws(DatabaseError) -> CommitReceipt {
    do {
      return try engine.commit(durability) { view in try CommitBuilder.batch(of: mutations, on: view) }
    } catch {
      throw DatabaseError(error)
    }
  }

  /// As the blocking form, suspending instead. Cancelling the task does not undo the commit.
  @discardableResult
  nonisolated(nonsending) package func commit(
    _ mutations: [Mutation], _ durability: Durability = .durable
  ) async throws(DatabaseError) -> CommitReceipt {
    do {
      return try await engine.commit(durability) { view in try CommitBuilder.batch(of: mutations, on: view) }
    } catch {
      throw DatabaseError(error)
    }
  }

  /// Orders the writes and returns: every read that begins later sees them. Writing and syncing go on behind.
  ///
  /// - Parameter completion: Called exactly once, unless this throws, when the writes are as durable as asked or failed;
  ///   on a thread of the engine's that must not be blocked.
  package func enqueue(
    _ mutations: [Mutation], _ durability: Durability = .durable,
    completion: @escaping @Sendable (Result<CommitReceipt, DatabaseError>) -> Void
  ) throws(DatabaseError) {
    do {
      try engine.enqueue(
        durability, deriving: { view in try CommitBuilder.batch(of: mutations, on: view) },
        completion: { completion($0.mapError { DatabaseError($0) }) })
    } catch {
      throw DatabaseError(error)
    }
  }
}
