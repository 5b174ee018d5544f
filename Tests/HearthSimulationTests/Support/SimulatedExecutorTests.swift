import HearthStorage
import HearthTestSupport
import Testing

@Suite struct SimulatedExecutorTests {
  /// A cell that steps and predicates may share; everything runs on one thread.
  private final class Cell<Value>: @unchecked Sendable {
    var value: Value
    init(_ value: Value) { self.value = value }
  }

  private let executor = SimulatedExecutor(seed: 1)

  @Test func nothingRunsUnasked() {
    let steps = Cell(0)
    let worker = executor.makeWorker("w") {
      steps.value += 1
      return .signal
    }
    #expect(!executor.runOneStep())
    worker.signal()
    worker.signal()
    #expect(steps.value == 0)
    #expect(executor.runUntilIdle() == 1)
    #expect(steps.value == 1)
    #expect(executor.isIdle)
  }

  @Test func signalsDuringAStepAskForOneMore() {
    let steps = Cell(0)
    let worker = Cell<(any Worker)?>(nil)
    worker.value = executor.makeWorker("w") {
      steps.value += 1
      if steps.value < 3 { worker.value!.signal() }
      return .signal
    }
    worker.value!.signal()
    #expect(executor.runUntilIdle() == 3)
    worker.value = nil
  }

  @Test func gatesRunWorkersInPlace() {
    let steps = Cell(0)
    let gate = executor.makeGate()
    let worker = executor.makeWorker("w") {
      steps.value += 1
      gate.announce()
      return .more
    }
    worker.signal()
    gate.wait { steps.value == 5 }
    #expect(steps.value == 5)
    gate.wait { true }
    #expect(steps.value == 5)
  }

  /// A worker that waits inside its step lets others run, never itself, though it was signalled.
  @Test func stepsOfOneWorkerDoNotOverlap() {
    let gate = executor.makeGate()
    let depth = Cell(0)
    let deepest = Cell(0)
    let helped = Cell(0)
    let waiterSteps = Cell(0)
    let waiter = Cell<(any Worker)?>(nil)
    let helper = executor.makeWorker("helper") {
      helped.value += 1
      return .more
    }
    waiter.value = executor.makeWorker("waiter") {
      depth.value += 1
      waiterSteps.value += 1
      deepest.value = max(deepest.value, depth.value)
      if waiterSteps.value == 1 { waiter.value!.signal() }
      let end = helped.value + 20
      gate.wait { helped.value >= end }
      depth.value -= 1
      return .signal
    }
    waiter.value!.signal()
    helper.signal()
    gate.wait { waiterSteps.value == 2 && depth.value == 0 }
    #expect(deepest.value == 1)
    #expect(helped.value >= 40)
    waiter.value = nil
  }

  @Test func timeMovesOnWhenNothingElseCanRun() {
    let times = Cell<[UInt64]>([])
    let clock = executor.clock
    let start = clock.monotonicNanoseconds()
    let wall = clock.wallMicroseconds()
    let gate = executor.makeGate()
    let worker = executor.makeWorker("timer") {
      times.value.append(clock.monotonicNanoseconds() - start)
      return .deadline(clock.monotonicNanoseconds() + 1_000_000)
    }
    worker.signal()
    executor.runUntilIdle()
    #expect(times.value == [0])
    gate.wait { times.value.count == 3 }
    #expect(times.value == [0, 1_000_000, 2_000_000])
    #expect(clock.wallMicroseconds() - wall == 2_000)
    executor.advance(nanoseconds: 2_500_000)
    #expect(times.value == [0, 1_000_000, 2_000_000, 3_000_000, 4_000_000])
    #expect(clock.monotonicNanoseconds() - start == 4_500_000)
    // A signal comes before the deadline and takes its place.
    worker.signal()
    executor.runUntilIdle()
    #expect(times.value.last == 4_500_000)
    executor.advance(nanoseconds: 600_000)
    #expect(times.value.count == 6)
  }

  @Test func stoppedWorkersNeverRun() {
    let steps = Cell(0)
    let worker = Cell<(any Worker)?>(nil)
    worker.value = executor.makeWorker("w") {
      steps.value += 1
      worker.value!.stop()
      return .more
    }
    worker.value!.signal()
    executor.runUntilIdle()
    worker.value!.signal()
    executor.runUntilIdle()
    #expect(steps.value == 1)
    worker.value = nil
  }

  @Test func theSeedChoosesTheOrder() {
    func schedule(_ seed: UInt64) -> [String] {
      let executor = SimulatedExecutor(seed: seed)
      executor.recordsSchedule = true
      for name in ["a", "b", "c"] {
        let left = Cell(10)
        executor.makeWorker(name) {
          left.value -= 1
          return left.value > 0 ? .more : .signal
        }.signal()
      }
      executor.runUntilIdle()
      return executor.schedule
    }
    #expect(schedule(3) == schedule(3))
    #expect(schedule(3).count == 30)
    #expect(Set((0..<20).map { schedule($0) }).count > 15)
  }

  #if os(Linux) || os(macOS)
  @Test func waitingForNobodyFailsWithItsReason() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let executor = SimulatedExecutor(seed: 1)
      _ = executor.makeWorker("sleeper") { .signal }
      executor.makeGate().wait { false }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("Waiting for ever: the gate is shut and no worker can run: sleeper is asleep"))
  }
  #endif

  /// The first values for seed 1234567 as published with the generator.
  @Test func splitMixGivesItsPublishedValues() {
    let random = SeededRandom(seed: 1_234_567)
    #expect(
      (0..<5).map { _ in random.next() } == [
        6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423, 4_593_380_528_125_082_431,
        16_408_922_859_458_223_821,
      ])
  }

  @Test func boundedNumbersCoverTheirRange() {
    let random = SeededRandom(seed: 4)
    var counts = [0, 0, 0]
    for _ in 0..<3000 { counts[random.next(below: 3)] += 1 }
    #expect(counts.allSatisfy { $0 > 800 })
  }
}
