import Testing

@testable import HearthStorage
@testable import HearthTestSupport

/// Random operations against sorted dictionaries, across settings, without crashes: what every call returns and shows.
struct EngineModelTests {
  /// `HEARTH_OPERATIONS` sets how many; the long command asks for millions.
  @Test func theEngineShowsWhatADictionaryShows() throws {
    let wanted = Int(CampaignEnvironment.number("HEARTH_OPERATIONS") ?? 60_000)
    var seed = CampaignEnvironment.seed ?? 1
    var operations = 0
    var settings = Set<[Int]>()
    var conflicts = 0
    var next = 0
    while operations < wanted {
      do {
        operations += try history(seed, &settings, &conflicts)
      } catch {
        throw SimulationFailure(
          "seed \(seed): \(error)\nagain with: HEARTH_SEED=\(seed) HEARTH_OPERATIONS=1 swift test --filter EngineModelTests"
        )
      }
      seed &+= 1
      if operations >= next {
        CampaignEnvironment.progress("model: \(operations) operations, seed \(seed)")
        next = operations + 100_000
      }
    }
    #expect(settings.count > 1 || wanted < 10_000)
    print("model: \(operations) operations, \(settings.count) settings, \(conflicts) conflicts")
  }

  private func history(_ seed: UInt64, _ settings: inout Set<[Int]>, _ conflicts: inout Int) throws -> Int {
    let random = SeededRandom(seed: SeededRandom.mix(seed))
    var options = StorageOptions()
    options.unsyncedBytesMax = [1, 8 << 10][random.next(below: 2)] << 10
    options.logFileBytesMin = [16, 64][random.next(below: 2)] << 10
    options.logFileBytesMax = [64, 1024][random.next(below: 2)] << 10
    options.memtableBudgetBytes = [32, 64, 256, 1024][random.next(below: 4)] << 10
    options.largeBatchBytesMax = [1, 4, 16, 256][random.next(below: 4)] << 10
    options.pageBytes = [256, 1024, 4096, 16 << 10][random.next(below: 4)]
    options.pageCacheBytes = [1, 64, 1024, 64 << 10][random.next(below: 4)] << 10
    options.logBytesMax = [0, 64, 1024][random.next(below: 3)] << 10
    settings.insert([
      options.logFileBytesMin, options.logFileBytesMax, options.memtableBudgetBytes, options.logBytesMax,
    ])
    let database = SimulatedDatabase(
      on: SimulatedDatabase.disk(), setup: SimulatedDatabase.Setup(options: options, seed: random.next()))
    try database.open(required: 0, random: random)
    var operations = 0
    for _ in 0..<3 {
      var workload = Workload(database, random: random)
      for _ in 0..<400 {
        try workload.step()
        if random.oneIn(8) { try workload.checkRanges() }
        if random.oneIn(25) { try workload.checkAll() }
      }
      try workload.checkAll()
      operations += workload.operations
      if random.oneIn(2) { try database.reopen(random: random) } else { try database.kill(random: random) }
    }
    conflicts += database.conflicts
    return operations
  }
}
