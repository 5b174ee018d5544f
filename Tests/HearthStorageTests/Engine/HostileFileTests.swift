import Foundation
import HearthTestSupport
import Testing

@testable import HearthStorage

/// Files that were tampered with in thousands of ways: opening and reading gives a typed error or a state that the
/// database once had, never anything else, and never a trap.
struct HostileFileTests {
  static let rounds = Int(ProcessInfo.processInfo.environment["HEARTH_MUTATIONS"] ?? "") ?? 200

  typealias Files = [String: [UInt8]]
  typealias State = [[UInt8]: [UInt8]]

  static func environment(_ fileSystem: any FileSystem) -> StorageEnvironment {
    let clock = SystemClock()
    return StorageEnvironment(
      fileSystem: fileSystem, clock: clock, executor: ThreadExecutor(clock: clock), random: SystemRandom())
  }

  static var options: StorageOptions {
    var options = StorageOptions()
    options.logFileBytesMin = 16 << 10
    options.logFileBytesMax = 16 << 10
    options.largeBatchBytesMax = 4 << 10
    options.pageBytes = 1 << 10
    options.logBytesMax = 40 << 10
    return options
  }

  static func state(_ engine: StorageEngine) throws -> State {
    var state: State = [:]
    try engine.view().scan(.documents) { key, value in
      state[[UInt8](key)] = [UInt8](value)
      return true
    }
    return state
  }

  /// A database with checkpoints, several log files, large batches and seals; and every state it went through.
  static func makeDatabase() throws -> (Files, Set<State>) {
    let fileSystem = MemoryFileSystem()
    var states: Set<State> = [[:]]
    for session in 0..<3 {
      var options = options
      // The last session leaves a long log in force.
      if session == 2 { options.logBytesMax = 16 << 20 }
      let engine = try StorageEngine.open(at: "/db", options: options, environment: environment(fileSystem))
      for number in 0..<60 {
        let count = number % 20 == 19 ? 40 : 3
        try engine.commit { view in
          var batch = KeyValueBatch(baseVersion: view.version)
          for step in 0..<count {
            let key = [UInt8(truncatingIfNeeded: (number * 7 + step) % 50)]
            if step == 2, session > 0 {
              try batch.delete(.documents, key: key, reading: view)
            } else {
              try batch.put(
                .documents, key: key, value: [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 150),
                reading: view)
            }
          }
          return batch
        }
        states.insert(try state(engine))
      }
      if session == 0 { try engine.close() } else { engine.abandon() }
    }
    return (try files(fileSystem), states)
  }

  /// Names and bytes of a database.
  static func files(_ fileSystem: MemoryFileSystem) throws -> Files {
    var names = ["SUPER"]
    for folder in ["wal", "segments"] {
      names += try fileSystem.contents(ofDirectory: "/db/" + folder).map { folder + "/" + $0 }
    }
    var files: Files = [:]
    for name in names {
      let file = try fileSystem.open("/db/" + name, .read)
      let bytes = try file.bytes(at: 0, count: Int(try file.size()))
      // A file just being made when the engine was left has nothing to mutate.
      if !bytes.isEmpty { files[name] = bytes }
    }
    return files
  }

  static func place(_ files: Files) throws -> MemoryFileSystem {
    let fileSystem = MemoryFileSystem()
    _ = try fileSystem.createDirectory("/db")
    _ = try fileSystem.createDirectory("/db/wal")
    _ = try fileSystem.createDirectory("/db/segments")
    for (name, bytes) in files { try fileSystem.open("/db/" + name, .create).write(bytes, at: 0) }
    return fileSystem
  }

  static func mutate(_ files: inout Files, _ random: inout some RandomNumberGenerator) -> String {
    // Segments are many and much in them is dead: half of the time one of the other files.
    let isSegment = Bool.random(using: &random)
    let name = files.keys.sorted().filter { $0.hasPrefix("segments/") == isSegment }.randomElement(using: &random)!
    var bytes = files[name]!
    let offset = Int.random(in: 0..<bytes.count, using: &random)
    let length = min(Int.random(in: 1...5000, using: &random), bytes.count - offset)
    var what = ""
    switch Int.random(in: 0..<7, using: &random) {
    case 0...2:
      // Where something stands: most of a log file is zeros.
      let used = bytes.lastIndex { $0 != 0 } ?? 0
      let place = Int.random(in: min(isSegment ? 8192 : 0, used)...used, using: &random)
      bytes[place] ^= UInt8(1) << UInt8.random(in: 0..<8, using: &random)
      what = "bit at \(place)"
    case 3:
      bytes.replaceSubrange(offset..<offset + length, with: [UInt8](repeating: 0, count: length))
      what = "zeros at \(offset), \(length) bytes"
    case 4:
      for index in offset..<offset + length { bytes[index] = UInt8.random(in: 0...255, using: &random) }
      what = "garbage at \(offset), \(length) bytes"
    case 5:
      bytes.removeLast(bytes.count - offset)
      what = "cut at \(offset)"
    default:
      bytes += bytes
      what = "doubled"
    }
    files[name] = bytes
    return "\(name): \(what)"
  }

  @Test func aMutatedDatabaseGivesAStateItOnceHadOrATypedError() throws {
    let (files, states) = try Self.makeDatabase()
    let seed = UInt64(ProcessInfo.processInfo.environment["HEARTH_SEED"] ?? "") ?? UInt64.random(in: 0...UInt64.max)
    var random = SeededRandom(seed: seed)
    var refused = 0
    var served = 0
    for round in 0..<Self.rounds {
      var mutated = files
      let what = Self.mutate(&mutated, &random)
      for readOnly in [true, false] {
        let fileSystem = try Self.place(mutated)
        var options = Self.options
        options.readOnly = readOnly
        do {
          let engine = try StorageEngine.open(at: "/db", options: options, environment: Self.environment(fileSystem))
          defer { engine.abandon() }
          let state = try Self.state(engine)
          #expect(states.contains(state), "seed \(seed), round \(round): \(what)")
          #expect(try engine.view().count(.documents) == state.count)
          served += 1
        } catch is StorageError {
          refused += 1
        }
      }
    }
    print("\(Self.rounds) mutated databases (seed \(seed)): \(served) opens served, \(refused) refused")
    #expect(served > Self.rounds / 40 && refused > Self.rounds / 40)
  }

  @Test func anUnharmedDatabaseIsServed() throws {
    let (files, states) = try Self.makeDatabase()
    let fileSystem = try Self.place(files)
    let engine = try StorageEngine.open(at: "/db", options: Self.options, environment: Self.environment(fileSystem))
    #expect(states.contains(try Self.state(engine)))
    #expect(try engine.view().version == 180)
    engine.abandon()
  }
}
