import Synchronization

/// A sequenced commit on its way to being acknowledged. Finished exactly once, by whoever writes the log.
///
/// Threading: one thread finishes it, one other waits for it or watches it.
final class CommitTicket: @unchecked Sendable {
  typealias Handler = @Sendable (Result<CommitReceipt, StorageError>) -> Void

  let receipt: CommitReceipt
  let durability: Durability

  private static let pending: UInt8 = 0
  private static let watched: UInt8 = 1
  private static let finished: UInt8 = 2

  /// Orders the two fields below: `handler` is written before `watched`, `failure` before `finished`.
  private let state = Atomic<UInt8>(CommitTicket.pending)
  private var handler: Handler?
  private var failure: StorageError?

  init(receipt: CommitReceipt, durability: Durability) {
    self.receipt = receipt
    self.durability = durability
  }

  /// `nil` while it is pending.
  var result: Result<CommitReceipt, StorageError>? {
    guard state.load(ordering: .acquiring) == Self.finished else { return nil }
    return failure.map { .failure($0) } ?? .success(receipt)
  }

  func finish(_ failure: StorageError?) {
    self.failure = failure
    guard state.exchange(Self.finished, ordering: .acquiringAndReleasing) == Self.watched else { return }
    handler?(failure.map { .failure($0) } ?? .success(receipt))
  }

  /// Calls `handler` once with the result: at once if there is one, else on the thread that finishes the ticket.
  func whenFinished(_ handler: @escaping Handler) {
    self.handler = handler
    let isWatched = state.compareExchange(
      expected: Self.pending, desired: Self.watched, ordering: .acquiringAndReleasing
    ).exchanged
    if !isWatched, let result { handler(result) }
  }
}
