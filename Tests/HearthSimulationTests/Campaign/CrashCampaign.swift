import Foundation

@testable import HearthStorage
@testable import HearthTestSupport

/// Random lives of a database by seed, with crashes everywhere: each seed is one *history* of several lives on one disk,
/// and at random operations the disk is judged as several crashes could leave it at that moment.
struct CrashCampaign {
  /// What a history does besides.
  struct Style: Sendable {
    /// Judge crashes before about one in so many operations on the disk.
    var operationsPerCrashPoint = 12
    /// The same while a merge is under way, up to the slot and what goes after it.
    var operationsPerCrashPointInMerges = 6
    var imagesPerCrashPoint = 3
    /// Judge what a kill alone leaves at one in so many points.
    var pointsPerKill = 6
    var stepsPerLife = 40
    var lives = 4
    var hasFaults = true
    var wrap: @Sendable (SimulatedFileSystem) -> any FileSystem = { $0 }
  }

  var style = Style()
  private(set) var crashes = 0
  /// Of those, at a moment when a merge was under way.
  private(set) var crashesInMerges = 0
  private(set) var histories = 0
  private(set) var operations = 0
  private(set) var kindsOfDamage = 0
  private(set) var checkpoints = 0
  private(set) var images = Set<UInt64>()
  private(set) var states = Set<UInt64>()

  init(style: Style = Style()) {
    self.style = style
  }

  var summary: String {
    "\(crashes) crashes, \(crashesInMerges) of them inside a merge, in \(histories) histories with \(operations) operations: \(images.count) distinct images, "
      + "\(states.count) distinct states, \(kindsOfDamage) of them damaged besides, \(checkpoints) checkpoints read whole"
  }

  /// Runs histories from `seed` on until there were so many crashes.
  /// - Throws: ``SimulationFailure`` that names the seed which shows it again.
  mutating func run(from seed: UInt64, crashes wanted: Int, progress: ((CrashCampaign) -> Void)? = nil) throws {
    var seed = seed
    while crashes < wanted {
      try runHistory(seed)
      progress?(self)
      seed &+= 1
    }
  }

  mutating func runHistory(_ seed: UInt64) throws {
    let random = SeededRandom(seed: SeededRandom.mix(seed))
    let setup = CrashCampaign.setup(random, style)
    let checker = CrashChecker(setup)
    defer {
      histories += 1
      crashes += checker.crashes
      kindsOfDamage += checker.kindsOfDamage
      checkpoints += checker.checkpoints
      images.formUnion(checker.images)
      states.formUnion(checker.states)
    }
    do {
      try history(random, setup, checker)
    } catch {
      throw SimulationFailure(
        "seed \(seed), after \(checker.crashes) crashes: \(error)\n"
          + "again with: HEARTH_SEED=\(seed) swift test --filter CrashCampaignTests")
    }
  }

  private static func setup(_ random: SeededRandom, _ style: Style) -> SimulatedDatabase.Setup {
    var options = StorageOptions()
    options.logFileBytesMin = [16, 16, 20, 32, 64][random.next(below: 5)] << 10
    options.unsyncedBytesMax = [1, 6, 40, 8 << 10][random.next(below: 4)] << 10
    options.logFileBytesMax = max(options.logFileBytesMin, [16, 32, 64, 128][random.next(below: 4)] << 10)
    options.memtableBudgetBytes = [64, 128, 1024][random.next(below: 3)] << 10
    options.largeBatchBytesMax = [1, 2, 4, 16][random.next(below: 4)] << 10
    options.pageBytes = [256, 1024, 16 << 10][random.next(below: 3)]
    options.pageCacheBytes = [1, 64, 1024][random.next(below: 3)] << 10
    options.logBytesMax = [0, 4, 8, 16, 64][random.next(below: 5)] << 10
    return SimulatedDatabase.Setup(options: options, seed: random.next(), wrap: style.wrap)
  }

  private mutating func history(
    _ random: SeededRandom, _ setup: SimulatedDatabase.Setup, _ checker: CrashChecker
  ) throws {
    let style = style
    var crashesInMerges = 0
    defer { self.crashesInMerges += crashesInMerges }
    let judge = SeededRandom(seed: random.next())
    let database = SimulatedDatabase(
      on: SimulatedDatabase.disk(sectorBytes: random.oneIn(4) ? 512 : 4096), setup: setup)
    database.files.liesAboutSync = style.hasFaults && random.oneIn(12)
    let lies = database.files.liesAboutSync
    var failure: (any Error)?
    var line = ""
    func judgeNow() {
      guard failure == nil else { return }
      let before = checker.crashes
      defer { if database.isMerging(at: line) { crashesInMerges += checker.crashes - before } }
      let promise = CrashChecker.Promise(
        history: database.history, required: lies ? 0 : database.requiredAfterPowerCut, allowsDamage: lies)
      let crash = database.files.crash(unwritten: judge.oneIn(2) ? .zeros : .garbage(seed: judge.next()))
      do {
        for _ in 0..<style.imagesPerCrashPoint {
          let image = crash.randomImage(seed: judge.next())
          try within("life of \(database.history.floorVersion), before \(line)") {
            try checker.checkThoroughly(image, promise, random: judge)
          }
        }
        if judge.oneIn(style.pointsPerKill), !lies {
          // The process alone dies: what was written is there.
          let promise = CrashChecker.Promise(
            history: database.history, required: database.requiredAfterKill, isDurable: false)
          let image = database.files.killedProcess()
          image.heal()
          try within("killed before \(line)") {
            try checker.checkThoroughly(image, promise, random: judge)
          }
        }
      } catch {
        failure = error
      }
    }
    database.beforeOperation = { operation in
      line = operation
      let rarity =
        database.isMerging(at: line) ? style.operationsPerCrashPointInMerges : style.operationsPerCrashPoint
      if judge.oneIn(rarity) { judgeNow() }
    }
    func look() throws { if let failure { throw failure } }

    try database.open(required: 0, random: judge)
    try look()
    for life in 0..<style.lives {
      var workload = Workload(database, random: random)
      let faulty = style.hasFaults && !lies && life > 0 && random.oneIn(2)
      for _ in 0..<(style.stepsPerLife / 2 + random.next(below: style.stepsPerLife)) {
        if faulty, random.oneIn(12) { workload.mischief() }
        try workload.step()
        try look()
        if !database.isWritable, random.oneIn(3) { break }
      }
      try workload.checkAll()
      try database.checkClaimedSectors()
      operations += workload.operations
      line = "the end of life \(life)"
      judgeNow()
      try look()
      if lies { break }
      switch random.next(below: 4) {
      case 0: try within("closed and opened") { try database.reopen(random: judge) }
      case 1: try within("killed") { try database.kill(random: judge) }
      default:
        let seed = random.next()
        try within("power cut \(seed)") { try database.powerCut(seed: seed, random: judge) }
      }
      try look()
    }
  }
}

extension SimulatedDatabase {
  /// Whether the operation on the disk belongs to a merge, or comes while one is under way.
  fileprivate func isMerging(at line: String) -> Bool {
    guard let maintenance = engine?.maintenance else { return false }
    return maintenance.merge != nil
      || [Self.folder + "/segments", Self.folder + "/" + SuperblockStore.fileName].contains { line.contains($0) }
  }
}
