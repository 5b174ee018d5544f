/// A sequenced commit on its way to being acknowledged. Finished exactly once, by whoever writes the log.
final class CommitTicket: @unchecked Sendable {
  let receipt: CommitReceipt
  let durability: Durability

  private enum State {
    case pending
    case watched(@Sendable (Result<CommitReceipt, StorageError>) -> Void)
    case finished(Result<CommitReceipt, StorageError>)
  }

  private let lock = Lock()
  /// Under `lock`.
  private var state = State.pending

  init(receipt: CommitReceipt, durability: Durability) {
    self.receipt = receipt
    self.durability = durability
  }

  /// `nil` while it is pending.
  var result: Result<CommitReceipt, StorageError>? {
    lock.withLock {
      if case .finished(let result) = state { return result }
      return nil
    }
  }

  func finish(_ failure: StorageError?) {
    let result: Result<CommitReceipt, StorageError> = failure.map { .failure($0) } ?? .success(receipt)
    let handler = lock.withLock { () -> (@Sendable (Result<CommitReceipt, StorageError>) -> Void)? in
      defer { state = .finished(result) }
      if case .watched(let handler) = state { return handler }
      return nil
    }
    handler?(result)
  }

  /// Calls `handler` once with the result: at once if there is one, else on the thread that finishes the ticket.
  func whenFinished(_ handler: @escaping @Sendable (Result<CommitReceipt, StorageError>) -> Void) {
    let result = lock.withLock { () -> Result<CommitReceipt, StorageError>? in
      if case .finished(let result) = state { return result }
      state = .watched(handler)
      return nil
    }
    if let result { handler(result) }
  }
}
