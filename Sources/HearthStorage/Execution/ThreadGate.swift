/// A gate between threads. Announcements are counted, so that one between a waiter's look at its predicate and its
/// falling asleep is not lost.
///
/// Threading: any thread.
final class ThreadGate: Gate {
  private let condition = Condition()
  /// Guarded by `condition`.
  nonisolated(unsafe) private var announcements: UInt64 = 0

  func wait(until isOpen: () -> Bool) {
    var seen = condition.withLock { announcements }
    while !isOpen() {
      condition.lock()
      while announcements == seen { condition.wait() }
      seen = announcements
      condition.unlock()
    }
  }

  func announce() {
    condition.withLock {
      announcements &+= 1
      condition.broadcast()
    }
  }
}
