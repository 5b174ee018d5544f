import Testing

@testable import HearthStorage
@testable import HearthTestSupport

struct CrashScenarioTests {
  @Test func thereAreManyScenarios() {
    #expect(CrashScenario.all.count >= 100)
    #expect(Set(CrashScenario.all.map(\.name)).count == CrashScenario.all.count)
  }

  @Test(arguments: CrashScenario.all)
  func everyCrashKeepsEveryPromise(_ scenario: CrashScenario) throws {
    let script = Script(scenario.options, sectorBytes: scenario.sectorBytes)
    do {
      try scenario.run(script)
      try script.unwatch()
    } catch {
      throw SimulationFailure("\(scenario.name): \(error)")
    }
    #expect(script.points > 0)
    #expect(script.isExhaustive)
    print("scenario \(scenario.name): \(script.summary)")
    ScenarioTotals.shared.add(script.checker)
  }
}

extension CrashScenarioTests {
  /// What a killed process left of a new database is there in memory only; the next one must make it durable.
  @Test func aCreationThatWasKilledIsFinishedDurably() throws {
    for calls in 0..<10 {
      let script = Script(Script.options())
      let files = script.database.files
      files.stopAfter(calls)
      #expect(throws: (any Error).self) { try script.database.open(required: 0, random: script.random) }
      script.database.abandon(for: files.killedProcess())
      try within("killed after \(calls) calls") {
        try script.open()
        try script.put("a")
        let promise = CrashChecker.Promise(history: script.database.history, required: 1)
        for image in script.database.files.crash().images() {
          try script.checker.check(image, promise, random: script.random)
        }
      }
    }
  }
}

/// Adds up what the scenarios of one run saw; each prints the sum so far, the last one the total.
final class ScenarioTotals: @unchecked Sendable {
  static let shared = ScenarioTotals()
  private let lock = Lock()
  private let sum = CrashChecker(SimulatedDatabase.Setup())
  private var scenarios = 0

  func add(_ checker: CrashChecker) {
    lock.withLock {
      sum.add(checker)
      scenarios += 1
      print("scenarios so far, \(scenarios) of \(CrashScenario.all.count): \(sum.summary)")
    }
  }
}
