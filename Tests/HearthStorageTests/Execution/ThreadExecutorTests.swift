import Foundation
import HearthStorage
import Synchronization
import Testing

@Suite struct ThreadExecutorTests {
  private let executor = ThreadExecutor()

  @Test func aWorkerSleepsUntilItIsSignalled() {
    let steps = Atomic(0)
    let gate = executor.makeGate()
    let worker = executor.makeWorker("sleeper") {
      steps.add(1, ordering: .relaxed)
      gate.announce()
      return .signal
    }
    #expect(steps.load(ordering: .relaxed) == 0)
    worker.signal()
    gate.wait { steps.load(ordering: .relaxed) == 1 }
    worker.stop()
    #expect(steps.load(ordering: .relaxed) == 1)
  }

  @Test func moreRunsAgainWithoutASignal() {
    let steps = Atomic(0)
    let gate = executor.makeGate()
    let worker = executor.makeWorker("busy") {
      let step = steps.add(1, ordering: .relaxed).newValue
      gate.announce()
      return step < 1000 ? .more : .signal
    }
    worker.signal()
    gate.wait { steps.load(ordering: .relaxed) == 1000 }
    worker.stop()
    #expect(steps.load(ordering: .relaxed) == 1000)
  }

  @Test func deadlinesWakeByThemselves() {
    let clock = SystemClock()
    let steps = Mutex<[UInt64]>([])
    let gate = executor.makeGate()
    let worker = executor.makeWorker("timer") {
      let now = clock.monotonicNanoseconds()
      let count = steps.withLock {
        $0.append(now)
        return $0.count
      }
      gate.announce()
      return count < 3 ? .deadline(now + 2_000_000) : .signal
    }
    worker.signal()
    gate.wait { steps.withLock { $0.count } == 3 }
    worker.stop()
    let times = steps.withLock { $0 }
    #expect(times[1] - times[0] >= 2_000_000)
    #expect(times[2] - times[1] >= 2_000_000)
  }

  @Test func aSignalComesBeforeTheDeadline() {
    let steps = Atomic(0)
    let gate = executor.makeGate()
    let worker = executor.makeWorker("patient") {
      steps.add(1, ordering: .relaxed)
      gate.announce()
      return .deadline(.max)
    }
    for count in 1...3 {
      worker.signal()
      gate.wait { steps.load(ordering: .relaxed) == count }
    }
    worker.stop()
  }

  /// Work is posted before each signal; a lost wake-up would leave some of it, and this test would hang.
  @Test(.timeLimit(.minutes(2))) func noSignalIsLostUnderAHammer() {
    let posted = Atomic(0)
    let done = Atomic(0)
    let overlaps = Atomic(0)
    let running = Atomic(false)
    let gate = executor.makeGate()
    let worker = executor.makeWorker("hammered") {
      if running.exchange(true, ordering: .acquiring) { overlaps.add(1, ordering: .relaxed) }
      done.store(posted.load(ordering: .sequentiallyConsistent), ordering: .sequentiallyConsistent)
      running.store(false, ordering: .releasing)
      gate.announce()
      return .signal
    }
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      for _ in 0..<2000 {
        let mine = posted.add(1, ordering: .sequentiallyConsistent).newValue
        worker.signal()
        gate.wait { done.load(ordering: .sequentiallyConsistent) >= mine }
      }
    }
    worker.stop()
    #expect(done.load(ordering: .relaxed) == 8000)
    #expect(overlaps.load(ordering: .relaxed) == 0)
  }

  @Test(.timeLimit(.minutes(1))) func gatesPassATokenAround() {
    let turn = Atomic(0)
    let gate = executor.makeGate()
    DispatchQueue.concurrentPerform(iterations: 2) { me in
      for round in 0..<5000 {
        gate.wait { turn.load(ordering: .sequentiallyConsistent) == round * 2 + me }
        turn.add(1, ordering: .sequentiallyConsistent)
        gate.announce()
      }
    }
    #expect(turn.load(ordering: .relaxed) == 10_000)
  }

  @Test func stoppingWaitsForTheStepThatRuns() {
    for _ in 0..<50 {
      let begun = Atomic(0)
      let ended = Atomic(0)
      let gate = executor.makeGate()
      let worker = executor.makeWorker("slow") {
        begun.add(1, ordering: .sequentiallyConsistent)
        gate.announce()
        usleep(500)
        ended.add(1, ordering: .sequentiallyConsistent)
        return .more
      }
      worker.signal()
      gate.wait { begun.load(ordering: .sequentiallyConsistent) > 0 }
      worker.stop()
      let after = begun.load(ordering: .sequentiallyConsistent)
      #expect(ended.load(ordering: .sequentiallyConsistent) == after)
      worker.signal()
      worker.stop()
      #expect(begun.load(ordering: .sequentiallyConsistent) == after)
    }
  }

  @Test(.timeLimit(.minutes(1))) func aStepMayStopItsOwnWorker() {
    for _ in 0..<50 {
      let box = Mutex<(any Worker)?>(nil)
      let steps = Atomic(0)
      let gate = executor.makeGate()
      let worker = executor.makeWorker("suicidal") {
        box.withLock { $0 }?.stop()
        steps.add(1, ordering: .sequentiallyConsistent)
        gate.announce()
        return .more
      }
      box.withLock { $0 = worker }
      worker.signal()
      gate.wait { steps.load(ordering: .sequentiallyConsistent) == 1 }
      // Waits for the thread's end, not for a join that nobody may do.
      worker.stop()
      #expect(steps.load(ordering: .sequentiallyConsistent) == 1)
      box.withLock { $0 = nil }
    }
  }

  @Test(.timeLimit(.minutes(1))) func manyMayStopAtOnce() {
    for _ in 0..<50 {
      let worker = executor.makeWorker("shared") { .more }
      worker.signal()
      DispatchQueue.concurrentPerform(iterations: 4) { _ in worker.stop() }
    }
  }

  #if os(Linux)
  @Test func threadsCarryTheirWorkersName() {
    let name = Mutex("")
    let gate = executor.makeGate()
    let worker = executor.makeWorker("hearth-committer-of-logs") {
      let text = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
      name.withLock { $0 = text ?? "unreadable" }
      gate.announce()
      return .signal
    }
    worker.signal()
    gate.wait { name.withLock { $0 } != "" }
    worker.stop()
    #expect(name.withLock { $0 } == "hearth-committe\n")
  }
  #endif

  @Test func clocksRunForward() {
    let clock = SystemClock()
    var last = clock.monotonicNanoseconds()
    for _ in 0..<1000 {
      let now = clock.monotonicNanoseconds()
      #expect(now >= last)
      last = now
    }
    // Somewhere between 2020 and 2100.
    #expect(1_577_000_000_000_000..<4_102_000_000_000_000 ~= clock.wallMicroseconds())
  }

  @Test func randomBitsDiffer() {
    #expect(Set((0..<100).map { _ in SystemRandom().next() }).count == 100)
  }
}
