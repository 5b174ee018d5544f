import Foundation
import Testing

@testable import HearthStorage

/// The engine through its interface, on memory files and real threads.
struct StorageEngineTests {
  let fileSystem = MemoryFileSystem()

  func environment() -> StorageEnvironment {
    let clock = SystemClock()
    return StorageEnvironment(
      fileSystem: fileSystem, clock: clock, executor: ThreadExecutor(clock: clock), random: SystemRandom())
  }

  func open(_ change: (inout StorageOptions) -> Void = { _ in }) throws -> StorageEngine {
    var options = StorageOptions()
    change(&options)
    return try StorageEngine.open(at: "/db", options: options, environment: environment())
  }

  func put(_ engine: StorageEngine, _ pairs: [(String, String)], _ durability: Durability = .durable) throws {
    try engine.commit(durability) { view in
      var batch = KeyValueBatch(baseVersion: view.version)
      for (key, value) in pairs {
        try batch.put(.documents, key: [UInt8](key.utf8), value: [UInt8](value.utf8), reading: view)
      }
      return batch
    }
  }

  func contents(_ engine: StorageEngine) throws -> [String: String] {
    var found: [String: String] = [:]
    try engine.view().scan(.documents) { key, value in
      found[String(decoding: key, as: UTF8.self)] = String(decoding: value, as: UTF8.self)
      return true
    }
    return found
  }

  @Test func whatIsCommittedIsReadAndCounted() throws {
    let engine = try open()
    try put(engine, [("a", "1"), ("b", "2")])
    try put(engine, [("b", "3"), ("c", "4")])
    #expect(try contents(engine) == ["a": "1", "b": "3", "c": "4"])
    #expect(try engine.view().count(.documents) == 3)
    #expect(try engine.view().version == 2)
    try engine.close()
  }

  @Test func aClosedDatabaseIsThereAgain() throws {
    var engine = try open()
    try put(engine, [("a", "1"), ("b", "2")])
    try engine.close()
    engine = try open()
    #expect(try contents(engine) == ["a": "1", "b": "2"])
    #expect(try engine.view().version == 1)
    try put(engine, [("c", "3")])
    #expect(try engine.view().version == 2)
    try engine.close()
    engine = try open()
    #expect(try contents(engine) == ["a": "1", "b": "2", "c": "3"])
    try engine.close()
  }

  @Test func aDatabaseLeftOpenIsRecovered() throws {
    var engine = try open()
    try put(engine, [("a", "1")])
    try put(engine, [("b", "2")], .buffered)
    engine.abandon()
    for round in 3..<8 {
      engine = try open()
      #expect(try engine.view().version == UInt64(round - 1))
      try put(engine, [("r\(round)", "\(round)")])
      engine.abandon()
    }
    engine = try open()
    #expect(try contents(engine).count == 7)
    try engine.close()
  }

  @Test func mergesHappenWhileCommitsGoOn() throws {
    var engine = try open {
      $0.logBytesMax = 20_000
      $0.logFileBytesMin = 16 << 10
      $0.memtableBudgetBytes = 1 << 20
    }
    for round in 0..<3000 { try put(engine, [("k\(round % 50)", "value \(round)")], .buffered) }
    let expected = try contents(engine)
    #expect(expected.count == 50)
    #expect(expected["k7"] == "value 2957")
    try engine.close()
    let names = try fileSystem.contents(ofDirectory: "/db/wal")
    #expect(names.isEmpty, "a clean close leaves no log: \(names)")
    engine = try open()
    #expect(try contents(engine) == expected)
    #expect(try engine.view().version == 3000)
    try engine.close()
  }

  @Test func largeBatchesAreLayersAndSurvive() throws {
    func change(_ options: inout StorageOptions) { options.largeBatchBytesMax = 1 << 10 }
    var engine = try open(change)
    for round in 0..<20 {
      try put(engine, (0..<200).map { ("k\(($0 * 7 + round) % 300)", "round \(round)") })
      try put(engine, [("single \(round)", "x")])
    }
    let expected = try contents(engine)
    #expect(expected.count == 320)
    #expect(try engine.view().count(.documents) == 320)
    engine.abandon()
    engine = try open(change)
    #expect(try contents(engine) == expected)
    try engine.close()
    engine = try open(change)
    #expect(try contents(engine) == expected)
    try engine.close()
  }

  @Test func aTransactionThatLostGetsAConflict() throws {
    let engine = try open()
    try put(engine, [("a", "1")])
    let old = try engine.view()
    try put(engine, [("a", "2")])
    #expect {
      try engine.commit { view in
        var batch = KeyValueBatch(baseVersion: view.version)
        batch.require(.documents, key: Array("a".utf8), unchangedSince: old.version, wasAbsent: false)
        try batch.put(.documents, key: Array("b".utf8), value: [1], reading: view)
        return batch
      }
    } throws: { ($0 as? StorageError)?.code == .conflict }
    #expect(try contents(engine) == ["a": "2"])
    try engine.close()
  }

  @Test func stampsCarryVersionAndTime() throws {
    let engine = try open()
    let receipt = try engine.commit { view in
      var batch = KeyValueBatch(baseVersion: view.version)
      try batch.insert(.documents, key: [1], value: [UInt8](repeating: 0, count: 20))
      batch.stampVersion(atValueOffset: 2)
      batch.stampTime(atValueOffset: 12)
      return batch
    }
    let value = try #require(try engine.view().get(.documents, [1]))
    func number(_ range: Range<Int>) -> UInt64 { value[range].reduce(0) { $0 << 8 | UInt64($1) } }
    #expect(number(2..<10) == receipt.version)
    #expect(Int64(bitPattern: number(12..<20) ^ (1 << 63)) == receipt.time)
    try engine.close()
  }

  @Test func manyCallersShareSyncsAndLoseNothing() async throws {
    let engine = try open()
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask {
          for _ in 0..<200 {
            _ = try? await engine.commit { view in
              var batch = KeyValueBatch(baseVersion: view.version)
              let old = try view.get(.documents, [0]).map { $0.reduce(0) { $0 << 8 | Int($1) } } ?? 0
              let value = (0..<4).reversed().map { UInt8(truncatingIfNeeded: (old + 1) >> ($0 * 8)) }
              try batch.put(.documents, key: [0], value: value, reading: view)
              try batch.put(.documents, key: [1, UInt8(task)], value: [1], reading: view)
              return batch
            }
          }
        }
      }
    }
    let value = try #require(try engine.view().get(.documents, [0]))
    #expect(value.reduce(0) { $0 << 8 | Int($1) } == 1600)
    try engine.close()
  }

  @Test func aClosedEngineSaysSo() throws {
    let engine = try open()
    try engine.close()
    try engine.close()
    #expect { try engine.view() } throws: { ($0 as? StorageError)?.code == .closed }
    #expect { try put(engine, [("a", "1")]) } throws: { ($0 as? StorageError)?.code == .closed }
  }

  @Test func readOnlyReadsBesideAWriterAndRefusesToWrite() throws {
    let writer = try open()
    try put(writer, [("a", "1")])
    let reader = try open { $0.readOnly = true }
    #expect(try contents(reader) == ["a": "1"])
    #expect { try put(reader, [("b", "1")]) } throws: { ($0 as? StorageError)?.code == .readOnly }
    try writer.close()
  }

  @Test func theNextLogFileIsMadeAheadAndUsed() throws {
    let engine = try open {
      $0.logFileBytesMin = 2 << 20
      $0.logFileBytesMax = 2 << 20
    }
    let value = String(repeating: "x", count: 100_000)
    func unused() throws -> [String] {
      try fileSystem.contents(ofDirectory: "/db/wal").filter { $0.hasSuffix(".new") }
    }
    for number in 0..<12 { try put(engine, [("k\(number)", value)]) }
    // Another thread makes it; it is there before the file is full, or this waits.
    var patience = 5000
    while try unused().isEmpty, patience > 0 {
      patience -= 1
      usleep(1000)
    }
    let ahead = try unused()
    #expect(ahead.count == 1)
    for number in 12..<24 { try put(engine, [("k\(number)", value)]) }
    #expect(try !unused().contains(ahead[0]), "the file made ahead is in use now")
    try engine.close()
    #expect(try fileSystem.contents(ofDirectory: "/db/wal").isEmpty)
  }
}
