import Foundation
import Synchronization

/// Runs a row's threads side by side and adds up what they did.
enum RowRunner {
  struct Outcome {
    var operations = 0
    var items = 0
    var seconds = 0.0
    var latency = LatencyHistogram()
    var isComplete = true
    /// By thread.
    var digests: [[UInt64]] = []
  }

  /// Each thread owns its place; they meet at the start alone.
  private final class Shared: @unchecked Sendable {
    var runs: [ThreadRun]
    var errors: [(any Error)?]
    let ready = Atomic(0)
    let start = Atomic<UInt64>(0)
    let lock = NSLock()

    init(_ count: Int) {
      runs = Array(repeating: ThreadRun(), count: count)
      errors = Array(repeating: nil, count: count)
    }

    func finish(_ thread: Int, _ run: ThreadRun, _ error: (any Error)?) {
      lock.withLock {
        runs[thread] = run
        errors[thread] = error
      }
    }
  }

  /// A plan on its way to its thread, which alone has it then.
  private struct Handed: @unchecked Sendable {
    let plan: ThreadPlan
  }

  static func run(
    _ plans: [ThreadPlan], on engine: any Engine, limit: ThreadRun.Limit, timedEvery: Int
  ) throws -> Outcome {
    let shared = Shared(plans.count)
    let group = DispatchGroup()
    for (index, plan) in plans.enumerated() {
      let handed = Handed(plan: plan)
      group.enter()
      let thread = Thread {
        var run = ThreadRun()
        var failure: (any Error)?
        do {
          let session: any Session
          do {
            defer { shared.ready.add(1, ordering: .acquiringAndReleasing) }
            session = try engine.session()
          }
          var start = shared.start.load(ordering: .acquiring)
          while start == 0 {
            sched_yield()
            start = shared.start.load(ordering: .acquiring)
          }
          try run.run(handed.plan, session, start: start, limit: limit, timedEvery: timedEvery)
        } catch {
          failure = error
        }
        shared.finish(index, run, failure)
        group.leave()
      }
      thread.stackSize = 4 << 20
      thread.start()
    }
    while shared.ready.load(ordering: .acquiring) < plans.count { sched_yield() }
    let start = Ticks.now()
    shared.start.store(start, ordering: .releasing)
    group.wait()
    if let error = shared.errors.lazy.compactMap({ $0 }).first { throw error }
    var outcome = Outcome()
    for run in shared.runs {
      outcome.operations += run.operations
      outcome.items += run.items
      outcome.seconds = max(outcome.seconds, Double(run.end - start) / 1e9)
      outcome.latency.merge(run.latency)
      outcome.isComplete = outcome.isComplete && run.isComplete
      outcome.digests.append(run.digests)
    }
    return outcome
  }
}
