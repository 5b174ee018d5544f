import HearthTestSupport
import Testing

@testable import HearthStorage

/// Log files that check but were made by nobody who means well, and names that nobody gave (bug log 189): each opens or
/// is refused with a typed error; none ends the process. Each runs in a process of its own.
struct ForgedLogTests {
  static func put(_ engine: StorageEngine, _ number: UInt8) throws {
    try engine.commit { view in
      var batch = KeyValueBatch(baseVersion: view.version)
      try batch.put(.documents, key: [number], value: [number], reading: view)
      return batch
    }
  }

  /// A database whose writer was killed after three commits.
  static func killed() throws -> MemoryFileSystem {
    let fileSystem = MemoryFileSystem()
    let engine = try StorageEngine.open(at: "/db", environment: HostileFileTests.environment(fileSystem))
    for number in 1...3 { try put(engine, UInt8(number)) }
    engine.abandon()
    return fileSystem
  }

  static func logPath(_ fileSystem: MemoryFileSystem) throws -> String {
    let names = try fileSystem.contents(ofDirectory: "/db/wal").filter { $0.hasSuffix(".wal") }
    return "/db/wal/" + names[0]
  }

  /// Opens, reads, writes and closes; a typed error is as good.
  static func use(_ fileSystem: MemoryFileSystem) throws {
    for readOnly in [true, false] {
      var options = StorageOptions()
      options.readOnly = readOnly
      do {
        let engine = try StorageEngine.open(
          at: "/db", options: options, environment: HostileFileTests.environment(fileSystem))
        _ = try HostileFileTests.state(engine)
        if !readOnly { try put(engine, 9) }
        try engine.close()
      } catch is StorageError {}
    }
  }

  @Test func aNumberInANameThatCannotBeCountedOnIsNotOurs() async {
    await #expect(processExitsWith: .success) {
      for number in [UInt64.max, UInt64.max - 1, UInt64.max - 2] {
        for ending in [".new", ".wal"] {
          let fileSystem = try ForgedLogTests.killed()
          _ = try fileSystem.open("/db/wal/\(number)\(ending)", .create)
          try ForgedLogTests.use(fileSystem)
        }
      }
    }
  }

  @Test func noNumberInAHeaderThatChecksTraps() async {
    await #expect(processExitsWith: .success) {
      let changes: [(inout WALFileHeader, UInt64) -> Void] = [
        { $0.generation = $1 }, { $0.commitVersion = $1 }, { $0.checkpoint = $1 }, { $0.copiedEnd = $1 },
        { $0.firstPosition = $1 }, { $0.fileBytes = $1 },
      ]
      for change in changes {
        for value in [UInt64.max, .max - 1, 1 << 63, (1 << 63) - 1, 1 << 62, (1 << 62) - 4096, 1] as [UInt64] {
          let fileSystem = try ForgedLogTests.killed()
          let file = try fileSystem.open(try ForgedLogTests.logPath(fileSystem), .readWrite)
          guard case .valid(var header) = try WALFileHeader.read(from: file) else { continue }
          change(&header, value)
          try file.write(header.encoded(), at: 0)
          try ForgedLogTests.use(fileSystem)
        }
      }
    }
  }

  @Test func noNumberInAFrameThatChecksTraps() async {
    await #expect(processExitsWith: .success) {
      let changes: [(inout WALFrame, UInt64) -> Void] = [
        { $0.commitVersion = $1 }, { $0.commitTime = Int64(bitPattern: $1) }, { $0.syncedThrough = $1 },
        { $0.operationCount = UInt32(truncatingIfNeeded: $1) }, { $0.rawLength = Int(truncatingIfNeeded: $1 & 0xFFFF) },
      ]
      for change in changes {
        for value in [UInt64.max, .max - 1, 1 << 63, (1 << 63) - 1, 1 << 62, 0, 1] as [UInt64] {
          let fileSystem = try ForgedLogTests.killed()
          let path = try ForgedLogTests.logPath(fileSystem)
          let file = try fileSystem.open(path, .readWrite)
          guard case .valid(let header) = try WALFileHeader.read(from: file) else { continue }
          let reader = try WALFileReader(file, path: path, header: header)
          var last: WALFrame?
          var payload: [UInt8] = []
          while let (frame, bytes) = try reader.next() {
            guard frame.kind == .commit else { break }
            last = frame
            payload = [UInt8](bytes)
          }
          guard var frame = last else { continue }
          change(&frame, value)
          var image = [UInt8](repeating: 0, count: WALFormat.frameHeaderBytes) + payload
          image.withUnsafeMutableBytes { _ = frame.seal(at: $0.baseAddress!) }
          try file.write(image, at: header.offset(of: frame.position))
          try ForgedLogTests.use(fileSystem)
        }
      }
    }
  }

  /// The first slot names no checkpoint; while it is still in SUPER it must not serve instead of a later one whose files are
  /// gone: that would be an empty database in place of acknowledged commits.
  @Test func lostSegmentsAreNeverAnEmptyDatabase() throws {
    let fileSystem = MemoryFileSystem()
    var engine = try StorageEngine.open(at: "/db", environment: HostileFileTests.environment(fileSystem))
    try Self.put(engine, 1)
    try engine.close()
    for name in try fileSystem.contents(ofDirectory: "/db/segments") { try fileSystem.remove("/db/segments/" + name) }
    let error = #expect(throws: StorageError.self) {
      engine = try StorageEngine.open(at: "/db", environment: HostileFileTests.environment(fileSystem))
      engine.abandon()
    }
    #expect(error?.code == .corruption)
    var options = StorageOptions()
    options.readOnly = true
    let reader = try? StorageEngine.open(
      at: "/db", options: options, environment: HostileFileTests.environment(fileSystem))
    #expect(reader == nil || reader?.openDamage != nil)
  }
}
