import Foundation
import HearthTestSupport

@testable import HearthStorage

/// Random damage by seed to real databases on the real file system: each seed is one case.
struct DamageCampaign {
  private let samples: [DamageSample]
  private let folder: String
  /// Holds the seed of the case in progress: what is left of a process that a case has ended.
  let casePath: String
  private(set) var cases = 0
  private(set) var tally = DamageJudge.Tally()
  private(set) var slowest: (seconds: Double, seed: UInt64) = (0, 0)

  init() throws {
    samples = try DamageSample.all()
    let name = NSTemporaryDirectory() + "hearth-damage-\(ProcessInfo.processInfo.processIdentifier)"
    folder = name
    casePath = name + "-case.txt"
  }

  var summary: String {
    "\(cases) damaged databases of \(samples.count) shapes: opened \(tally.served) times whole, \(tally.prefixes) up to "
      + "the damage, \(tally.refused) refused, \(tally.fallbacks) from the checkpoint before; \(tally.answers) right "
      + "answers, \(tally.errors) typed errors, \(tally.findings) findings; the slowest took "
      + "\(String(format: "%.2f", slowest.seconds)) s (seed \(slowest.seed))"
  }

  mutating func run(from seed: UInt64, cases wanted: Int, progress: (DamageCampaign) -> Void = { _ in }) throws {
    defer {
      try? FileManager.default.removeItem(atPath: folder)
      try? FileManager.default.removeItem(atPath: casePath)
    }
    for seed in seed..<seed + UInt64(wanted) {
      try runCase(seed)
      progress(self)
    }
  }

  private mutating func runCase(_ seed: UInt64) throws {
    let random = SeededRandom(seed: SeededRandom.mix(seed))
    let sample = samples[random.next(below: samples.count)]
    let damage = Damage(sample, random)
    let line = "seed \(seed), \(sample), \(damage.description)"
    try (line + "\n").write(toFile: casePath, atomically: false, encoding: .utf8)
    let start = ContinuousClock.now
    var judge = DamageJudge(sample, damage, folder: folder)
    do {
      try DamageFolder.make(damage.files, at: folder)
      try judge.judgeReading(random)
      try DamageFolder.make(damage.files, at: folder)
      try judge.judgeWriting(random)
    } catch {
      throw SimulationFailure(
        "\(line): \(error)\nagain with: HEARTH_SEED=\(seed) HEARTH_DAMAGES=1 swift test --filter DamageCampaignTests")
    }
    let seconds = start.duration(to: .now) / .seconds(1)
    if seconds > slowest.seconds { slowest = (seconds, seed) }
    cases += 1
    tally.add(judge.tally)
  }
}

extension DamageJudge.Tally {
  mutating func add(_ other: DamageJudge.Tally) {
    served += other.served
    refused += other.refused
    prefixes += other.prefixes
    fallbacks += other.fallbacks
    answers += other.answers
    errors += other.errors
    findings += other.findings
  }
}
