import HearthTestSupport

@testable import HearthStorage

/// The engine on a simulated disk, with simulated time, scheduling and random bits, beside the oracle that knows what
/// it must hold. One thread; one seed gives one history, byte for byte.
final class SimulatedDatabase: @unchecked Sendable {
  struct Setup: Sendable {
    var options = StorageOptions()
    /// Of salts and of the order of workers.
    var seed: UInt64 = 1
    /// Puts something between engine and disk.
    var wrap: @Sendable (SimulatedFileSystem) -> any FileSystem = { $0 }
  }

  static let folder = "/data/db"
  static let logFolder = folder + "/wal"

  private(set) var files: SimulatedFileSystem
  let setup: Setup
  private(set) var executor: SimulatedExecutor
  private(set) var engine: StorageEngine!
  private(set) var history: CommitHistory
  /// Called before every operation on the disk that changes something, also while the database is opened.
  var beforeOperation: ((_ line: String) -> Void)?
  /// The newest batch that was derived; it may or may not have been sequenced yet.
  private var proposal: (durability: Durability, changes: [ModelChange])?
  private var proposed: CommitHistory.Commit?
  /// By their place in the trace, up to which offset a sync beside the writers claims its file.
  private var claimLimits: [Int: Int] = [:]
  /// Whether commits may fail.
  var expectsFaults = false
  /// Commits that were refused because a condition no longer held.
  private(set) var conflicts = 0
  /// What is required while there is no engine yet.
  private var opening: (afterKill: UInt64, afterPowerCut: UInt64)?

  /// An empty disk.
  static func disk(sectorBytes: Int = 4096) -> SimulatedFileSystem {
    let files = SimulatedFileSystem(sectorBytes: sectorBytes)
    files.placeDirectory("/data")
    return files
  }

  /// Does not open yet.
  init(on files: SimulatedFileSystem, setup: Setup, history: CommitHistory = CommitHistory()) {
    self.files = files
    self.setup = setup
    self.history = history
    executor = SimulatedExecutor(seed: setup.seed)
  }

  // MARK: - Opening and ending

  /// Opens what is on the disk and compares it with the history; then that state is the floor of a new history.
  /// - Parameters:
  ///   - required: the lowest version allowed.
  ///   - requiredAfterPowerCut: the lowest one if the power fails meanwhile; the same unless a process was killed and
  ///     what it wrote is not on disk yet.
  func open(required: UInt64, requiredAfterPowerCut: UInt64? = nil, random: SeededRandom) throws {
    opening = (required, requiredAfterPowerCut ?? required)
    defer { opening = nil }
    // Different random bits for each process, or salts would come again; the same for the same disk.
    let seed = SeededRandom.mix(setup.seed ^ files.imageHash)
    executor = SimulatedExecutor(seed: seed)
    proposal = nil
    files.beforeOperation = { [weak self] _, line in
      self?.settle()
      self?.noteSyncBeside(line)
      self?.beforeOperation?(line)
    }
    let environment = StorageEnvironment(
      fileSystem: setup.wrap(files), clock: executor.clock, executor: executor,
      random: SeededRandom(seed: seed ^ 0x5A17))
    engine = try StorageEngine.open(at: SimulatedDatabase.folder, options: setup.options, environment: environment)
    let view = engine.currentView()
    let state = try history.verify(view, required: required, random: random)
    history = CommitHistory(floorVersion: view.version, floorState: state)
  }

  func checkClaimedSectors() throws {
    if let line = ClaimedSectors.firstViolation(
      in: files.trace, folder: SimulatedDatabase.logFolder, limits: claimLimits)
    {
      throw SimulationFailure("a sector that a sync had claimed was written again: \(line)")
    }
  }

  /// A sync beside the writers claims what was noted for it, and nothing that was written since.
  private func noteSyncBeside(_ line: String) {
    guard line.hasPrefix("sync " + SimulatedDatabase.logFolder), let sequencer = engine?.sequencer,
      !sequencer.isFlushing, let end = sequencer.syncable?.end,
      // The log goes on in a file that has got its name since it was opened; under a fresh name it is a base.
      files.imageBytes(String(line.dropFirst(5))) == nil || !line.hasSuffix(WALDirectory.freshSuffix),
      let first = SimulatedDatabase.lastLog(on: files)?.header.firstPosition
    else { return }
    let covered = end > first ? Int(alignUp(end - first, WALFormat.sectorBytes) + WALFormat.framesOffset) : 0
    claimLimits[files.trace.count] = covered
  }

  /// Drops the engine as it is and goes on with another disk, which has no faults and is not opened yet.
  func abandon(for files: SimulatedFileSystem) {
    settle()
    self.files.beforeOperation = nil
    engine = nil
    if self.files !== files { claimLimits = [:] }
    self.files = files
    files.heal()
    expectsFaults = false
  }

  /// The process dies, the machine goes on; then it is opened again.
  func kill(random: SeededRandom) throws {
    let (required, durable) = (requiredAfterKill, requiredAfterPowerCut)
    let next = files.killedProcess()
    abandon(for: next)
    try open(required: required, requiredAfterPowerCut: durable, random: random)
  }

  /// The power fails; of what was not synced the seed decides. Then it is opened again.
  func powerCut(seed: UInt64, random: SeededRandom) throws {
    let required = requiredAfterPowerCut
    let next = files.randomCrash(seed: seed)
    abandon(for: next)
    try open(required: required, random: random)
  }

  /// Closes; what was sequenced is then there to the last commit. Opens again.
  func reopen(random: SeededRandom) throws {
    do {
      try close()
    } catch let error as StorageError {
      try allow(error)
    }
    let isWhole = !expectsFaults
    let required = isWhole ? history.commits.last?.version ?? history.floorVersion : requiredAfterKill
    let durable = isWhole ? required : requiredAfterPowerCut
    let next = files
    abandon(for: next)
    try open(required: required, requiredAfterPowerCut: durable, random: random)
  }

  /// After a close without an error nothing is left but `SUPER` and what it names.
  func close() throws {
    let wasWritable = isWritable
    defer { settle() }
    try engine.close()
    settle()
    if !expectsFaults {
      for commit in history.commits where commit.fate == .pending {
        throw SimulationFailure("commit \(commit.version) has no answer after a close")
      }
      let names = try files.contents(ofDirectory: SimulatedDatabase.logFolder)
      try expect(names.count <= 1, "a clean close left \(names): \(SimulatedDatabase.describe(files))")
    }
    guard wasWritable else { return }
    history.dropFailed()
    history.syncedVersion = history.commits.last?.version ?? history.floorVersion
  }

  // MARK: - The oracle

  var published: UInt64 { engine?.currentView().version ?? history.floorVersion }
  var requiredAfterPowerCut: UInt64 {
    opening?.afterPowerCut ?? history.requiredAfterPowerCut(published: published)
  }
  var requiredAfterKill: UInt64 { opening?.afterKill ?? history.requiredAfterKill(published: published) }

  /// Takes note of a batch that was sequenced since the last call.
  func settle() {
    guard let proposal, let engine else { return }
    let last = engine.lock.withLock { engine.sequencer.lastVersion }
    guard last > history.lastVersion else { return }
    proposed = history.append(version: last, durability: proposal.durability, changes: proposal.changes)
    self.proposal = nil
  }

  // MARK: - Commits

  /// Commits and waits. `false` when it failed and may have.
  /// - Parameter derive: may be called several times; `attempt` counts from 1. From the third on the sequencer is held.
  @discardableResult
  func commit(
    _ durability: Durability = .durable, _ derive: (inout ModelBatch, View, _ attempt: Int) throws -> Void
  ) throws -> Bool {
    var attempt = 0
    proposed = nil
    do {
      let receipt = try engine.commit(durability) { view in
        attempt += 1
        var batch = ModelBatch(view)
        try derive(&batch, view, attempt)
        proposed = nil
        if !batch.batch.isEmpty { proposal = (durability, batch.changes) }
        return batch.batch
      }
      settle()
      if let commit = proposed {
        try expect(receipt.version == commit.version, "commit \(commit.version) got the receipt of \(receipt.version)")
        commit.fate = .acknowledged
      } else if durability == .durable {
        history.syncedVersion = max(history.syncedVersion, receipt.version)
      }
      return true
    } catch let error as StorageError {
      settle()
      proposed?.fate = .failed
      proposal = nil
      try allow(error)
      return false
    }
  }

  /// Puts a commit in the order and does not wait. `false` when it failed at once and may have.
  @discardableResult
  func enqueue(
    _ durability: Durability = .durable, _ derive: (inout ModelBatch, View, _ attempt: Int) throws -> Void
  ) throws -> Bool {
    final class Outcome: @unchecked Sendable {
      var result: Result<CommitReceipt, StorageError>?
      var commit: CommitHistory.Commit?
      func tell() {
        guard let result, let commit else { return }
        if case .success = result { commit.fate = .acknowledged } else { commit.fate = .failed }
      }
    }
    let outcome = Outcome()
    var attempt = 0
    proposed = nil
    do {
      try engine.enqueue(
        durability,
        deriving: { view in
          attempt += 1
          var batch = ModelBatch(view)
          try derive(&batch, view, attempt)
          proposed = nil
          if !batch.batch.isEmpty { proposal = (durability, batch.changes) }
          return batch.batch
        },
        completion: {
          precondition(outcome.result == nil, "A commit was answered twice")
          outcome.result = $0
          outcome.tell()
        })
    } catch let error as StorageError {
      settle()
      proposed?.fate = .failed
      proposal = nil
      try allow(error)
      return false
    }
    settle()
    outcome.commit = proposed
    outcome.tell()
    return true
  }

  func sync() throws {
    let last = history.commits.last { $0.fate != .failed }?.version ?? history.floorVersion
    do {
      try engine.sync()
      history.syncedVersion = max(history.syncedVersion, last)
    } catch let error as StorageError {
      try allow(error)
    }
  }

  /// The caller knows that everything up to `version`, or else everything published, must survive a power cut from here
  /// on.
  func noteSynced(through version: UInt64? = nil) {
    history.syncedVersion = max(history.syncedVersion, version ?? published)
  }

  private func allow(_ error: StorageError) throws {
    if SimulatedFileSystem.isKill(error) { return }
    if error.code == .conflict {
      conflicts += 1
      return
    }
    guard expectsFaults, [.io, .resourceExhausted, .closed].contains(error.code) else {
      throw SimulationFailure("a commit failed: \(error)")
    }
  }

  /// Whether the engine still takes commits.
  var isWritable: Bool {
    engine.lock.withLock { if case .open = engine.sequencer.phase { true } else { false } }
  }

  /// Bytes of all files in the log folder.
  var logBytes: Int { SimulatedDatabase.logBytes(files) }

  static func logBytes(_ files: SimulatedFileSystem) -> Int {
    files.allFiles.reduce(0) { $0 + ($1.hasPrefix(logFolder + "/") ? files.byteCount($1) : 0) }
  }
}

extension CommitHistory {
  /// The state of the view if it is one the history allows.
  func verify(_ view: View, required: UInt64, random: SeededRandom) throws -> ModelState {
    guard let state = state(at: view.version) else {
      throw SimulationFailure(
        "version \(view.version) never was; there were \(floorVersion) and \(commits.map(\.version))")
    }
    try expect(view.version >= required, "found version \(view.version), promised was \(required)")
    try within("version \(view.version)") { try state.verify(view, random: random) }
    return state
  }
}

extension SimulatedFileSystem {
  /// Nothing fails any more and there is room.
  func heal() {
    clearFaults()
    capacityBytes = nil
    writeBudgetBytes = nil
  }

  /// Size of a file as the program sees it; 0 when there is none.
  func byteCount(_ path: String) -> Int {
    guard let file = try? open(path, .read), let size = try? file.size() else { return 0 }
    file.close()
    return Int(size)
  }
}
