/// Runs the engine's background work: threads in production, a seeded scheduler in tests.
///
/// Background work is a *worker*: a step function that does a bounded piece and says what it needs next. Whoever
/// blocks on background progress does so through ``wait(until:)``, so that the simulator can run it in place.
package protocol Executor: AnyObject, Sendable {
  /// Makes a worker that is asleep until it is signalled. Steps of one worker never overlap.
  func makeWorker(_ name: String, step: @escaping @Sendable () -> WorkerNeed) -> any Worker
  /// A condition that callers can wait on and workers (or other callers) announce.
  func makeGate() -> any Gate
}

package enum WorkerNeed: Sendable, Equatable {
  /// Call the step again soon; others may run between.
  case more
  /// Sleep until signalled.
  case signal
  /// Sleep until signalled or until ``Clock/monotonicNanoseconds()`` reaches the deadline.
  case deadline(UInt64)
}

package protocol Worker: AnyObject, Sendable {
  /// Makes the worker run a step; signals while it runs or before it runs are merged, none is lost.
  func signal()
  /// Ends the worker after the step that runs now, and waits for that step. No step starts afterwards.
  func stop()
}

/// Waiting for a predicate that other threads make true.
package protocol Gate: AnyObject, Sendable {
  /// Returns once `isOpen` returned true. It is called again after each ``announce()``, on the waiting thread,
  /// without any lock of the gate's held.
  func wait(until isOpen: () -> Bool)
  func announce()
}
