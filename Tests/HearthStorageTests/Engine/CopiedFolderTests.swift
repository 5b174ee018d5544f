import Foundation
import HearthTestSupport
import Testing

@testable import HearthStorage

/// Folders copied with ordinary tools while a writer runs, and access that is denied for a while.
struct CopiedFolderTests {
  private func put(_ engine: StorageEngine, _ number: Int) throws {
    try engine.commit(.buffered) { view in
      var batch = KeyValueBatch(baseVersion: view.version)
      for tree in [TreeID.documents, .catalog] {
        try batch.put(
          tree, key: [UInt8(number >> 8), UInt8(number & 0xFF)],
          value: [UInt8](repeating: UInt8(number & 0xFF), count: 200),
          reading: view)
      }
      return batch
    }
  }

  /// A copy made file by file beside a writer opens to some state that the database had, or says that it does not.
  @Test func aCopyMadeBesideAWriterIsAStateItOnceHadOrATypedError() throws {
    let folder = NSTemporaryDirectory() + "hearth-copies-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let environment = HostileFileTests.environment(POSIXFileSystem())
    var options = StorageOptions()
    options.logFileBytesMin = 16 << 10
    options.logFileBytesMax = 32 << 10
    options.logBytesMax = 64 << 10
    let engine = try StorageEngine.open(at: folder + "/db", options: options, environment: environment)
    let isDone = Flag()
    let writer = Thread {
      var number = 0
      while !isDone.isSet, number < 60_000 {
        do { try put(engine, number) } catch { Issue.record(error) }
        number += 1
      }
      isDone.finish()
    }
    writer.start()
    var served = 0
    var refused = 0
    for copy in 0..<25 {
      let target = folder + "/copy\(copy)"
      // Files may go while they are copied: then the copy has what it has.
      try FileManager.default.createDirectory(atPath: target + "/wal", withIntermediateDirectories: true)
      try FileManager.default.createDirectory(atPath: target + "/segments", withIntermediateDirectories: true)
      var paths = ["SUPER"]
      for part in ["wal", "segments"] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder + "/db/" + part)) ?? []
        paths += names.map { part + "/" + $0 }
      }
      for path in paths {
        try? FileManager.default.copyItem(atPath: folder + "/db/" + path, toPath: target + "/" + path)
      }
      for readOnly in [true, false] {
        options.readOnly = readOnly
        do {
          let opened = try StorageEngine.open(at: target, options: options, environment: environment)
          defer { opened.abandon() }
          let view = try opened.view()
          // Commit n wrote entry n and nothing else, in two trees.
          let count = try view.count(.documents)
          #expect(UInt64(count) == view.version)
          #expect(try view.count(.catalog) == count)
          #expect(try IntegrityCheck(opened) { _, _, _ in nil }.problems.count == (opened.openDamage == nil ? 0 : 1))
          if !readOnly { #expect(opened.openDamage == nil) }
          served += 1
        } catch is StorageError {
          refused += 1
        }
      }
    }
    isDone.set()
    isDone.waitUntilFinished()
    try engine.close()
    print("copies beside a writer: \(served) opens served, \(refused) refused")
    #expect(served > 0)
  }

  /// Files that may not be read for a while, as on a locked device: the same process opens them once it may.
  @Test(arguments: ["SUPER", "LOCK", ".seg"])
  func whatIsDeniedIsNamedAndServedLater(suffix: String) throws {
    let files = SimulatedFileSystem()
    let environment = HostileFileTests.environment(files)
    let engine = try StorageEngine.open(at: "/db", environment: environment)
    try put(engine, 1)
    try engine.close()
    for _ in 0..<2 {
      files.inject(
        SimulatedFault([.open, .lock], times: 1000, pathSuffix: suffix, effect: .fail(.permissionDenied)))
      let error = #expect(throws: StorageError.self) {
        _ = try StorageEngine.open(at: "/db", environment: environment)
      }
      #expect(error?.code == .permissionDenied)
      #expect(error?.place?.file.hasSuffix(suffix) == true)
      files.clearFaults()
    }
    let again = try StorageEngine.open(at: "/db", environment: environment)
    #expect(try again.view().count(.documents) == 1)
    try again.close()
  }
}

/// Tells a thread to end, and that it has.
private final class Flag: @unchecked Sendable {
  private let condition = NSCondition()
  private var wasSet = false
  private var hasFinished = false

  var isSet: Bool { condition.withLock { wasSet } }
  func set() { condition.withLock { wasSet = true } }
  func finish() {
    condition.withLock {
      hasFinished = true
      condition.broadcast()
    }
  }
  func waitUntilFinished() {
    condition.withLock { while !hasFinished { condition.wait() } }
  }
}
