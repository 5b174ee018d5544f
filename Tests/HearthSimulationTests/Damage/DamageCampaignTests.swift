import Foundation
import Testing

@testable import HearthStorage
@testable import HearthTestSupport

@Suite(.serialized) struct DamageCampaignTests {
  /// `HEARTH_DAMAGES` sets how many, `HEARTH_SEED` where they begin.
  @Test(.timeLimit(.minutes(240))) func everyAnswerOfADamagedDatabaseIsRightOrATypedError() throws {
    let asked = CampaignEnvironment.number("HEARTH_DAMAGES")
    var campaign = try DamageCampaign()
    CampaignEnvironment.progress("the case at work is in \(campaign.casePath)")
    // Other tests may run beside in the same process.
    try MemoryBound.run(bytesMore: asked == nil ? 2 << 30 : 256 << 20) {
      try campaign.run(from: CampaignEnvironment.seed ?? 1, cases: Int(asked ?? 300)) { campaign in
        if campaign.cases % 500 == 0 { CampaignEnvironment.progress(campaign.summary) }
      }
    }
    print("damage campaign: \(campaign.summary); \(MemoryBound.peakBytes >> 20) MiB at most in the process")
    guard asked == nil else { return }
    // Each way of ending was met.
    let tally = campaign.tally
    #expect(tally.served > 50 && tally.prefixes > 5 && tally.refused > 50 && tally.fallbacks > 5)
    #expect(tally.errors > 100 && tally.findings > 100)
  }

  /// A judge that could not fail would prove nothing.
  @Test func theJudgeNoticesAWrongAnswer() throws {
    let sample = try #require(try DamageSample.all().first)
    let random = SeededRandom(seed: 1)
    let damage = Damage(sample, SeededRandom(seed: 2))
    // One database's files against another one's states.
    var states = sample.states
    var state = try #require(states[sample.lastVersion])
    let key = try #require(state[.documents].keys.first)
    state.apply([ModelChange(tree: .documents, key: key, value: [9])], version: 1)
    states[sample.lastVersion] = state
    let other = try DamageSample("other", options: sample.options, files: sample.files, states: states)
    let folder = NSTemporaryDirectory() + "hearth-judge-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try DamageFolder.make(other.files, at: folder)
    var judge = DamageJudge(other, damage, folder: folder)
    #expect(throws: SimulationFailure.self) { try judge.judgeReading(random) }
  }
}
