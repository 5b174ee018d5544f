import Testing

@testable import HearthStorage
@testable import HearthTestSupport

/// A small model of the log's life, exhausted on the real engine: all orders of commits, flushes and maintenance steps
/// up to a depth, with a crash before each operation on the disk, and each single operation since the last sync lost.
struct LogRecyclingModelTests {
  private enum Action: CaseIterable { case commit, enqueue, committer, syncer, maintainer }

  @Test func everyOrderOfCommitsAndRecyclingSurvivesACrashAtEveryStep() throws {
    let depth = Int(CampaignEnvironment.number("HEARTH_DEPTH") ?? 4)
    let checker = CrashChecker(SimulatedDatabase.Setup(options: Script.options(CrashScenario.eager)))
    var seen = Set<UInt64>()
    var orders = 0
    var points = 0
    var recycled = 0

    func run(_ actions: [Action]) throws {
      orders += 1
      let database = SimulatedDatabase(on: SimulatedDatabase.disk(), setup: checker.setup)
      let random = SeededRandom(seed: 5)
      try database.open(required: 0, random: random)
      // Two checkpoints, so that the next ones recycle.
      for key: UInt8 in [1, 2, 3] {
        try database.commit { batch, _, _ in try batch.put(.documents, [key], [key]) }
        while database.engine.maintenanceStep() == .more {}
      }
      var failure: (any Error)?
      database.beforeOperation = { line in
        guard failure == nil else { return }
        points += 1
        if line.hasPrefix("rename"), line.hasSuffix(".new") { recycled += 1 }
        let crash = database.files.crash()
        let promise = CrashChecker.Promise(history: database.history, required: database.requiredAfterPowerCut)
        func judge(_ isKept: (Int) -> Bool) throws {
          let image = crash.image(keeping: isKept)
          guard seen.insert(SeededRandom.mix(image.imageHash &+ promise.required)).inserted else { return }
          try checker.check(image, promise, random: random, reopens: false)
        }
        do {
          try within("\(actions), before \(line)") {
            try judge { _ in true }
            try judge { _ in false }
            for operation in crash.operations {
              try judge { !operation.contains($0) }
              try judge { operation.contains($0) }
            }
          }
        } catch { failure = error }
      }
      var key: UInt8 = 10
      for action in actions {
        key += 1
        let name = key
        switch action {
        case .commit: try database.commit { batch, _, _ in try batch.put(.documents, [name % 3], [name]) }
        case .enqueue: try database.enqueue(.buffered) { batch, _, _ in try batch.put(.documents, [name], [name]) }
        case .committer: _ = database.engine.commitStep()
        case .syncer:
          database.executor.clock.advance(nanoseconds: 600_000_000)
          _ = database.engine.syncStep()
        case .maintainer: _ = database.engine.maintenanceStep()
        }
        if let failure { throw failure }
      }
      let state = database.history
      _ = try state.verify(try database.engine.view(), required: 0, random: random)
    }

    func descend(_ actions: [Action]) throws {
      if actions.count == depth {
        try run(actions)
        return
      }
      for action in Action.allCases { try descend(actions + [action]) }
    }
    try descend([])
    #expect(orders == (0..<depth).reduce(1) { product, _ in product * Action.allCases.count })
    #expect(recycled > 0)
    print(
      "recycling: \(orders) orders of \(depth) actions exhausted, \(points) points, \(recycled) recyclings, \(checker.summary)"
    )
  }
}
