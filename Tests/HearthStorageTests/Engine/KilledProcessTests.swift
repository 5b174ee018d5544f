import Foundation
import HearthStorage
import HearthTestSupport
import Testing

/// A writing process is killed again and again; each time the database opens and holds what was acknowledged.
///
/// This says nothing of syncs: the system's cache outlives the process. `SystemCallOrderTests` and the simulator do.
@Suite(.serialized) struct KilledProcessTests {
  static let rounds = Int(ProcessInfo.processInfo.environment["HEARTH_KILLS"] ?? "") ?? 40

  @Test(arguments: ["durable", "buffered"])
  func nothingAcknowledgedIsLostWhenTheProcessIsKilled(durability: String) throws {
    let folder = NSTemporaryDirectory() + "hearth-kill-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var random = SystemRandomNumberGenerator()
    var last = 0
    for round in 0..<Self.rounds {
      let acknowledged = try Self.writeAndKill(
        folder, durability, after: Double.random(in: 0.005...0.06, using: &random))
      last = max(last, acknowledged)
      let clock = SystemClock()
      let engine = try StorageEngine.open(
        at: folder,
        environment: StorageEnvironment(
          fileSystem: POSIXFileSystem(), clock: clock, executor: ThreadExecutor(clock: clock),
          random: SystemRandom()))
      let view = try engine.view()
      let version = Int(view.version)
      #expect(version >= last, "round \(round): \(last) was acknowledged, \(version) is there")
      // One commit may have been written and not acknowledged.
      #expect(version <= last + 1, "round \(round)")
      try Self.check(view, version: UInt64(version))
      last = version
      if round % 2 == 0 { try engine.close() } else { engine.abandon() }
    }
    print("\(Self.rounds) kills (\(durability)), \(last) commits, none lost")
  }

  static func check(_ view: View, version: UInt64) throws {
    guard version > 0 else { return }
    let first = version > 200 ? version - 199 : 1
    var numbers: [UInt64] = []
    try view.scan(.documents) { key, value in
      numbers.append(UInt64(bigEndian: key.loadUnaligned(as: UInt64.self)))
      let stored = UInt64(bigEndian: value.loadUnaligned(as: UInt64.self))
      #expect(numbers.last == 0 ? stored == version : stored == numbers.last)
      return true
    }
    #expect(numbers == [0] + Array(first...version))
    #expect(try view.count(.documents) == numbers.count)
  }

  /// The last number that the program acknowledged.
  static func writeAndKill(_ folder: String, _ durability: String, after seconds: Double) throws -> Int {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: ProductFolder.path(of: "hearth-test-writer"))
    process.arguments = [folder, durability]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    // The first line shows that it has opened the database; a slow start doesn't make an empty round.
    var received = output.fileHandleForReading.availableData
    usleep(UInt32(seconds * 1_000_000))
    kill(process.processIdentifier, SIGKILL)
    received.append(output.fileHandleForReading.readDataToEndOfFile())
    process.waitUntilExit()
    let text = String(decoding: received, as: UTF8.self)
    // A line that was cut off was not said.
    return text.split(separator: "\n", omittingEmptySubsequences: true).dropLast(text.hasSuffix("\n") ? 0 : 1)
      .compactMap { Int($0) }.last ?? 0
  }
}
