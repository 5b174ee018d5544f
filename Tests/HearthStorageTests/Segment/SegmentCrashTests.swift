import HearthTestSupport
import Testing

@testable import HearthStorage

/// A segment being written while the disk fills, fails, or loses its power.
struct SegmentCrashTests {
  typealias Samples = SegmentSamples

  static func diskWithFolder() throws -> (SimulatedFileSystem, SegmentDirectory) {
    let disk = SimulatedFileSystem()
    let directory = try SegmentSamples.directory(disk)
    for folder in ["/", "/db"] { try disk.syncDirectory(folder) }
    return (disk, directory)
  }

  @Test func aSegmentIsWrittenThenSyncedThenNamed() throws {
    let (disk, directory) = try Self.diskWithFolder()
    disk.clearTrace()
    try Samples.write(Samples.small, directory)
    let calls = disk.trace.map { $0.split(separator: " ").first.map(String.init) ?? "" }
    #expect(calls == ["create", "write", "sync", "rename", "syncDirectory"], "\(disk.trace)")
  }

  /// What is wrong with the disks that a crash at any moment may leave: a segment under its name must be whole, and one
  /// that was reported finished must be there.
  static func faultsFound() throws -> [String] {
    let (whole, directory) = try diskWithFolder()
    let before = whole.operationCount
    try SegmentSamples.write(SegmentSamples.small, directory)
    let after = whole.operationCount
    var found: [String] = []
    var images = 0
    for stop in before...after {
      let (disk, directory) = try diskWithFolder()
      disk.stopAfter(stop)
      let finished = try? SegmentSamples.write(SegmentSamples.small, directory)
      for unwritten in [SimulatedCrash.Unwritten.zeros, .garbage(seed: 4)] {
        for image in disk.crash(unwritten: unwritten).images() {
          images += 1
          let after = SegmentDirectory(database: "/db", fileSystem: image)
          let names = try image.contents(ofDirectory: after.path)
          if finished != nil, !names.contains("000005.seg") { found.append("stop \(stop): a finished segment is gone") }
          guard names.contains("000005.seg") else { continue }
          let reader = try? SegmentSamples.open(after)
          let listing = try? reader?.listBlocks()
          if listing?.footerDamage != nil || listing?.blocks.count != 3 {
            found.append("stop \(stop): a segment under its name is not whole")
          }
          for (payload, block) in zip(SegmentSamples.small, listing?.blocks ?? []) {
            let raw = try? reader.map { try SegmentSamples.read($0, block.reference) }
            if raw != payload { found.append("stop \(stop): a block is not what was written") }
          }
        }
      }
    }
    #expect(images > 40)
    return found
  }

  @Test func afterACrashASegmentUnderItsNameIsWhole() throws {
    #expect(try Self.faultsFound() == [])
  }

  @Test(arguments: [StorageFaults.segmentNotSynced.rawValue, StorageFaults.segmentNameNotSynced.rawValue])
  func aSyncLeftOutIsNoticed(_ fault: UInt32) throws {
    let found = try StorageFaults.$injected.withValue(StorageFaults(rawValue: fault)) { try Self.faultsFound() }
    #expect(!found.isEmpty)
  }

  @Test func afterAFailureTheFileIsGoneAndTheWriterRefuses() throws {
    for call in [SimulatedFault.Call.write, .sync, .rename, .syncDirectory] {
      let (disk, directory) = try Self.diskWithFolder()
      disk.inject(SimulatedFault(call))
      let writer = try SegmentWriter(directory, segment: 5, lineage: 1, checkpoint: 1)
      _ = try Samples.append([1, 2, 3], to: writer)
      var error = #expect(throws: StorageError.self) { try writer.finish() }
      #expect(error?.code == .io)
      #expect(try disk.contents(ofDirectory: directory.path) == [], "\(call)")
      error = #expect(throws: StorageError.self) { try Samples.append([1], to: writer) }
      #expect(error?.code == .closed && error?.cause?.contains("injected") == true)
      error = #expect(throws: StorageError.self) { try writer.finish() }
      #expect(error?.code == .closed)
      writer.abandon()
    }
  }

  @Test func aDiskThatFillsLeavesNothingBehind() throws {
    let (whole, directory) = try Self.diskWithFolder()
    let random = SeededRandom(seed: 2)
    let payloads = (0..<20).map { _ in random.bytes(100_000) }
    let (summary, _, _) = try Samples.write(payloads, directory)
    let total = Int(summary.fileBytes)
    #expect(whole.writtenBytes == total)
    for budget in [0, 1, 8192, 1 << 20, total / 2, total - 1] {
      let (disk, directory) = try Self.diskWithFolder()
      disk.writeBudgetBytes = budget
      let error = #expect(throws: StorageError.self) { try Samples.write(payloads, directory) }
      #expect(error?.code == .resourceExhausted, "\(budget)")
      #expect(try disk.contents(ofDirectory: directory.path) == [])
    }
  }

  @Test func anAbandonedSegmentLeavesNothingBehind() throws {
    let (disk, directory) = try Self.diskWithFolder()
    let writer = try SegmentWriter(directory, segment: 5, lineage: 1, checkpoint: 1)
    _ = try Samples.append([1, 2, 3], to: writer)
    writer.abandon()
    #expect(try disk.contents(ofDirectory: directory.path) == [])
    let error = #expect(throws: StorageError.self) { try writer.finish() }
    #expect(error?.code == .closed)
  }
}
