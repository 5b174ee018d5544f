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
  /// What to do before the first operation on the disk that begins and ends so.
  private var interruption: (prefix: String, suffix: String, body: () throws -> Void)?
  /// The version that was published when a sync beside the writers was noted.
  private var notedVersion: UInt64 = 0
  /// Besides each image: something more to do with it.
  var alsoCheck: ((SimulatedFileSystem, CrashChecker.Promise) throws -> Void)?

  init(_ options: StorageOptions, sectorBytes: Int = 4096, seed: UInt64 = 1) {
    setup = SimulatedDatabase.Setup(options: options, seed: seed)
    database = SimulatedDatabase(on: SimulatedDatabase.disk(sectorBytes: sectorBytes), setup: setup)
    checker = CrashChecker(setup)
    database.beforeOperation = { [weak self] line in
      self?.judge("before \(line)")
      self?.interrupt(line)
    }
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

  // MARK: - In the middle of things

  /// Once, before an operation on the disk: what another thread may do at that moment, or the process's end.
  func before(_ prefix: String, _ suffix: String, _ body: @escaping () throws -> Void) {
    interruption = (prefix, suffix, body)
  }

  private func interrupt(_ line: String) {
    guard let interruption, line.hasPrefix(interruption.prefix), line.hasSuffix(interruption.suffix) else { return }
    self.interruption = nil
    do { try within("in the middle, before \(line)", interruption.body) } catch { failure = failure ?? error }
  }

  /// The process dies before an operation on the disk; what it attempts after that does nothing.
  func dieBefore(_ prefix: String, _ suffix: String) {
    before(prefix, suffix) { [database] in database.files.stopAfter(database.files.operationCount) }
  }

  /// Whether what ``before(_:_:_:)`` waits for has come.
  func expectInterrupted() throws {
    try expect(interruption == nil, "no operation \(interruption?.prefix ?? "") … \(interruption?.suffix ?? "")")
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

  /// One batch of the keys of these numbers.
  func fill(
    _ numbers: Range<Int>, _ durability: Durability = .durable, bytes: Int = 20, tree: TreeID = .documents
  ) throws {
    try database.commit(durability) { batch, _, _ in
      for number in numbers {
        try batch.put(
          tree, Script.key(number), Bytes(repeating: UInt8(truncatingIfNeeded: number &+ self.points), count: bytes))
      }
    }
    try look()
  }

  func clear(_ numbers: Range<Int>) throws {
    try database.commit { batch, _, _ in
      for number in numbers { try batch.delete(.documents, Script.key(number)) }
    }
    try look()
  }

  private static func key(_ number: Int) -> Bytes { Bytes("key\(10_000 + number)".utf8) }

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

  /// Commits, and expects that it fails.
  func putRefused(_ keys: String, _ durability: Durability = .durable) throws {
    let isDone = try database.commit(durability) { batch, _, _ in
      for key in keys.utf8 { try batch.put(.documents, [key], [1, 2, 3]) }
    }
    try look()
    try expect(!isDone, "a \(durability) commit was acknowledged after a failure")
  }

  // MARK: - Merges

  /// The next merge fails, and the engine goes on.
  /// - Parameter before: the fault strikes from the first operation on that begins so.
  func failMerge(_ fault: SimulatedFault, before prefix: String? = nil) throws {
    let engine = database.engine!
    database.expectsFaults = true
    engine.lock.withLock { engine.sequencer.mergeRetryPosition = 0 }
    if let prefix {
      before(prefix, "") { [database] in database.files.inject(fault) }
    } else {
      database.files.inject(fault)
    }
    let number = engine.maintenance?.checkpoint?.record.number
    try work()
    try expectInterrupted()
    try expect(engine.maintenance?.lastError != nil, "no merge failed")
    try expect(engine.maintenance?.checkpoint?.record.number == number, "a checkpoint that failed counts")
    try expect(database.isWritable, "a merge that failed stopped the log")
  }

  /// The next merge is tried now, and holds.
  func retryMerge() throws {
    let engine = database.engine!
    database.files.clearFaults()
    engine.lock.withLock { engine.sequencer.mergeRetryPosition = 0 }
    let number = engine.maintenance?.checkpoint?.record.number ?? 0
    engine.maintainer?.signal()
    try work()
    try expect(engine.maintenance?.checkpoint?.record.number ?? 0 > number, "no checkpoint was made")
  }

  /// The process dies before the next slot of SUPER is written.
  func dieBeforeSlot() {
    let files = database.files
    before("write \(SimulatedDatabase.folder)/\(SuperblockStore.fileName) ", "") {
      files.stopAfter(files.operationCount)
    }
  }

  // MARK: - Syncs beside the writers

  /// A `.buffered` commit that finds the sync of earlier ones overdue, and notes a sync beside the writers.
  func putOverdue(_ keys: String, bytes: Int = 20) throws {
    database.executor.clock.advance(nanoseconds: 600_000_000)
    try put(keys, .buffered, bytes: bytes)
    try expectNoted()
  }

  /// A sync beside the writers is noted just now.
  func expectNoted() throws {
    try expect(isSyncNoted, "no sync beside the writers is noted")
    notedVersion = database.published
  }

  private var isSyncNoted: Bool {
    database.engine.lock.withLock { database.engine.sequencer.syncable != nil }
  }

  /// The syncer's turn: what was published at the note must survive a power cut from here on.
  func syncBeside() throws {
    try expect(isSyncNoted, "no sync beside the writers is noted")
    let covered = notedVersion
    _ = database.engine.syncStep()
    try look()
    try expect(!isSyncNoted, "the syncer left what was noted")
    database.noteSynced(through: covered)
  }

  /// The syncer's turn, and the disk fails: nothing more is promised.
  func syncBesideFailing(_ effect: SimulatedFault.Effect) throws {
    database.expectsFaults = true
    database.files.inject(SimulatedFault(.sync, effect: effect))
    let failures = database.files.trace.count { $0.hasPrefix("sync ") && $0.contains(" failed ") }
    _ = database.engine.syncStep()
    try look()
    let after = database.files.trace.count { $0.hasPrefix("sync ") && $0.contains(" failed ") }
    try expect(after == failures + 1, "the sync did not fail")
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
    options.memtableBudgetBytes = 1 << 20
    options.largeBatchBytesMax = 1 << 10
    options.pageBytes = 512
    options.logBytesMax = 1 << 20
    change(&options)
    options.logFileBytesMax = max(options.logFileBytesMax, options.logFileBytesMin)
    return options
  }
}
