@testable import HearthStorage
@testable import HearthTestSupport

/// Opens disks as crashes could have left them and compares what is found with what was promised.
final class CrashChecker {
  /// What one disk must hold.
  struct Promise {
    var history: CommitHistory
    /// The lowest version allowed.
    var required: UInt64
    /// A disk that lies about syncs may lose what it likes; it must only never give a wrong answer.
    var allowsDamage = false
    /// Whether all that is on the disk would survive a power cut, which is not so of one whose process was killed.
    var isDurable = true
  }

  let setup: SimulatedDatabase.Setup
  /// Disks judged, those of crashes inside recoveries included.
  private(set) var crashes = 0
  private(set) var images = Set<UInt64>()
  private(set) var states = Set<UInt64>()
  private(set) var kindsOfDamage = 0
  /// Checkpoints that were read whole, those of other images that look the same included.
  private(set) var checkpoints = 0

  init(_ setup: SimulatedDatabase.Setup) {
    self.setup = setup
  }

  var summary: String {
    "\(crashes) crashes, \(images.count) distinct images, \(states.count) distinct states, \(checkpoints) checkpoints"
  }

  func add(_ other: CrashChecker) {
    crashes += other.crashes
    images.formUnion(other.images)
    states.formUnion(other.states)
    kindsOfDamage += other.kindsOfDamage
    checkpoints += other.checkpoints
  }

  // MARK: - One image

  /// Opens the image, compares, kills, opens again: the answers agree and the log does not grow.
  /// - Returns: the version found.
  @discardableResult
  func check(_ image: SimulatedFileSystem, _ promise: Promise, random: SeededRandom, reopens: Bool = true) throws
    -> UInt64?
  {
    note(image)
    let database = SimulatedDatabase(on: image, setup: setup, history: promise.history)
    do {
      try database.open(required: promise.required, random: random)
    } catch let error as StorageError where promise.allowsDamage && error.code == .corruption {
      return nil
    } catch let failure as SimulationFailure where promise.allowsDamage && failure.isDamage {
      // Pages are read when they are asked for: then it is told, and nothing wrong is answered.
      return nil
    } catch let error as StorageError {
      throw SimulationFailure("a crash left a database that does not open: \(error)")
    }
    let version = database.published
    states.insert(SeededRandom.mix(version) ^ database.history.floorState.hash)
    if !promise.allowsDamage { try checkCheckpoint(of: database) }
    if reopens {
      let logBytes = database.logBytes
      try within("opened once more") { try database.kill(random: random) }
      try expect(database.published == version, "found version \(database.published) where it was \(version) before")
      try expect(database.logBytes <= logBytes, "the log grew from \(logBytes) to \(database.logBytes) by opening")
    }
    return version
  }

  /// Reads the checkpoint that the database stands on whole: every page and value, and usage, exact to the block.
  private func checkCheckpoint(of database: SimulatedDatabase) throws {
    guard let maintenance = database.engine.maintenance, let checkpoint = maintenance.checkpoint else { return }
    checkpoints += 1
    var record = checkpoint.record
    // The record can't know how long its own segment is.
    for index in record.segments.indices where record.segments[index].segment == checkpoint.reference.place.segment {
      record.segments[index].fileBytes = 0
    }
    let (readers, failures) = CheckpointCheck.open(record, maintenance.segmentDirectory)
    let report = TreeCheck(record, at: checkpoint.reference, readers, failures: failures, depth: .full).run()
    try expect(report.isComplete, "the check of checkpoint \(record.number) ended early")
    try expect(
      report.findings.isEmpty,
      "checkpoint \(record.number) is not whole: \(report.findings.items.prefix(5).map(\.description))")
  }

  private func note(_ image: SimulatedFileSystem) {
    crashes += 1
    images.insert(image.imageHash)
  }

  // MARK: - Everything at once, by seed

  /// As ``check(_:_:random:)``, and by the seed: read-only before, killed again and again while it recovers, damaged at
  /// rest where the rest must heal it, and written on, up to another crash.
  func checkThoroughly(_ image: SimulatedFileSystem, _ promise: Promise, random: SeededRandom, depth: Int = 0) throws {
    if promise.allowsDamage {
      try check(image, promise, random: random, reopens: false)
      return
    }
    if depth == 0 { try checkSlots(image) }
    var image = image
    var known: UInt64?
    if random.oneIn(6) { known = try checkReadOnly(image, promise, random: random) }
    if depth == 0, random.oneIn(8) { try checkDamaged(image, promise, random: random) }
    if random.oneIn(3) { image = try checkKilledRecovery(image, promise, random: random, known: &known) }
    let reopens = random.oneIn(4)
    let goesOn = depth < 2 && random.oneIn(3)
    note(image)
    let database = SimulatedDatabase(on: image, setup: setup, history: promise.history)
    do {
      try database.open(required: promise.required, random: random)
    } catch let error as StorageError {
      throw SimulationFailure("a crash left a database that does not open: \(error)")
    }
    let version = database.published
    try expect(known == nil || known == version, "found version \(version) where it was \(known ?? 0) before")
    states.insert(SeededRandom.mix(version) ^ database.history.floorState.hash)
    if !promise.allowsDamage { try checkCheckpoint(of: database) }
    if reopens {
      let logBytes = database.logBytes
      try within("opened once more") { try database.kill(random: random) }
      try expect(database.published == version, "found version \(database.published) where it was \(version) before")
      try expect(database.logBytes <= logBytes, "the log grew from \(logBytes) to \(database.logBytes) by opening")
    }
    if random.oneIn(8) { try checkRot(database, random: random) }
    guard goesOn else { return }
    try within("written on") {
      var workload = Workload(database, random: random)
      for _ in 0..<(1 + random.next(below: 5)) { try workload.smallStep() }
      let required = database.requiredAfterPowerCut
      let crash = database.files.randomCrash(seed: random.next())
      let promise = Promise(history: database.history, required: required)
      try checkThoroughly(crash, promise, random: random, depth: depth + 1)
      try database.reopen(random: random)
    }
  }

  private func checkReadOnly(
    _ image: SimulatedFileSystem, _ promise: Promise, random: SeededRandom
  ) throws -> UInt64? {
    let before = image.imageHash
    var options = setup.options
    options.readOnly = true
    let executor = SimulatedExecutor(seed: 1)
    do {
      let reader = try StorageEngine.open(
        at: SimulatedDatabase.folder, options: options,
        environment: StorageEnvironment(
          fileSystem: image, clock: executor.clock, executor: executor, random: SeededRandom(seed: 1)))
      try expect(reader.openDamage == nil, "read-only finds damage: \(reader.openDamage.map { "\($0)" } ?? "")")
      let view = try reader.view()
      _ = try within("read-only") { try promise.history.verify(view, required: promise.required, random: random) }
      try reader.close()
      try expect(image.imageHash == before, "opening for reading changed the disk")
      return view.version
    } catch let error as StorageError where error.code == .notFound {
      // Cut off while it was created.
      try expect(promise.required == 0, "no database where version \(promise.required) was promised")
      return nil
    }
  }

  /// Kills the recovery at some operation, crashes, and so on; returns the last disk.
  private func checkKilledRecovery(
    _ image: SimulatedFileSystem, _ promise: Promise, random: SeededRandom, known: inout UInt64?
  ) throws -> SimulatedFileSystem {
    var image = image
    var before: (slot: UInt64, logBytes: Int)?
    var mayLosePower = promise.isDurable
    for round in 1...4 {
      note(image)
      image.stopAfter(image.operationCount + random.next(below: 14))
      let database = SimulatedDatabase(on: image, setup: setup, history: promise.history)
      do {
        try within("recovery \(round)") { try database.open(required: promise.required, random: random) }
        let version = database.published
        try expect(known == nil || known == version, "found version \(version) where it was \(known ?? 0) before")
        known = version
        mayLosePower = true
        // The process may have died right after; what it left can still be looked at.
        let left = image.killedProcess()
        let now = (slot: newestSlot(on: left), logBytes: SimulatedDatabase.logBytes(left))
        // A power cut may take back a slot that the dead process had not synced, and the one before needs more.
        if let before, now.slot >= before.slot {
          try expect(
            now.logBytes <= before.logBytes, "the log grew from \(before.logBytes) to \(now.logBytes) by recoveries")
        }
        before = now
      } catch {
        guard image.isStopped else { throw error }
      }
      let isKill = random.oneIn(3) || !mayLosePower
      image = isKill ? image.killedProcess() : image.randomCrash(seed: random.next())
      if random.oneIn(4) { break }
    }
    return image
  }

  private func newestSlot(on image: SimulatedFileSystem) -> UInt64 {
    let slots = (try? SuperblockStore.read(directory: SimulatedDatabase.folder, fileSystem: image)) ?? []
    return slots.reduce(0) { newest, slot in
      if case .valid(let superblock) = slot { max(newest, superblock.number) } else { newest }
    }
  }

  /// Whatever happens to a slot that is being written, the two newest before it stay (E4).
  private func checkSlots(_ image: SimulatedFileSystem) throws {
    guard let slots = try? SuperblockStore.read(directory: SimulatedDatabase.folder, fileSystem: image) else { return }
    let numbers = slots.compactMap { if case .valid(let superblock) = $0 { superblock.number } else { nil } }
    guard let newest = numbers.max(), newest >= 2 else { return }
    try expect(numbers.count >= 2, "checkpoint \(newest) stands alone in SUPER")
  }

  // MARK: - Damage at rest

  /// Damages the newest slot or the newest record: the checkpoint before has all it needs (E3).
  private func checkDamaged(_ image: SimulatedFileSystem, _ promise: Promise, random: SeededRandom) throws {
    let copy = image.killedProcess()
    guard let slots = try? SuperblockStore.read(directory: SimulatedDatabase.folder, fileSystem: copy) else { return }
    var found: [(slot: Int, superblock: Superblock)] = []
    for (slot, reading) in slots.enumerated() {
      if case .valid(let superblock) = reading { found.append((slot, superblock)) }
    }
    found.sort { $0.superblock.number > $1.superblock.number }
    guard found.count >= 2, found[0].superblock.number != found[1].superblock.number else { return }
    let superFile = SimulatedDatabase.folder + "/" + SuperblockStore.fileName
    let start = found[0].slot * SuperblockFormat.slotBytes
    let record = found[0].superblock.record
    let recordPath = record.map { SimulatedDatabase.segmentPath($0.place.segment) }
    let hasOwnRecord = record != found[1].superblock.record
    let what: String
    switch random.next(below: 4) {
    case 0:
      what = "with the newest slot zeroed"
      copy.zero(superFile, start..<start + SuperblockFormat.slotBytes)
    case 1:
      what = "with a bit of the newest slot flipped"
      copy.flipBit(superFile, start + 16 + random.next(below: 100), bit: random.next(below: 8))
    case 2 where hasOwnRecord && record != nil:
      guard let record, let recordPath else { return }
      what = "with a bit of the newest record flipped"
      let offset = Int(record.place.offset) + random.next(below: record.byteCount)
      copy.flipBit(recordPath, offset, bit: random.next(below: 8))
    default:
      guard hasOwnRecord, let recordPath else { return }
      what = "with the newest segment cut"
      copy.cut(recordPath, to: copy.byteCount(recordPath) - 64)
    }
    kindsOfDamage += 1
    try within(what) { try check(copy, promise, random: random, reopens: false) }
  }

  /// Right after a recovery every frame of the last file lies in the copied range: a flipped bit there is damage that
  /// is found, or hits nothing.
  private func checkRot(_ database: SimulatedDatabase, random: SeededRandom) throws {
    let copy = database.files.killedProcess()
    guard database.history.commits.isEmpty, let (path, header) = SimulatedDatabase.lastLog(on: copy),
      let appender = database.engine.lock.withLock({ Optional(database.engine.sequencer.appender) }),
      header.generation == appender.generation, appender.framesEnd > header.firstPosition
    else { return }
    let end = Int(header.offset(of: appender.framesEnd))
    let frames = Int(WALFormat.framesOffset)
    // The last frame's end is where a careless reader stops early.
    let offset =
      random.oneIn(2) ? end - 1 - random.next(below: min(64, end - frames)) : frames + random.next(below: end - frames)
    copy.flipBit(path, offset, bit: random.next(below: 8))
    kindsOfDamage += 1
    let again = SimulatedDatabase(on: copy, setup: setup, history: database.history)
    do {
      try within("with a bit of the copied range flipped") {
        do {
          try again.open(required: database.published, random: random)
        } catch let error as StorageError where error.code == .corruption {
          return
        }
      }
    }
  }
}

extension SimulatedDatabase {
  /// The log file with the highest position on a disk, and what its header says.
  static func lastLog(on files: SimulatedFileSystem) -> (path: String, header: WALFileHeader)? {
    logs(on: files).max {
      ($0.header.firstPosition, $0.header.generation) < ($1.header.firstPosition, $1.header.generation)
    }
  }

  static func logs(on files: SimulatedFileSystem) -> [(path: String, header: WALFileHeader)] {
    headers(on: files)
  }

  static func segmentPath(_ segment: UInt64) -> String {
    SegmentDirectory(database: folder, fileSystem: MemoryFileSystem()).filePath(segment)
  }

  /// The log folder and the slots in a line, for failures.
  static func describe(_ files: SimulatedFileSystem) -> String {
    let logs = headers(on: files).map { path, header in
      "\(path.suffix(10)) \(header.kind) from \(header.firstPosition) generation \(header.generation)"
    }
    let slots = (try? SuperblockStore.read(directory: folder, fileSystem: files)) ?? []
    let numbers = slots.map { slot -> String in
      guard case .valid(let superblock) = slot else { return "-" }
      return "\(superblock.number): log from \(superblock.logPosition), version \(superblock.commitVersion)"
    }
    return "\(logs), slots \(numbers)"
  }

  private static func headers(on files: SimulatedFileSystem) -> [(path: String, header: WALFileHeader)] {
    files.allFiles.filter { $0.hasPrefix(logFolder + "/") && $0.hasSuffix(WALDirectory.fileSuffix) }.compactMap {
      path in
      guard let file = try? files.open(path, .read), case .valid(let header)? = try? WALFileHeader.read(from: file)
      else {
        return nil
      }
      file.close()
      return (path, header)
    }
  }
}
