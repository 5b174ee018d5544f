import Testing

@testable import HearthStorage
@testable import HearthTestSupport

/// The simulator's own proof: each rule of the engine broken in one place, on purpose, must be noticed by the campaign.
@Suite(.serialized) struct DeliberateBreakTests {
  struct Break: Sendable, CustomTestStringConvertible {
    var name: String
    var faults: StorageFaults
    /// Needs so much to come together that one script notices it at once and the campaign late.
    var scenario: String?
    var testDescription: String { name }

    init(_ name: String, _ faults: StorageFaults, scenario: String? = nil) {
      self.name = name
      self.faults = faults
      self.scenario = scenario
    }
  }

  static let all: [Break] = [
    Break("the log is not synced", .logNotSynced),
    Break("a new file's header is not synced (E8)", .headerNotSynced),
    Break("new names are not synced (E8)", .namesNotSynced),
    Break("a file is not synced before the next one begins", .fileNotSyncedBeforeNext),
    Break("a claimed sector is written again (E7)", .claimedSectorRewritten),
    Break("synced through is too high (E6)", .syncedThroughTooHigh),
    Break("the chain is not checked", .chainNotChecked),
    Break("checksums are not checked", .checksumNotChecked),
    Break("parts count without their mark (E17)", .partsCountWithoutMark),
    Break("the copied range is not noted (E6)", .copiedEndMissing),
    Break("a recovery writes the header before the copy (E5)", .headerBeforeCopy),
    Break("a segment is named before it is synced", .segmentNotSynced),
    Break("names of segments are not synced", .segmentNameNotSynced),
    Break("what a merge replaces stays alive in usage", .killsForgotten),
    Break("segments go a checkpoint too early (E3)", .segmentRemovedEarly),
    Break("slots are not synced", .slotNotSynced),
    Break("the newest slot is overwritten (E4)", .newestSlotOverwritten),
    Break("the log is recycled a checkpoint too early (E3)", .recycledTooEarly),
    Break("commits are acknowledged before they are synced", .acknowledgedEarly),
    Break("views are published before they are synced", .publishedEarly),
    Break("signs are wrong (E1)", .wrongSigns),
    Break("failed commits stay", .failedCommitsStay),
    Break(
      "a sync beside the writers claims what came after", .claimedBesideTooMuch,
      scenario: CrashScenario.unwrittenBetweenNoteAndSync),
    Break(
      "an opening removes files before the slots are synced (E3)", .slotNotSettled,
      scenario: CrashScenario.slotNotSynced),
  ]

  /// Far fewer are needed; a break that hides longer than this is a hole in the campaign.
  static let crashesMax = 20_000

  @Test(arguments: all.filter { $0.scenario != nil })
  func itsScenarioNoticesTheBreak(_ rule: Break) throws {
    let scenario = try #require(CrashScenario.all.first { $0.name == rule.scenario })
    let script = Script(scenario.options, sectorBytes: scenario.sectorBytes)
    let failure = #expect(throws: SimulationFailure.self) {
      try StorageFaults.$injected.withValue(rule.faults) {
        try scenario.run(script)
        try script.unwatch()
      }
    }
    print(
      "break \"\(rule.name)\": noticed after \(script.checker.crashes) crashes of the scenario "
        + "\"\(scenario.name)\": \(failure?.description.prefix(200) ?? "never")")
  }

  @Test(arguments: all.filter { $0.scenario == nil })
  func theCampaignNoticesEveryBreak(_ rule: Break) throws {
    var style = CrashCampaign.Style()
    style.operationsPerCrashPoint = 5
    var campaign = CrashCampaign(style: style)
    let failure = #expect(throws: SimulationFailure.self) {
      try StorageFaults.$injected.withValue(rule.faults) {
        try campaign.run(from: 1, crashes: Self.crashesMax)
      }
    }
    print(
      "break \"\(rule.name)\": noticed after \(campaign.crashes) crashes: \(failure?.description.prefix(200) ?? "never")"
    )
  }

  /// No crash brings back a file that a recovery has replaced: its removal is durable before the first commit. Somebody
  /// who restores single files can, and then the newer generation must count (E30).
  @Test func theOlderGenerationIsNoticedWhenItWins() throws {
    func found(_ faults: StorageFaults) throws -> UInt64 {
      let script = Script(Script.options())
      try script.open()
      try script.put("a")
      let old = try #require(SimulatedDatabase.lastLog(on: script.database.files))
      let bytes = try #require(script.database.files.imageBytes(old.path))
      try script.kill()
      try script.put("b")
      let image = script.database.files.killedProcess()
      image.place(SimulatedDatabase.logFolder + "/000900.wal", bytes)
      let history = script.database.history
      return try StorageFaults.$injected.withValue(faults) {
        let database = SimulatedDatabase(on: image, setup: script.setup, history: history)
        try database.open(required: 0, random: script.random)
        return database.published
      }
    }
    #expect(try found([]) == 2)
    #expect((try? found(.oldGenerationWins)) != 2)
  }

  @Test func withoutABreakTheSameCampaignPasses() throws {
    var style = CrashCampaign.Style()
    style.operationsPerCrashPoint = 5
    var campaign = CrashCampaign(style: style)
    try campaign.run(from: 1, crashes: 2_000)
  }
}
