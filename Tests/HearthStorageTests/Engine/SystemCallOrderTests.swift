import Foundation
import HearthTestSupport
import Testing

@testable import HearthStorage

/// The order of calls on the real file system: what must be durable before what.
struct SystemCallOrderTests {
  let folder: String
  let recorder: RecordingFileSystem
  let environment: StorageEnvironment

  init() throws {
    folder = NSTemporaryDirectory() + "hearth-order-\(UUID().uuidString)"
    recorder = RecordingFileSystem(POSIXFileSystem(), prefix: folder)
    let clock = SystemClock()
    environment = StorageEnvironment(
      fileSystem: recorder, clock: clock, executor: ThreadExecutor(clock: clock), random: SystemRandom())
  }

  func put(_ engine: StorageEngine, _ number: UInt8, bytes: Int = 10, _ durability: Durability = .durable) throws {
    try engine.commit(durability) { view in
      var batch = KeyValueBatch(baseVersion: view.version)
      try batch.put(.documents, key: [number], value: [UInt8](repeating: number, count: bytes), reading: view)
      return batch
    }
    recorder.note("acknowledged \(number)")
  }

  /// The calls between two notes, by their first word and the ending of the path.
  func calls(between first: String, and last: String) throws -> [String] {
    let trace = recorder.trace
    let start = try #require(trace.lastIndex(of: first))
    let end = try #require(trace[start...].firstIndex(of: last))
    return trace[(start + 1)..<end].map { line in
      let words = line.split(separator: " ")
      // The folder itself is named by nothing.
      let target = words.count > 3 && words[0] == "rename" ? words[3] : words.count > 1 ? words[1] : "/"
      return "\(words[0]) \(target.split(separator: ".").last.map { ".\($0)" } ?? "")"
    }
  }

  @Test func aDurableCommitIsWrittenThenSyncedThenAcknowledged() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let engine = try StorageEngine.open(at: folder, environment: environment)
    try put(engine, 1)
    try put(engine, 2)
    #expect(try calls(between: "acknowledged 1", and: "acknowledged 2") == ["write .new", "sync .new"])
    engine.abandon()
  }

  @Test func theFirstCommitMakesItsFileDurableByContentAndName() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let engine = try StorageEngine.open(at: folder, environment: environment)
    recorder.note("opened")
    try put(engine, 1)
    let calls = try calls(between: "opened", and: "acknowledged 1").filter { !$0.hasPrefix("allocate") }
    #expect(
      calls == [
        "create .new", "write .new", "sync .new", "rename .wal", "syncDirectory ./wal", "write .new", "sync .new",
      ])
    engine.abandon()
  }

  @Test func aNewFileTakesFramesOnlyAfterTheOneBeforeWasSynced() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let engine = try StorageEngine.open(at: folder, environment: environment)
    try put(engine, 1)
    try put(engine, 2, .buffered)
    try put(engine, 3, bytes: 100_000)
    let calls = try calls(between: "acknowledged 2", and: "acknowledged 3").filter { !$0.hasPrefix("allocate") }
    // The buffered frame in the old file is synced before the header that proves it is written.
    #expect(
      calls == [
        "create .new", "sync .new", "write .new", "sync .new", "rename .wal", "syncDirectory ./wal", "write .new",
        "sync .new",
      ])
    engine.abandon()
  }

  @Test func aBaseIsNamedOnlyWhenItIsDurableAndFilesGoOnlyAfterThat() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let engine = try StorageEngine.open(at: folder, environment: environment)
    try put(engine, 1)
    try engine.close()
    let trace = recorder.trace
    let named = try #require(trace.lastIndex { $0.hasPrefix("rename") && $0.contains("wal/") })
    let directory = try #require(trace[named...].firstIndex { $0.hasPrefix("syncDirectory") })
    let slot = try #require(trace[directory...].firstIndex { $0.hasPrefix("write /SUPER") })
    let slotSync = try #require(trace[slot...].firstIndex { $0.hasPrefix("sync /SUPER") })
    let removal = try #require(trace.firstIndex { $0.hasPrefix("remove") })
    #expect(named < directory && directory < slot && slot < slotSync && slotSync < removal)
    // The base's content is synced under its first name, before the rename.
    #expect(trace[..<named].last { $0.hasPrefix("sync ") }?.hasSuffix(".new") == true)
  }

  @Test func aRecoveredLogHasItsHeaderAfterItsFrames() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var engine = try StorageEngine.open(at: folder, environment: environment)
    try put(engine, 1)
    engine.abandon()
    recorder.note("killed")
    engine = try StorageEngine.open(at: folder, environment: environment)
    recorder.note("opened")
    let calls = try calls(between: "killed", and: "opened").filter {
      $0.contains(".new") || $0.hasPrefix("rename") || $0.hasPrefix("sync") || $0.hasPrefix("remove")
    }
    #expect(
      calls.filter { !$0.hasPrefix("allocate") } == [
        "syncDirectory ./", "create .new", "write .new", "sync .new", "write .new", "sync .new", "rename .wal",
        "syncDirectory ./wal", "remove .wal", "syncDirectory ./wal",
      ])
    #expect(try engine.view().version == 1)
    engine.abandon()
  }

  @Test func aCleanOpenAndCommitsCostFewSyncs() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var engine = try StorageEngine.open(at: folder, environment: environment)
    try put(engine, 1)
    try engine.close()
    recorder.note("closed")
    engine = try StorageEngine.open(at: folder, environment: environment)
    recorder.note("opened")
    #expect(try calls(between: "closed", and: "opened").filter { $0.hasPrefix("sync") }.count <= 2)
    try put(engine, 2)
    for number in UInt8(3)..<10 { try put(engine, number) }
    #expect(try calls(between: "acknowledged 2", and: "acknowledged 9").filter { $0.hasPrefix("sync") }.count == 7)
    engine.abandon()
  }

  // MARK: - Checkpoints

  /// Merges beside commits, of two segments each, until files have gone.
  private func traceOfMerges() throws -> [String] {
    var options = StorageOptions()
    options.logBytesMax = 0
    options.pageBytes = 512
    options.segmentBytesMin = 12 << 10
    let engine = try StorageEngine.open(at: folder, options: options, environment: environment)
    let random = SeededRandom(seed: 1)
    // Each commit changes every leaf.
    for round in UInt8(1)..<12 {
      try engine.commit { view in
        var batch = KeyValueBatch(baseVersion: view.version)
        for key in UInt8(0)..<60 {
          try batch.put(.documents, key: [key], value: random.bytes(150), reading: view)
        }
        return batch
      }
      let version = UInt64(round)
      var patience = 2_000
      while patience > 0, engine.currentView().stack.snapshot?.commitVersion ?? 0 < version {
        usleep(1_000)
        patience -= 1
      }
    }
    try engine.close()
    return recorder.trace
  }

  @Test func aSlotIsWrittenWhenAllItNamesIsDurableAndFilesGoWhenItIs() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let order = try CheckpointOrder(traceOfMerges())
    #expect(order.violation == nil)
    #expect(order.slots >= 6 && order.segmentsNamed > order.slots)
    #expect(order.segmentsRemoved > 4 && order.logsGone > 2)
  }

  /// Each call that the order stands on, left out of the trace or put behind the one that needs it, is missed.
  @Test func theOrderOfCheckpointsIsReallyLookedAt() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let trace = try traceOfMerges()
    let segmentSync = try #require(trace.firstIndex { $0.hasPrefix("sync /segments/") })
    let namesSync = try #require(trace[segmentSync...].firstIndex { $0 == "syncDirectory /segments" })
    let removal = try #require(trace.firstIndex { $0.hasPrefix("remove ") && $0.hasSuffix(".seg") })
    let slotBefore = try #require(trace[..<removal].lastIndex { $0 == "sync /SUPER" })
    for (place, complaint) in [
      (segmentSync, "named before it was synced"), (namesSync, "the names"), (slotBefore, "the slot is not synced"),
    ] {
      var changed = trace
      changed.remove(at: place)
      #expect(CheckpointOrder(changed).violation?.contains(complaint) == true, "without \(trace[place])")
    }
  }
}
