import Testing

@testable import HearthStorage
@testable import HearthTestSupport

/// Files that were damaged at rest: what can be healed is, what was acknowledged and is gone is never passed over, and a
/// refused open changes nothing.
struct DamageTests {
  static let folder = SimulatedDatabase.folder
  static let superPath = folder + "/" + SuperblockStore.fileName

  /// Five durable commits over three log files, left open.
  private func database(_ change: (inout StorageOptions) -> Void = { _ in }, puts: String = "abcde") throws -> Script {
    let script = Script(Script.options(change))
    try script.open()
    for key in puts { try script.put(String(key)) }
    return script
  }

  private func logs(_ files: SimulatedFileSystem) -> [(path: String, header: WALFileHeader)] {
    SimulatedDatabase.logs(on: files).sorted { $0.header.firstPosition < $1.header.firstPosition }
  }

  private func open(_ files: SimulatedFileSystem, readOnly: Bool = false) throws -> StorageEngine {
    var options = Script.options()
    options.readOnly = readOnly
    let executor = SimulatedExecutor(seed: 3)
    return try StorageEngine.open(
      at: Self.folder, options: options,
      environment: StorageEnvironment(
        fileSystem: files, clock: executor.clock, executor: executor, random: SeededRandom(seed: 3)))
  }

  /// Opening for writing is refused with `code`, and no byte changes but in `LOCK`.
  private func expectRefused(
    _ files: SimulatedFileSystem, _ code: StorageError.Code = .corruption, naming: String = "",
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    files.place(Self.folder + "/LOCK", [])
    var before = files.snapshotLive()
    let error = #expect(throws: StorageError.self, sourceLocation: sourceLocation) { try self.open(files) }
    #expect(error?.code == code, "\(String(describing: error))", sourceLocation: sourceLocation)
    let text = error.map { "\($0)" } ?? ""
    #expect(naming.isEmpty || text.contains(naming), "\(text)", sourceLocation: sourceLocation)
    var after = files.snapshotLive()
    before[Self.folder + "/LOCK"] = nil
    after[Self.folder + "/LOCK"] = nil
    let isUnchanged = before == after
    #expect(isUnchanged, "a refused open changed the disk", sourceLocation: sourceLocation)
  }

  /// A read-only open gives the commits up to `version` and says what is lost.
  private func expectPrefix(
    _ script: Script, _ files: SimulatedFileSystem, _ version: UInt64, of history: CommitHistory? = nil
  ) throws {
    let reader = try open(files, readOnly: true)
    #expect(reader.openDamage?.code == .corruption)
    let view = try reader.view()
    #expect(view.version == version)
    _ = try (history ?? script.database.history).verify(view, required: 0, random: script.random)
  }

  private func expectWhole(_ script: Script, _ files: SimulatedFileSystem) throws {
    let promise = CrashChecker.Promise(history: script.database.history, required: script.database.history.lastVersion)
    try script.checker.check(files, promise, random: script.random)
  }

  // MARK: - Superblock

  @Test func damageToAnyOneSlotIsHealed() throws {
    let script = try database(CrashScenario.eager)
    for key in ["f", "g", "h"] {
      try script.work()
      try script.put(key)
    }
    for slot in 0..<SuperblockFormat.slotCount {
      for offset in [0, 9, 17, 60, 255] {
        let files = script.database.files.killedProcess()
        files.flipBit(Self.superPath, slot * SuperblockFormat.slotBytes + offset, bit: 5)
        // Another format version is not damage but a newer build's file.
        if offset == 9 { continue }
        try within("slot \(slot), offset \(offset)") { try expectWhole(script, files) }
      }
      let files = script.database.files.killedProcess()
      files.zero(Self.superPath, slot * SuperblockFormat.slotBytes..<(slot + 1) * SuperblockFormat.slotBytes)
      try expectWhole(script, files)
    }
  }

  /// Rows of bug-log #4: the root file empty, one byte short, its content twice, all zeros.
  @Test func aSuperblockFileThatIsShortOrDoubledIsReadAsFarAsItGoes() throws {
    let script = try database(CrashScenario.eager)
    try script.work()
    try script.put("z")
    let bytes = try #require(script.database.files.imageBytes(Self.superPath))

    let short = script.database.files.killedProcess()
    short.cut(Self.superPath, to: bytes.count - 1)
    try expectWhole(script, short)

    let doubled = script.database.files.killedProcess()
    doubled.place(Self.superPath, bytes + bytes)
    try expectWhole(script, doubled)

    let empty = script.database.files.killedProcess()
    empty.cut(Self.superPath, to: 0)
    expectRefused(empty, naming: "SUPER")

    let zeros = script.database.files.killedProcess()
    zeros.zero(Self.superPath, 0..<bytes.count)
    expectRefused(zeros, naming: "SUPER")
  }

  @Test func aNewerFormatIsRefused() throws {
    let script = try database()
    let files = script.database.files.killedProcess()
    files.overwrite(Self.superPath, [9, 0, 0, 0], at: SuperblockFormat.Slot.version)
    expectRefused(files, .unsupportedFormat, naming: "format 9")

    let log = script.database.files.killedProcess()
    let path = logs(log)[0].path
    for copy in WALFormat.headerCopyOffsets {
      log.overwrite(path, [7, 0, 0, 0], at: Int(copy) + WALFormat.Header.version)
    }
    expectRefused(log, .unsupportedFormat, naming: "format 7")
  }

  // MARK: - Log

  @Test func aBadFrameThatALaterOneProvesWasSyncedIsDamage() throws {
    let script = try database({ $0.logFileBytesMin = 64 << 10 })
    let files = script.database.files
    let (path, header) = logs(files)[0]
    // The third of five commits, each in a sector of its own.
    for offset in [0, 20, 41, WALFormat.frameHeaderBytes + 3] {
      let copy = files.killedProcess()
      copy.flipBit(path, Int(header.offset(of: 2 * 4096)) + offset, bit: 1)
      expectRefused(copy, naming: "after 2 ")
      try expectPrefix(script, copy, 2)
    }
    let zeroed = files.killedProcess()
    zeroed.zero(path, Int(header.offset(of: 4096))..<Int(header.offset(of: 3 * 4096)))
    expectRefused(zeroed, naming: "after 1 ")
    try expectPrefix(script, zeroed, 1)
  }

  /// Two commits share a sector and a sync: the second one's damage leaves no gap between sectors.
  @Test func aBadFrameInsideASyncedSectorIsDamage() throws {
    let script = try database(puts: "")
    try script.enqueue("a")
    try script.enqueue("b")
    try script.work()
    try script.put("c")
    let files = script.database.files.killedProcess()
    let (path, header) = logs(files)[0]
    let second = Int(header.offset(of: 0)) + Int(WALFormat.frameBytes(payload: 24))
    files.flipBit(path, second + 30, bit: 0)
    expectRefused(files, naming: "after 1 ")
    try expectPrefix(script, files, 1)
  }

  @Test func theLastBatchOfAnIdleLogIsCoveredByItsSeal() throws {
    let script = try database({ $0.logFileBytesMin = 64 << 10 }, puts: "ab")
    let (path, header) = logs(script.database.files)[0]
    let place = Int(header.offset(of: 4096)) + 50
    let unsealed = script.database.files.killedProcess()
    unsealed.flipBit(path, place)
    // Nothing tells this from a tear.
    let engine = try open(unsealed)
    #expect(try engine.view().version == 1)
    try script.wait(seconds: 3)
    let sealed = script.database.files.killedProcess()
    sealed.flipBit(path, place)
    expectRefused(sealed, naming: "after 1 ")
  }

  @Test func theCopiedRangeOfARecoveryIsKnownToBeWhole() throws {
    let script = try database({ $0.logFileBytesMin = 64 << 10 }, puts: "abc")
    let history = script.database.history
    try script.kill()
    let files = script.database.files
    let (path, header) = logs(files)[0]
    #expect(header.copiedEnd > 2 * 4096)
    for position in [0, 4096, 2 * 4096] {
      let copy = files.killedProcess()
      copy.flipBit(path, Int(header.offset(of: UInt64(position))) + 66)
      expectRefused(copy)
      try expectPrefix(script, copy, UInt64(position / 4096), of: history)
    }
  }

  @Test func damageInAMiddleFileIsRefusedAndThePrefixReadable() throws {
    let script = try database()
    let files = script.database.files
    let found = logs(files)
    #expect(found.count == 3)
    let flipped = files.killedProcess()
    flipped.flipBit(found[1].path, Int(WALFormat.framesOffset) + 70)
    expectRefused(flipped, naming: "after 2 ")
    try expectPrefix(script, flipped, 2)

    let missing = files.killedProcess()
    try missing.remove(found[1].path)
    expectRefused(missing)
    try expectPrefix(script, missing, 2)

    let cut = files.killedProcess()
    cut.cut(found[1].path, to: 9000)
    expectRefused(cut, naming: found[1].path)
  }

  @Test func aCutLastFileIsDamage() throws {
    let script = try database()
    let files = script.database.files.killedProcess()
    let last = try #require(logs(files).last)
    files.cut(last.path, to: 8192)
    expectRefused(files, naming: last.path)
    try expectPrefix(script, files, 4)
  }

  @Test func aZeroedFileIsDamageThatIsNamed() throws {
    let script = try database()
    let files = script.database.files.killedProcess()
    let path = logs(files)[2].path
    files.zero(path, 0..<files.byteCount(path))
    expectRefused(files, naming: path)
  }

  @Test func oneHeaderCopyIsEnough() throws {
    let script = try database()
    for copy in WALFormat.headerCopyOffsets {
      let files = script.database.files.killedProcess()
      for (path, _) in logs(files) { files.zero(path, Int(copy)..<Int(copy) + 4096) }
      try expectWhole(script, files)
    }
  }

  @Test func aDoubledFileIsDamageThatIsNamed() throws {
    let script = try database()
    let files = script.database.files.killedProcess()
    let path = logs(files)[1].path
    let copy = SimulatedDatabase.logFolder + "/000999.wal"
    files.place(copy, try #require(files.imageBytes(path)))
    expectRefused(files, naming: "twice")
  }

  @Test func aFileOfAnotherDatabaseIsDamageThatIsNamed() throws {
    let script = try database()
    let other = Script(Script.options(), seed: 99)
    try other.open()
    try other.put("q")
    let foreign = logs(other.database.files)[0].path
    let files = script.database.files.killedProcess()
    let path = SimulatedDatabase.logFolder + "/000998.wal"
    files.place(path, try #require(other.database.files.imageBytes(foreign)))
    expectRefused(files, naming: path)
  }

  @Test func unfinishedFilesGoAndForeignNamesStay() throws {
    let script = try database()
    let files = script.database.files.killedProcess()
    let stray = SimulatedDatabase.logFolder + "/000997.new"
    let notes = SimulatedDatabase.logFolder + "/notes.txt"
    files.place(stray, [UInt8](repeating: 7, count: 30_000))
    files.place(notes, [1, 2, 3])
    files.place(Self.superPath + ".new", [1])
    try expectWhole(script, files)
    #expect(files.imageBytes(stray) == nil)
    #expect(files.imageBytes(notes) == [1, 2, 3])
  }

  @Test func aMissingLogFolderIsDamageThatIsNamed() throws {
    let script = try database(puts: "a")
    let files = script.database.files.killedProcess()
    for path in files.allFiles where path.hasPrefix(SimulatedDatabase.logFolder) { try files.remove(path) }
    try files.removeDirectory(SimulatedDatabase.logFolder)
    expectRefused(files, naming: SimulatedDatabase.logFolder)
  }

  @Test func aRenamedLogFileIsStillItself() throws {
    let script = try database()
    let files = script.database.files.killedProcess()
    let found = logs(files)
    try files.rename(found[0].path, to: SimulatedDatabase.logFolder + "/000700.wal")
    try files.rename(found[2].path, to: SimulatedDatabase.logFolder + "/000001.wal.x")
    try files.rename(SimulatedDatabase.logFolder + "/000001.wal.x", to: SimulatedDatabase.logFolder + "/000002.wal")
    try files.syncDirectory(SimulatedDatabase.logFolder)
    try expectWhole(script, files)
  }

  // MARK: - Checkpoint

  @Test func aDamagedRecordFallsBackToTheCheckpointBefore() throws {
    let script = try database(CrashScenario.eager, puts: "ab")
    try script.work()
    try script.put("c")
    try script.work()
    let slots = try SuperblockStore.read(directory: Self.folder, fileSystem: script.database.files)
    let newest = try #require(
      slots.compactMap { if case .valid(let superblock) = $0 { superblock } else { nil } }.max { $0.number < $1.number }
    )
    let record = try #require(newest.record)
    let path = SimulatedDatabase.segmentPath(record.place.segment)
    let start = Int(record.place.offset)
    for offset in [start + 3, start + 20, start + record.byteCount - 1] {
      let files = script.database.files.killedProcess()
      files.flipBit(path, offset)
      try expectWhole(script, files)
    }
    let gone = script.database.files.killedProcess()
    try gone.remove(path)
    try expectWhole(script, gone)
    // After a clean close both slots name one record: then nothing heals it.
    try script.close()
    let closed = script.database.files.killedProcess()
    let last = try SuperblockStore.read(directory: Self.folder, fileSystem: closed).compactMap { reading in
      if case .valid(let superblock) = reading { superblock } else { nil }
    }.max { $0.number < $1.number }
    let only = try #require(last?.record)
    closed.flipBit(SimulatedDatabase.segmentPath(only.place.segment), Int(only.place.offset) + 30)
    expectRefused(closed)
  }
}
