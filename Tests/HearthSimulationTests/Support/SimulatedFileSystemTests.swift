import HearthStorage
import HearthTestSupport
import Testing

/// The simulator must really lose, tear and reorder, and must never lose what was synced; else every test on it is void.
@Suite struct SimulatedFileSystemTests {
  private let files = SimulatedFileSystem()

  init() { files.placeDirectory("/db") }

  /// A file of that content, durable with its name.
  private func durableFile(_ path: String, _ bytes: [UInt8]) throws -> any File {
    let file = try files.open(path, .create)
    try file.write(bytes, at: 0)
    try file.sync()
    try files.syncDirectory("/db")
    return file
  }

  private func page(_ value: UInt8) -> [UInt8] { [UInt8](repeating: value, count: 4096) }

  /// Contents of `path` over all images; a missing file is `nil`.
  private func outcomes(_ path: String, _ crash: SimulatedCrash) -> Set<[UInt8]?> {
    Set(crash.images().map { $0.imageBytes(path) })
  }

  @Test func syncedBytesAndNamesSurviveEveryCrash() throws {
    let file = try durableFile("/db/a", Array("kept".utf8))
    #expect(files.crash().atomCount == 0)
    #expect(Array(files.crash().images()).count == 1)
    #expect(files.durableBytes("/db/a") == Array("kept".utf8))
    try file.write(page(1) + page(2), at: 4096)
    try files.rename("/db/a", to: "/db/b")
    for seed in 0..<200 as Range<UInt64> {
      let image = files.randomCrash(seed: seed)
      let content = try #require(image.imageBytes("/db/a") ?? image.imageBytes("/db/b"))
      #expect(content.prefix(4) == Array("kept".utf8)[...])
    }
  }

  @Test func unsyncedBytesCanBeLost() throws {
    let file = try durableFile("/db/a", [1, 1])
    try file.write([2], at: 0)
    #expect(try file.bytes(at: 0, count: 9) == [2, 1])
    #expect(outcomes("/db/a", files.crash()) == [[1, 1], [2, 1]])
    #expect(files.durableBytes("/db/a") == [1, 1])
    #expect(files.imageBytes("/db/a") == [2, 1])
    try file.sync()
    #expect(outcomes("/db/a", files.crash()) == [[2, 1]])
  }

  /// Two sectors of one write: 4 images, counted by hand.
  @Test func writesAreTornAtSectors() throws {
    let file = try durableFile("/db/a", page(1) + page(1))
    try file.write([UInt8](repeating: 2, count: 4096), at: 2048)
    #expect(files.crash().atomCount == 2)
    #expect(files.crash().operationCount == 1)
    let old = [UInt8](repeating: 1, count: 2048)
    let new = [UInt8](repeating: 2, count: 2048)
    #expect(
      outcomes("/db/a", files.crash()) == [
        old + old + old + old, old + new + old + old, old + old + new + old, old + new + new + old,
      ])
  }

  @Test func laterWritesCanSurviveEarlierOnes() throws {
    let file = try durableFile("/db/a", page(0) + page(0))
    try file.write([1], at: 0)
    try file.write([2], at: 4096)
    let contents = outcomes("/db/a", files.crash()).map { [$0![0], $0![4096]] }
    #expect(Set(contents) == [[0, 0], [1, 0], [0, 2], [1, 2]])
    // A sync orders: nothing of what comes after it without all that came before.
    try file.sync()
    try file.write([3], at: 4096)
    #expect(Set(outcomes("/db/a", files.crash()).map { [$0![0], $0![4096]] }) == [[1, 2], [1, 3]])
  }

  /// An append is a size and a sector: lost, both, size alone (zeros), content alone (doesn't show).
  @Test func sizesComeWithoutContentAndContentWithoutSize() throws {
    let file = try durableFile("/db/a", [1])
    try file.write([2, 2], at: 1)
    #expect(files.crash().atomCount == 2)
    #expect(Array(files.crash().images()).count == 4)
    #expect(outcomes("/db/a", files.crash()) == [[1], [1, 2, 2], [1, 0, 0]])
    let garbage = Set(files.crash(unwritten: .garbage(seed: 7)).images().map { $0.imageBytes("/db/a") })
    #expect(garbage.count == 3)
    #expect(!garbage.contains([1, 0, 0]))
    #expect(garbage.isSuperset(of: [[1], [1, 2, 2]]))
    #expect(garbage.allSatisfy { $0![0] == 1 })
  }

  /// Content whose own size was lost shows when a later size is kept.
  @Test func contentComesToLightWithALaterSize() throws {
    let file = try durableFile("/db/a", [])
    try file.write([1], at: 0)
    try file.write([2], at: 4096)
    let contents = outcomes("/db/a", files.crash())
    let zeros = [UInt8](repeating: 0, count: 4095)
    #expect(contents == [[], [0], [1], [0] + zeros + [0], [1] + zeros + [0], [0] + zeros + [2], [1] + zeros + [2]])
  }

  @Test func truncationCanBeLost() throws {
    let file = try durableFile("/db/a", [1, 2, 3])
    try file.truncate(to: 1)
    #expect(outcomes("/db/a", files.crash()) == [[1, 2, 3], [1]])
    try file.truncate(to: 3)
    // Grown without the cut: the old size with the old bytes.
    #expect(outcomes("/db/a", files.crash()) == [[1, 2, 3], [1], [1, 0, 0]])
  }

  @Test func allocationIsDurableOnlyAfterSync() throws {
    let file = try durableFile("/db/a", [1])
    try file.allocate(10_000)
    #expect(files.crash().atomCount == 1)
    #expect(Set(outcomes("/db/a", files.crash()).map { $0!.count }) == [1, 10_000])
    // With garbage, each sector of zeros can be missing.
    #expect(files.crash(unwritten: .garbage(seed: 1)).atomCount == 4)
    try file.sync()
    for image in files.crash(unwritten: .garbage(seed: 1)).images() {
      #expect(image.imageBytes("/db/a") == [1] + [UInt8](repeating: 0, count: 9_999))
    }
    try file.write(page(2), at: 4096)
    #expect(Set(outcomes("/db/a", files.crash()).map { $0!.count }) == [10_000])
  }

  @Test func anEverythingKeptImageIsTheLiveDisk() throws {
    let random = SeededRandom(seed: 5)
    for _ in 0..<20 {
      try scramble(files, random, steps: 30)
      for unwritten in [SimulatedCrash.Unwritten.zeros, .garbage(seed: random.next())] {
        let image = files.crash(unwritten: unwritten).image { _ in true }
        #expect(image.snapshotLive() == files.snapshotLive())
        #expect(image.imageHash == files.imageHash)
      }
    }
  }

  /// Synced content never changes, whatever the random crash: a register of what was durable is compared.
  @Test func randomCrashesKeepWhatWasSyncedLast() throws {
    let random = SeededRandom(seed: 11)
    let file = try durableFile("/db/a", page(0) + page(0) + page(0))
    var losses = 0
    for round in 1..<100 {
      let value = UInt8(round)
      try file.write(page(value), at: 0)
      try file.sync()
      try file.write(page(value), at: 4096)
      for _ in 0..<5 {
        let bytes = try #require(files.randomCrash(seed: random.next()).imageBytes("/db/a"))
        #expect(bytes[..<4096].allSatisfy { $0 == value })
        if bytes[4096] != value { losses += 1 }
      }
    }
    #expect(losses > 100 && losses < 400)
  }

  @Test func aNameIsLostWithoutDirectorySync() throws {
    let file = try files.open("/db/a", .create)
    try file.write([1], at: 0)
    try file.sync()
    #expect(files.crash().atomCount == 1)
    #expect(outcomes("/db/a", files.crash()) == [nil, [1]])
    #expect(files.durableBytes("/db/a") == nil)
    try files.syncDirectory("/db")
    #expect(outcomes("/db/a", files.crash()) == [[1]])
  }

  @Test func renamesAreWholeOrLost() throws {
    _ = try durableFile("/db/a", [1])
    _ = try durableFile("/db/b", [2])
    try files.rename("/db/b", to: "/db/a")
    let images = files.crash().images().map { $0.snapshotLive() }
    #expect(Set(images) == [["/db/a": [1], "/db/b": [2]], ["/db/a": [2]]])
    try files.syncDirectory("/db")
    #expect(files.crash().images().map { $0.snapshotLive() } == [["/db/a": [2]]])
  }

  /// Created under a temporary name, synced, renamed over the old file, nothing more: 4 subsets, 3 images.
  @Test func theUsualReplacementNeedsItsDirectorySync() throws {
    _ = try durableFile("/db/a", [1])
    let new = try files.open("/db/tmp", .create)
    try new.write([2], at: 0)
    try new.sync()
    try files.rename("/db/tmp", to: "/db/a")
    let crash = files.crash()
    #expect(crash.atomCount == 2)
    #expect(
      Set(crash.images().map { $0.snapshotLive() }) == [
        ["/db/a": [1]], ["/db/a": [1], "/db/tmp": [2]], ["/db/a": [2]],
      ])
    #expect(Set(crash.images().map(\.imageHash)).count == 3)
  }

  @Test func aRemovedFileCanComeBackWithItsDurableContent() throws {
    let file = try durableFile("/db/a", [1])
    try file.write([2], at: 0)
    try files.remove("/db/a")
    #expect(outcomes("/db/a", files.crash()) == [nil, [1], [2]])
    try files.syncDirectory("/db")
    #expect(outcomes("/db/a", files.crash()) == [nil])
  }

  @Test func aNameCanBeReusedBeforeItsRemovalIsDurable() throws {
    _ = try durableFile("/db/a", [1])
    try files.remove("/db/a")
    try files.open("/db/a", .create).sync()
    // Subsets of {remove old, create new}: old stays (twice), nothing, the new one.
    #expect(outcomes("/db/a", files.crash()) == [[1], nil, []])
  }

  /// A removal that is kept while the rename before it is lost must not hit the file that kept the name.
  @Test func aKeptRemovalHitsOnlyTheFileItMeant() throws {
    _ = try durableFile("/db/a", [1])
    _ = try durableFile("/db/b", [2])
    try files.rename("/db/b", to: "/db/a")
    try files.remove("/db/a")
    #expect(
      Set(files.crash().images().map { $0.snapshotLive() }) == [["/db/a": [1], "/db/b": [2]], ["/db/a": [2]], [:]])
  }

  /// A rename that is kept while the creation before it is lost must not move an older file of that name.
  @Test func aKeptRenameMovesOnlyTheFileItMeant() throws {
    _ = try durableFile("/db/tmp", [1])
    try files.rename("/db/tmp", to: "/db/x")
    let new = try files.open("/db/tmp", .create)
    try new.write([2], at: 0)
    try new.sync()
    try files.rename("/db/tmp", to: "/db/a")
    #expect(files.crash().atomCount == 3)
    // The second rename alone, without the creation, does nothing.
    #expect(
      Set(files.crash().images().map { $0.snapshotLive() }) == [
        ["/db/tmp": [1]], ["/db/x": [1]], ["/db/x": [1], "/db/tmp": [2]], ["/db/x": [1], "/db/a": [2]],
      ])
  }

  /// As logs are rotated: whatever is lost, the file that moves out of the way is never lost by half a rename.
  @Test func aRenameNeverTakesAPlaceThatIsNotFree() throws {
    _ = try durableFile("/db/log", [1])
    _ = try durableFile("/db/new", [2])
    try files.rename("/db/log", to: "/db/old")
    try files.rename("/db/new", to: "/db/log")
    #expect(
      Set(files.crash().images().map { $0.snapshotLive() }) == [
        ["/db/log": [1], "/db/new": [2]], ["/db/old": [1], "/db/new": [2]], ["/db/old": [1], "/db/log": [2]],
      ])
  }

  @Test func aNewFolderIsLostWithAllThatIsInIt() throws {
    #expect(try files.createDirectory("/db/sub"))
    let file = try files.open("/db/sub/a", .create)
    try file.write([1], at: 0)
    try file.sync()
    try files.syncDirectory("/db/sub")
    #expect(files.crash().images().map(\.allFiles) == [[], ["/db/sub/a"]])
    try files.syncDirectory("/db")
    #expect(files.crash().images().map(\.allFiles) == [["/db/sub/a"]])
  }

  @Test func aMoveBetweenFoldersNeedsBothSyncs() throws {
    files.placeDirectory("/db/sub")
    _ = try durableFile("/db/a", [1])
    try files.rename("/db/a", to: "/db/sub/a")
    try files.syncDirectory("/db/sub")
    #expect(files.crash().images().map(\.allFiles) == [["/db/a"], ["/db/sub/a"]])
    try files.syncDirectory("/db")
    #expect(files.crash().images().map(\.allFiles) == [["/db/sub/a"]])
  }

  @Test func enumerationCountsAreThoseOfTheRule() throws {
    let file = try durableFile("/db/a", [UInt8](repeating: 0, count: 64 << 10))
    for index in 0..<12 { try file.write([1], at: UInt64(index * 4096)) }
    var images = files.crash().images()
    #expect(images.isExhaustive)
    #expect(images.count == 4096)
    #expect(Set(images.map(\.imageHash)).count == 4096)

    // One write of 13 sectors: whole, lost, and torn in 12 beginnings, 12 ends, 11 single sectors more (the first and
    // the last are a beginning and an end) and 11 missing ones more.
    try file.sync()
    try file.write([UInt8](repeating: 2, count: 13 * 4096), at: 0)
    images = files.crash().images()
    #expect(images.isExhaustive)
    #expect(images.count == 2 + 12 + 12 + 11 + 11)
    #expect(Set(images.map(\.imageHash)).count == images.count)

    // Beside a second write of one sector: each with and without it.
    try file.write([3], at: 15 * 4096)
    images = files.crash().images()
    #expect(images.count == 2 * 48)
    #expect(Set(images.map(\.imageHash)).count == images.count)

    // Thirteen operations are more than the rule covers; that shows.
    for index in 0..<11 { try file.write([4], at: UInt64(index * 4096)) }
    #expect(!files.crash().images().isExhaustive)
  }

  @Test func failedSyncsLoseWhatTheyMarkedClean() throws {
    let file = try durableFile("/db/a", page(0) + page(0))
    try file.write([1], at: 0)
    files.inject(SimulatedFault(.sync, effect: .loseDirtyPages(.io)))
    #expect(throws: StorageError.self) { try file.sync() }
    #expect(try file.bytes(at: 0, count: 1) == [1])
    try file.write([2], at: 4096)
    // The next sync succeeds, and helps only what came after the failed one.
    try file.sync()
    #expect(Set(outcomes("/db/a", files.crash()).map { [$0![0], $0![4096]] }) == [[0, 2], [1, 2]])
    // Written and synced anew it is safe.
    try file.write([3], at: 0)
    try file.sync()
    #expect(Set(outcomes("/db/a", files.crash()).map { [$0![0], $0![4096]] }) == [[3, 2]])
  }

  @Test func plainFailuresLeavePagesDirty() throws {
    let file = try durableFile("/db/a", [0])
    try file.write([1], at: 0)
    files.inject(SimulatedFault(.sync))
    let error = #expect(throws: StorageError.self) { try file.sync() }
    #expect(error?.description == "io: The simulated sync failed (/db/a): injected")
    #expect(outcomes("/db/a", files.crash()) == [[0], [1]])
    try file.sync()
    #expect(outcomes("/db/a", files.crash()) == [[1]])
  }

  @Test func theNthMatchingCallFails() throws {
    let a = try durableFile("/db/a.wal", [])
    let b = try durableFile("/db/b.seg", [])
    files.inject(SimulatedFault(.write, nth: 2, times: 2, pathSuffix: ".wal", effect: .short(1, .resourceExhausted)))
    try b.write([9, 9], at: 0)
    try a.write([1, 1], at: 0)
    for offset in [2, 4] as [UInt64] {
      let error = #expect(throws: StorageError.self) { try a.write([2, 2], at: offset) }
      #expect(error?.code == .resourceExhausted)
    }
    try a.write([3, 3], at: 6)
    #expect(files.imageBytes("/db/a.wal") == [1, 1, 2, 0, 2, 0, 3, 3])
    #expect(files.imageBytes("/db/b.seg") == [9, 9])
    files.inject(SimulatedFault([.read, .rename], times: 2, effect: .fail(.permissionDenied)))
    #expect(throws: StorageError.self) { try a.bytes(at: 0, count: 1) }
    #expect(throws: StorageError.self) { try files.rename("/db/a.wal", to: "/db/c") }
    #expect(files.allFiles == ["/db/a.wal", "/db/b.seg"])
    #expect(try a.bytes(at: 0, count: 1) == [1])
  }

  @Test func aFullDiskTakesWhatFits() throws {
    let file = try durableFile("/db/a", [1, 1])
    files.capacityBytes = 5
    #expect(try files.availableBytes(at: "/db") == 3)
    let error = #expect(throws: StorageError.self) { try file.write([2, 2, 2, 2], at: 2) }
    #expect(error?.code == .resourceExhausted)
    #expect(files.imageBytes("/db/a") == [1, 1, 2, 2, 2])
    // Overwriting needs no room.
    try file.write([3, 3, 3, 3, 3], at: 0)
    #expect(throws: StorageError.self) { try file.allocate(6) }
    try file.truncate(to: 1)
    try file.allocate(5)
    #expect(files.imageBytes("/db/a") == [3, 0, 0, 0, 0])
    files.capacityBytes = nil
    files.writeBudgetBytes = 3
    #expect(throws: StorageError.self) { try file.write([4, 4, 4, 4], at: 0) }
    #expect(files.imageBytes("/db/a") == [4, 4, 4, 0, 0])
  }

  @Test func removingGivesRoomOnceClosed() throws {
    let file = try durableFile("/db/a", [1, 1])
    files.capacityBytes = 2
    try files.remove("/db/a")
    #expect(try files.availableBytes(at: "/db") == 0)
    file.close()
    #expect(try files.availableBytes(at: "/db") == 2)
  }

  @Test func aLyingDiskLosesSyncedBytes() throws {
    let file = try durableFile("/db/a", [1])
    files.liesAboutSync = true
    try file.write([2], at: 0)
    try file.sync()
    try files.remove("/db/a")
    try files.syncDirectory("/db")
    #expect(outcomes("/db/a", files.crash()) == [nil, [1], [2]])
  }

  @Test func damageAtRestIsInLiveAndDurableBytes() throws {
    _ = try durableFile("/db/a", [1, 2, 3, 4])
    files.flipBit("/db/a", 0, bit: 7)
    files.zero("/db/a", 1..<2)
    files.cut("/db/a", to: 3)
    #expect(files.imageBytes("/db/a") == [0x81, 0, 3])
    #expect(files.durableBytes("/db/a") == [0x81, 0, 3])
    files.overwrite("/db/a", [9, 9], at: 2)
    files.place("/db/b", [5])
    #expect(files.durableImage().snapshotLive() == ["/db/a": [0x81, 0, 9, 9], "/db/b": [5]])
  }

  @Test func crashImagesAreIndependentDisks() throws {
    let file = try durableFile("/db/a", page(1))
    try file.write([2], at: 0)
    let image = files.durableImage()
    let copy = try image.open("/db/a", .readWrite)
    try copy.write([7], at: 1)
    try file.write([8], at: 2)
    #expect(Array(image.imageBytes("/db/a")!.prefix(3)) == [1, 7, 1])
    #expect(Array(files.imageBytes("/db/a")!.prefix(3)) == [2, 1, 8])
    #expect(image.crash().atomCount == 1)
  }

  @Test func locksEndWithTheProcess() throws {
    let owner = LockOwner(processID: 5, startTime: 6, host: "h")
    let lock = try files.lock("/db/LOCK", owner: owner)
    #expect(files.crash().atomCount == 0)
    for next in [files.durableImage(), files.killedProcess()] {
      #expect(try next.lockHolder("/db/LOCK") == nil)
      #expect(next.imageBytes("/db/LOCK") == owner.text)
      _ = try next.lock("/db/LOCK", owner: owner)
    }
    #expect(try files.lockHolder("/db/LOCK") == owner)
    lock.release()
  }

  @Test func aKilledProcessLeavesItsWritesUnsynced() throws {
    let file = try durableFile("/db/a", [1])
    try file.write([2], at: 0)
    let next = files.killedProcess()
    #expect(next.imageBytes("/db/a") == [2])
    #expect(outcomes("/db/a", next.crash()) == [[1], [2]])
    let again = try next.open("/db/a", .readWrite)
    try again.sync()
    #expect(outcomes("/db/a", next.crash()) == [[2]])
    #expect(outcomes("/db/a", files.crash()) == [[1], [2]])
  }

  /// A script, stopped at each step in turn: what was done is there, nothing more.
  @Test func everyStepCanBeTheLast() throws {
    func script(_ files: SimulatedFileSystem) throws {
      let file = try files.open("/db/a", .create)
      try file.write([1], at: 0)
      try file.sync()
      try files.syncDirectory("/db")
      try files.rename("/db/a", to: "/db/b")
    }
    try script(files)
    #expect(files.operationCount == 5)
    var images: [[Set<[String: [UInt8]]>]] = []
    for stop in 0...5 {
      let files = SimulatedFileSystem()
      files.placeDirectory("/db")
      files.stopAfter(stop)
      do {
        try script(files)
        #expect(stop == 5)
      } catch {
        #expect(SimulatedFileSystem.isKill(error))
      }
      #expect(files.operationCount == stop)
      #expect(files.isStopped)
      #expect(throws: StorageError.self) { try files.contents(ofDirectory: "/db") }
      images.append([Set(files.crash().images().map { $0.snapshotLive() })])
    }
    let (a0, a0size, a1): ([String: [UInt8]], [String: [UInt8]], [String: [UInt8]]) = (
      ["/db/a": []], ["/db/a": [0]], ["/db/a": [1]]
    )
    #expect(
      images.map { $0[0] } == [
        [[:]], [[:], a0], [[:], a0, a0size, a1], [[:], a1], [a1], [a1, ["/db/b": [1]]],
      ])
  }

  @Test func theTraceTellsTheOrder() throws {
    let lines = Lines()
    files.beforeOperation = { number, line in lines.append("\(number) \(line)") }
    let file = try files.open("/db/a", .create)
    try file.write([1, 2], at: 7)
    try file.sync()
    try files.syncDirectory("/db")
    try files.rename("/db/a", to: "/db/b")
    files.inject(SimulatedFault(.remove))
    #expect(throws: StorageError.self) { try files.remove("/db/b") }
    try file.allocate(10)
    try file.truncate(to: 3)
    _ = try files.open("/db/b", .read).bytes(at: 0, count: 4)
    #expect(
      files.trace == [
        "create /db/a", "write /db/a @7 2", "sync /db/a", "syncDirectory /db", "rename /db/a -> /db/b",
        "remove /db/b failed io", "allocate /db/a 10", "truncate /db/a 3", "open /db/b",
      ])
    #expect(lines.all.first == "1 create /db/a")
    #expect(lines.all.last == "8 truncate /db/a 3")
    #expect(files.operationCount == 8)
    #expect(files.syncCount == 2)
    #expect(files.writtenBytes == 3)
  }

  @Test func oneSeedGivesOneHistory() throws {
    func run(_ seed: UInt64) throws -> (UInt64, [String], UInt64, [UInt64]) {
      let files = SimulatedFileSystem()
      files.placeDirectory("/db")
      let random = SeededRandom(seed: seed)
      try scramble(files, random, steps: 200)
      return (
        files.historyHash, files.trace, files.imageHash,
        (0..<20).map { _ in files.randomCrash(seed: random.next()).imageHash }
      )
    }
    let (first, second, third) = (try run(1), try run(1), try run(2))
    #expect(first == second)
    #expect(first.0 != third.0 && first.2 != third.2)
    #expect(Set(first.3).count > 5)
  }

  @Test func theHashSeesEveryByteNameAndSize() throws {
    func hash(_ change: (SimulatedFileSystem) -> Void) -> UInt64 {
      let files = SimulatedFileSystem()
      files.placeDirectory("/db")
      files.place("/db/a", page(1) + page(0) + [1])
      change(files)
      return files.imageHash
    }
    let same = hash { _ in }
    #expect(same == hash { $0.overwrite("/db/a", [1], at: 5) })
    let others = [
      same, hash { $0.flipBit("/db/a", 4095) }, hash { $0.flipBit("/db/a", 4096) }, hash { $0.flipBit("/db/a", 8192) },
      hash { $0.overwrite("/db/a", [0], at: 8193) }, hash { $0.cut("/db/a", to: 8192) }, hash { $0.place("/db/b", []) },
      hash { $0.placeDirectory("/db/b") }, hash { $0.place("/db/b", [0]) },
      hash { $0.overwrite("/db/a", page(0) + page(1) + [1], at: 0) },
    ]
    #expect(Set(others).count == others.count)
  }

  @Test func smallerSectorsTearFiner() throws {
    let files = SimulatedFileSystem(sectorBytes: 512)
    files.place("/a", [UInt8](repeating: 0, count: 2048))
    try files.open("/a", .readWrite).write([UInt8](repeating: 1, count: 2048), at: 0)
    #expect(files.crash().atomCount == 4)
    #expect(Set(files.crash().images().map(\.imageHash)).count == 16)
  }

  /// Random operations of all kinds on a handful of names.
  private func scramble(_ files: SimulatedFileSystem, _ random: SeededRandom, steps: Int) throws {
    for _ in 0..<steps {
      let name = "/db/\(random.next(below: 4))"
      let exists = try files.kind(of: name) != nil
      switch random.next(below: 10) {
      case 0 where exists: try files.remove(name)
      case 1 where exists: try files.rename(name, to: "/db/\(random.next(below: 4))")
      case 2: try files.syncDirectory("/db")
      default:
        let file = try files.open(name, exists ? .readWrite : .create)
        switch random.next(below: 6) {
        case 0: try file.truncate(to: UInt64(random.next(below: 20_000)))
        case 1: try file.allocate(UInt64(random.next(below: 20_000)))
        case 2: try file.sync()
        default: try file.write(random.bytes(random.next(below: 6000)), at: UInt64(random.next(below: 10_000)))
        }
      }
    }
  }
}

private final class Lines: @unchecked Sendable {
  private(set) var all: [String] = []
  func append(_ line: String) { all.append(line) }
}
