import Testing

@testable import HearthStorage
@testable import HearthTestSupport

/// A short life of a database, during which every disk that a crash could leave is judged: before each operation that
/// changes something, all images that the rules allow, and what the process alone dying would leave.
final class Script {
  let setup: SimulatedDatabase.Setup
  let database: SimulatedDatabase
  let checker: CrashChecker
  let random = SeededRandom(seed: 7)
  private(set) var points = 0
  private(set) var isExhaustive = true
  private var isWatching = false
  private var seen = Set<UInt64>()
  private var failure: (any Error)?
  /// Besides each image: something more to do with it.
  var alsoCheck: ((SimulatedFileSystem, CrashChecker.Promise) throws -> Void)?

  init(_ options: StorageOptions, sectorBytes: Int = 4096, seed: UInt64 = 1) {
    setup = SimulatedDatabase.Setup(options: options, seed: seed)
    database = SimulatedDatabase(on: SimulatedDatabase.disk(sectorBytes: sectorBytes), setup: setup)
    checker = CrashChecker(setup)
    database.beforeOperation = { [weak self] line in self?.judge("before \(line)") }
  }

  var summary: String { "\(points) points, \(checker.summary)" }

  // MARK: - Judging

  /// From here on every operation is a point at which to crash.
  func watch() { isWatching = true }
  func unwatch() throws {
    judge("at the end")
    isWatching = false
    try look()
    try database.checkClaimedSectors()
  }

  /// Throws what went wrong at a point.
  func look() throws { if let failure { throw failure } }

  private func judge(_ place: String) {
    guard isWatching, failure == nil else { return }
    points += 1
    do {
      try within(place) {
        let history = database.history
        let required = database.requiredAfterPowerCut
        for unwritten in [SimulatedCrash.Unwritten.zeros, .garbage(seed: UInt64(points))] {
          let crash = database.files.crash(unwritten: unwritten)
          // Garbage makes atoms of allocations, too; where they get many, the zeros have covered the order of writes.
          if case .garbage = unwritten, crash.atomCount > 8 { continue }
          let images = crash.images()
          isExhaustive = isExhaustive && images.isExhaustive
          for image in images {
            try judge(image, CrashChecker.Promise(history: history, required: required))
          }
        }
        let killed = database.files.killedProcess()
        killed.heal()
        try judge(
          killed,
          CrashChecker.Promise(history: history, required: database.requiredAfterKill))
      }
    } catch {
      failure = error
    }
  }

  private func judge(_ image: SimulatedFileSystem, _ promise: CrashChecker.Promise) throws {
    let key = SeededRandom.mix(image.imageHash &+ promise.required) ^ UInt64(promise.history.commits.count)
    guard seen.insert(key).inserted else { return }
    try alsoCheck?(image, promise)
    try checker.check(image, promise, random: random, reopens: seen.count % 8 == 0)
  }

  // MARK: - Steps

  func open() throws {
    try database.open(required: 0, random: random)
    try look()
  }

  func put(_ keys: String, _ durability: Durability = .durable, bytes: Int = 20, tree: TreeID = .documents) throws {
    try database.commit(durability) { batch, _, _ in
      for key in keys.utf8 {
        try batch.put(tree, [key], Bytes(repeating: key &+ UInt8(truncatingIfNeeded: self.points), count: bytes))
      }
    }
    try look()
  }

  func remove(_ keys: String, _ durability: Durability = .durable) throws {
    try database.commit(durability) { batch, _, _ in
      for key in keys.utf8 { try batch.delete(.documents, [key]) }
    }
    try look()
  }

  func enqueue(_ keys: String, _ durability: Durability = .durable, bytes: Int = 20) throws {
    try database.enqueue(durability) { batch, _, _ in
      for key in keys.utf8 {
        try batch.put(.documents, [key], Bytes(repeating: key &+ UInt8(truncatingIfNeeded: self.points), count: bytes))
      }
    }
    try look()
  }

  /// A batch of `count` keys of 200 bytes each: above the budget of these scripts, so a layer of its own.
  func putLarge(_ count: Int, from first: Int = 0, waits: Bool = true) throws {
    func fill(_ batch: inout ModelBatch) throws {
      for index in first..<first + count {
        try batch.put(.documents, [200, UInt8(index)], Bytes(repeating: UInt8(index), count: 200))
      }
    }
    if waits {
      try database.commit { batch, _, _ in try fill(&batch) }
    } else {
      try database.enqueue { batch, _, _ in try fill(&batch) }
    }
    try look()
  }

  func work() throws {
    database.executor.runUntilIdle()
    try look()
  }

  func wait(seconds: Double) throws {
    database.executor.advance(nanoseconds: UInt64(seconds * 1e9))
    try look()
  }

  func sync() throws {
    try database.sync()
    try look()
  }

  func close() throws {
    try database.close()
    try look()
  }

  func reopen() throws {
    try database.reopen(random: random)
    try look()
  }

  func kill() throws {
    try database.kill(random: random)
    try look()
  }

  /// Of what was not synced the seed decides.
  func powerCut(_ seed: UInt64) throws {
    try database.powerCut(seed: seed, random: random)
    try look()
  }

  /// All data as it must be now.
  func verify() throws {
    let view = try database.engine.view()
    _ = try database.history.verify(view, required: 0, random: random)
    try look()
  }

  // MARK: - Options

  static func options(_ change: (inout StorageOptions) -> Void = { _ in }) -> StorageOptions {
    var options = StorageOptions()
    options.logFileBytesMin = 16 << 10
    options.logFileBytesMax = 16 << 10
    options.memtableBudgetBytes = 4 << 10
    options.logSlackBytes = 1 << 20
    change(&options)
    options.logFileBytesMax = max(options.logFileBytesMax, options.logFileBytesMin)
    return options
  }
}
