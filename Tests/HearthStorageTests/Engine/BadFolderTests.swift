import HearthTestSupport
import Testing

@testable import HearthStorage

/// Opening what is no database, or one that can't be opened: a typed error that names what and where, and not a byte
/// changed.
struct BadFolderTests {
  let fileSystem = MemoryFileSystem()

  func open(_ directory: String = "/db", _ change: (inout StorageOptions) -> Void = { _ in }) throws -> StorageEngine {
    let clock = SystemClock()
    var options = StorageOptions()
    change(&options)
    return try StorageEngine.open(
      at: directory, options: options,
      environment: StorageEnvironment(
        fileSystem: fileSystem, clock: clock, executor: ThreadExecutor(clock: clock), random: SystemRandom()))
  }

  func put(_ engine: StorageEngine, _ number: UInt8) throws {
    try engine.commit { view in
      var batch = KeyValueBatch(baseVersion: view.version)
      try batch.put(.documents, key: [number], value: [number], reading: view)
      return batch
    }
  }

  /// Names and bytes of every file below a folder; `LOCK` says who has it open and does not count.
  func contents(_ directory: String) throws -> [String: [UInt8]] {
    var found: [String: [UInt8]] = [:]
    for name in try fileSystem.contents(ofDirectory: directory) where name != "LOCK" {
      let path = directory + "/" + name
      if try fileSystem.kind(of: path) == .directory {
        found.merge(try contents(path)) { $1 }
      } else {
        let file = try fileSystem.open(path, .read)
        found[path] = try file.bytes(at: 0, count: Int(try file.size()))
      }
    }
    return found
  }

  func expectFailure(
    _ code: StorageError.Code, naming text: String, in directory: String = "/db",
    _ change: (inout StorageOptions) -> Void = { _ in }, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let before = try? contents(directory)
    do {
      let engine = try open(directory, change)
      engine.abandon()
      Issue.record("it opened", sourceLocation: sourceLocation)
    } catch let error as StorageError {
      #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
      #expect(error.description.contains(text), "\(error)", sourceLocation: sourceLocation)
    }
    #expect((try? contents(directory)) == before, "files changed", sourceLocation: sourceLocation)
  }

  func change(_ path: String, at offset: Int, to bytes: [UInt8]) throws {
    try fileSystem.open(path, .readWrite).write(bytes, at: UInt64(offset))
  }

  @Test func nothingThereIsSaidWhenNothingMayBeMade() throws {
    try expectFailure(.notFound, naming: "/db") { $0.createIfMissing = false }
    try expectFailure(.notFound, naming: "/db") { $0.readOnly = true }
    #expect(try fileSystem.kind(of: "/db") == nil)
    try expectFailure(.notFound, naming: "/no/parent", in: "/no/parent")
  }

  @Test func aFileInTheFoldersPlace() throws {
    try fileSystem.open("/db", .create).write([1, 2, 3], at: 0)
    try expectFailure(.notADatabase, naming: "/db")
  }

  @Test func aFolderWithOtherFilesIsLeftAlone() throws {
    _ = try fileSystem.createDirectory("/db")
    try fileSystem.open("/db/photo.jpg", .create).write([0xFF, 0xD8], at: 0)
    try expectFailure(.notADatabase, naming: "photo.jpg")
    #expect(try fileSystem.contents(ofDirectory: "/db") == ["photo.jpg"])
  }

  @Test func aHeldLockNamesItsOwner() throws {
    let engine = try open()
    try put(engine, 1)
    try expectFailure(.locked, naming: "\(ProcessIdentity.processID)")
    try engine.close()
    try open().close()
  }

  @Test func aNewerFormatIsRefusedByName() throws {
    let engine = try open()
    try put(engine, 1)
    engine.abandon()
    let log = try #require(try fileSystem.contents(ofDirectory: "/db/wal").first)
    for offset in WALFormat.headerCopyOffsets { try change("/db/wal/" + log, at: Int(offset) + 8, to: [9]) }
    try expectFailure(.unsupportedFormat, naming: "format 9")
    try change("/db/SUPER", at: SuperblockFormat.Slot.version, to: [7])
    try expectFailure(.unsupportedFormat, naming: "format 7")
    try expectFailure(.unsupportedFormat, naming: "format 7") { $0.readOnly = true }
  }

  @Test func aLostSuperblockBesideALogIsNotANewDatabase() throws {
    let engine = try open()
    try put(engine, 1)
    engine.abandon()
    try fileSystem.remove("/db/SUPER")
    try expectFailure(.corruption, naming: "SUPER")
  }

  @Test(arguments: ["empty", "short", "doubled", "zeros"])
  func aDamagedSuperblockFileIsRefusedOrServed(damage: String) throws {
    let engine = try open()
    try put(engine, 1)
    try engine.close()
    let file = try fileSystem.open("/db/SUPER", .readWrite)
    let size = try file.size()
    switch damage {
    case "empty": try file.truncate(to: 0)
    case "short": try file.truncate(to: size - 1)
    case "doubled": try file.write(try file.bytes(at: 0, count: Int(size)), at: size)
    default: try file.write([UInt8](repeating: 0, count: Int(size)), at: 0)
    }
    if damage == "short" || damage == "doubled" {
      let engine = try open()
      #expect(try engine.view().get(.documents, [1]) == [1])
      try engine.close()
    } else {
      try expectFailure(.corruption, naming: "SUPER")
    }
  }

  @Test func damageToTheNewestSlotsNeverMakesAnEmptyDatabase() throws {
    // The first slot ever written names no checkpoint: with the later ones gone it must not pass for the state.
    let engine = try open()
    try put(engine, 1)
    try engine.close()
    for slot in 1...3 {
      try change("/db/SUPER", at: slot * SuperblockFormat.slotBytes + 20, to: [0xAA])
    }
    try expectFailure(.corruption, naming: "commit 1")
  }

  @Test func strayTemporaryFilesGoAndForeignOnesStay() throws {
    var engine = try open()
    try put(engine, 1)
    engine.abandon()
    _ = try fileSystem.open("/db/wal/000099.new", .create)
    _ = try fileSystem.open("/db/wal/notes.txt", .create)
    _ = try fileSystem.open("/db/.DS_Store", .create)
    engine = try open()
    #expect(try engine.view().get(.documents, [1]) == [1])
    let names = try fileSystem.contents(ofDirectory: "/db/wal")
    #expect(!names.contains("000099.new"))
    #expect(names.contains("notes.txt"))
    try engine.close()
    #expect(try fileSystem.contents(ofDirectory: "/db").contains(".DS_Store"))
  }

  @Test func limitsOfKeysAndValuesAreErrorsThatChangeNothing() throws {
    let engine = try open()
    for (key, value) in [
      ([UInt8](repeating: 1, count: StorageLimits.keyBytesMax + 1), [UInt8]()),
      ([1], [UInt8](repeating: 1, count: StorageLimits.valueBytesMax + 1)),
    ] {
      #expect {
        try engine.commit { view in
          var batch = KeyValueBatch(baseVersion: view.version)
          try batch.insert(.documents, key: key, value: value)
          return batch
        }
      } throws: { ($0 as? StorageError)?.code == .invalidArgument }
    }
    // A wrong claim, too: the key is not there.
    #expect {
      try engine.commit { view in
        var batch = KeyValueBatch(baseVersion: view.version)
        try batch.insert(.documents, key: [1], value: [])
        try batch.insert(.documents, key: [1], value: [])
        return batch
      }
    } throws: { ($0 as? StorageError)?.code == .invalidArgument }
    #expect(try engine.view().version == 0)
    try put(engine, 1)
    #expect(try engine.view().count(.documents) == 1)
    try engine.close()
  }
}
