import Synchronization

/// A sequenced commit on its way to being acknowledged. Finished exactly once, by whoever writes the log.
///
/// Threading: one thread finishes it; any number wait for it or watch it, such as the commit's own handler and the reads
/// that are to see it.
final class CommitTicket: @unchecked Sendable {
  typealias Handler = @Sendable (Result<CommitReceipt, StorageError>) -> Void

  let receipt: CommitReceipt
  let durability: Durability

  /// Guards the handlers of all tickets. It is held for a few instructions, and only where a ticket is watched or
  /// finished; one in each ticket would cost every commit two allocations.
  private static let handlersLock = Lock()
  /// Guarded by `handlersLock`.
  private var handlers: [Handler] = []
  /// Written before `isFinished`.
  private var failure: StorageError?
  private let isFinished = Atomic<Bool>(false)

  init(receipt: CommitReceipt, durability: Durability) {
    self.receipt = receipt
    self.durability = durability
  }

  /// `nil` while it is pending.
  var result: Result<CommitReceipt, StorageError>? {
    guard isFinished.load(ordering: .acquiring) else { return nil }
    return failure.map { .failure($0) } ?? .success(receipt)
  }

  func finish(_ failure: StorageError?) {
    self.failure = failure
    let watching = Self.handlersLock.withLock {
      isFinished.store(true, ordering: .releasing)
      defer { handlers = [] }
      return handlers
    }
    for handler in watching { handler(failure.map { .failure($0) } ?? .success(receipt)) }
  }

  /// Calls `handler` once with the result: at once if there is one, else on the thread that finishes the ticket, after
  /// those that were there before.
  func whenFinished(_ handler: @escaping Handler) {
    let known = Self.handlersLock.withLock {
      let known = result
      if known == nil { handlers.append(handler) }
      return known
    }
    if let known { handler(known) }
  }
}
