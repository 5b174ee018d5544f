import HearthStorage

/// Background work on the caller's own thread, in an order that a seed chooses.
///
/// Workers run only inside ``runOneStep()``, ``runUntilIdle()`` and ``Gate/wait(until:)``. Deadlines are measured by the
/// ``SimulatedClock``, which moves on to the next one when nothing else could run.
///
/// Threading: one thread at a time.
package final class SimulatedExecutor: Executor, @unchecked Sendable {
  package let clock: SimulatedClock
  package let random: SeededRandom
  /// Steps run so far.
  package private(set) var stepCount = 0
  /// Names of the workers in the order in which they ran, when ``recordsSchedule`` is set.
  package private(set) var schedule: [String] = []
  package var recordsSchedule = false
  /// Waiting gives up after so many steps that did not open the gate.
  package var stepsPerWaitMax = 10_000_000

  fileprivate var workers: [SimulatedWorker] = []

  package init(clock: SimulatedClock, random: SeededRandom) {
    self.clock = clock
    self.random = random
  }

  package convenience init(seed: UInt64) {
    self.init(clock: SimulatedClock(), random: SeededRandom(seed: seed))
  }

  package func makeWorker(_ name: String, step: @escaping @Sendable () -> WorkerNeed) -> any Worker {
    let worker = SimulatedWorker(name: name, executor: self, step: step)
    workers.append(worker)
    return worker
  }

  package func makeGate() -> any Gate { SimulatedGate(executor: self) }

  /// Whether a worker could run without time moving on.
  package var isIdle: Bool {
    let now = clock.monotonicNanoseconds()
    return !workers.contains { $0.isRunnable(now) }
  }

  /// Runs one step of a worker that the seed chooses among those that can run now.
  /// - Returns: `false` when none can.
  @discardableResult
  package func runOneStep() -> Bool {
    runOneStep(using: random)
  }

  /// As the other form, with a choice of the caller's.
  @discardableResult
  package func runOneStep(using random: SeededRandom) -> Bool {
    let now = clock.monotonicNanoseconds()
    let candidates = workers.filter { $0.isRunnable(now) }
    guard !candidates.isEmpty else { return false }
    let worker = candidates[random.next(below: candidates.count)]
    stepCount += 1
    if recordsSchedule { schedule.append(worker.name) }
    worker.run()
    return true
  }

  /// Runs steps until no worker can run without time moving on.
  /// - Returns: The number of steps.
  @discardableResult
  package func runUntilIdle() -> Int {
    var count = 0
    while runOneStep() {
      count += 1
      precondition(count < stepsPerWaitMax, "Workers are still busy after \(count) steps: \(describeWorkers())")
    }
    return count
  }

  /// Moves time on to the earliest deadline. `false` when no worker has one.
  @discardableResult
  package func advanceToNextDeadline() -> Bool {
    guard let next = workers.compactMap(\.waitingDeadline).min() else { return false }
    let now = clock.monotonicNanoseconds()
    if next > now { clock.advance(nanoseconds: next - now) }
    return true
  }

  /// Moves time on by that much, running whatever becomes due on the way, each at its time.
  package func advance(nanoseconds: UInt64) {
    let end = clock.monotonicNanoseconds() + nanoseconds
    runUntilIdle()
    while let next = workers.compactMap(\.waitingDeadline).min(), next <= end {
      advanceToNextDeadline()
      runUntilIdle()
    }
    let now = clock.monotonicNanoseconds()
    if end > now { clock.advance(nanoseconds: end - now) }
  }

  fileprivate func wait(until isOpen: () -> Bool) {
    var count = 0
    while !isOpen() {
      count += 1
      precondition(count < stepsPerWaitMax, "The gate is still shut after \(count) steps: \(describeWorkers())")
      if runOneStep() { continue }
      precondition(
        advanceToNextDeadline(),
        "Waiting for ever: the gate is shut and no worker can run: \(describeWorkers())")
    }
  }

  private func describeWorkers() -> String {
    workers.isEmpty ? "there are none" : workers.map(\.description).joined(separator: ", ")
  }
}

private final class SimulatedWorker: Worker, CustomStringConvertible, @unchecked Sendable {
  let name: String
  private weak var executor: SimulatedExecutor?
  private let step: @Sendable () -> WorkerNeed
  private var isSignalled = false
  private var isRunning = false
  private var deadline: UInt64?

  init(name: String, executor: SimulatedExecutor, step: @escaping @Sendable () -> WorkerNeed) {
    self.name = name
    self.executor = executor
    self.step = step
  }

  func signal() { isSignalled = true }

  /// The deadline that could run this worker once time has come, unless it is in its step, further down the stack.
  var waitingDeadline: UInt64? { isRunning ? nil : deadline }

  func isRunnable(_ now: UInt64) -> Bool {
    !isRunning && (isSignalled || deadline.map { $0 <= now } == true)
  }

  func run() {
    isSignalled = false
    deadline = nil
    isRunning = true
    let need = step()
    isRunning = false
    switch need {
    case .more: isSignalled = true
    case .signal: break
    case .deadline(let end): deadline = end
    }
  }

  /// A step that runs now is further down the stack, so there is nothing to wait for: it is the last one.
  func stop() {
    executor?.workers.removeAll { $0 === self }
  }

  var description: String {
    let state = isRunning ? "in its step" : isSignalled ? "signalled" : deadline != nil ? "waiting for time" : "asleep"
    return "\(name) is \(state)"
  }
}

private final class SimulatedGate: Gate {
  private let executor: SimulatedExecutor

  init(executor: SimulatedExecutor) {
    self.executor = executor
  }

  func wait(until isOpen: () -> Bool) { executor.wait(until: isOpen) }

  /// Predicates are asked again after every step anyway.
  func announce() {}
}
