/// Background work on threads: one for each worker, asleep while there is nothing to do.
///
/// Threading: any thread. Whoever makes a worker stops it; a worker that is never stopped keeps its thread.
package final class ThreadExecutor: Executor {
  private let clock: any Clock

  /// - Parameter clock: What workers' deadlines are measured by.
  package init(clock: any Clock = SystemClock()) {
    self.clock = clock
  }

  package func makeWorker(_ name: String, step: @escaping @Sendable () -> WorkerNeed) -> any Worker {
    let worker = ThreadWorker(name: name, clock: clock, step: step)
    worker.start()
    return worker
  }

  package func makeGate() -> any Gate {
    ThreadGate()
  }
}
