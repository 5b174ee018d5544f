import Testing

@testable import HearthStorage
@testable import HearthTestSupport

struct CrashCampaignTests {
  /// `HEARTH_SEED` alone runs that one history; with `HEARTH_CRASHES`, histories from there on.
  @Test func noCrashBreaksAPromise() throws {
    var campaign = CrashCampaign()
    let asked = CampaignEnvironment.number("HEARTH_CRASHES")
    if let seed = CampaignEnvironment.seed, asked == nil {
      try campaign.runHistory(seed)
    } else {
      var next = 0
      try campaign.run(from: CampaignEnvironment.seed ?? 1, crashes: Int(asked ?? 10_000)) { campaign in
        guard campaign.crashes >= next else { return }
        CampaignEnvironment.progress(campaign.summary)
        next = campaign.crashes + 5_000
      }
      #expect(campaign.images.count > campaign.crashes / 20)
    }
    print("crash campaign: \(campaign.summary)")
  }

  @Test func oneSeedGivesOneDisk() throws {
    func run(_ seed: UInt64) throws -> (history: UInt64, files: [String: [UInt8]]) {
      var options = StorageOptions()
      options.logFileBytesMin = 16 << 10
      options.logFileBytesMax = 32 << 10
      options.largeBatchBytesMax = 2 << 10
      options.logBytesMax = 8 << 10
      let database = SimulatedDatabase(
        on: SimulatedDatabase.disk(), setup: SimulatedDatabase.Setup(options: options, seed: seed))
      let random = SeededRandom(seed: seed)
      try database.open(required: 0, random: random)
      var history: UInt64 = 0
      for life in 0..<4 {
        var workload = Workload(database, random: random)
        for _ in 0..<150 { try workload.step() }
        history = SeededRandom.mix(history ^ database.files.historyHash)
        if life == 1 { try database.kill(random: random) } else { try database.powerCut(seed: seed, random: random) }
      }
      return (history, database.files.snapshotLive())
    }
    for seed: UInt64 in 1...3 {
      let first = try run(seed)
      let second = try run(seed)
      #expect(first.files.count > 2)
      #expect(first.files == second.files)
      #expect(first.history == second.history)
    }
    #expect(try run(4).history != run(5).history)
  }
}
