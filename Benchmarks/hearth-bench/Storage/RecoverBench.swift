import Foundation
import HearthStorage

/// Time to open a database whose writer was killed.
///
/// A child writes single documents, buffered, until its write calls reach the wanted size, and is killed. Then fresh
/// processes open copies of what it left, each times the opening by itself, counts and compares.
struct RecoverBench {
  /// First words of the command lines of the two kinds of child.
  static let writerMark = "--recover-writer"
  static let openerMark = "--recover-opener"

  let options: BenchOptions
  let folder: String

  private struct Opening: Codable {
    var nanoseconds: UInt64
    var documents: Int
    var peakMemoryBytes: UInt64
  }

  func run() throws -> BenchReport {
    var report = BenchReport(options, directory: folder)
    report.durability = "buffered (writer), recovered after SIGKILL"
    let rawSync = try RawSync(directory: folder)
    defer { rawSync.close() }
    var spin = SpinControl()

    let killed = folder + "/killed"
    let acknowledged = try writeAndKill(killed)
    var openings = LatencyHistogram()
    var total: UInt64 = 0
    for round in 0..<options.rounds {
      try rawSync.measure(seconds: 0.05)
      spin.measure()
      let copy = folder + "/round-\(round)"
      try FileManager.default.copyItem(atPath: killed, toPath: copy)
      // So that writing back the copy does not fall into the measured opening.
      sync()
      let output = try Self.runChild([Self.openerMark, copy, String(options.seed), String(acknowledged)])
      guard let opening = try? JSONDecoder().decode(Opening.self, from: Data(output.utf8)) else {
        throw BenchError("the opening child said: \(output)")
      }
      try BenchError.expect(
        opening.documents >= acknowledged,
        "\(opening.documents) documents after recovery, \(acknowledged) were acknowledged")
      openings.add(opening.nanoseconds)
      total += opening.nanoseconds
      report.peakMemoryBytes = max(report.peakMemoryBytes, opening.peakMemoryBytes)
      report.notes["documents"] = Double(opening.documents)
      try FileManager.default.removeItem(atPath: copy)
    }
    report.operations = UInt64(options.rounds)
    report.seconds = Double(total) / 1e9
    report.operationsPerSecond = Double(options.rounds) / report.seconds
    report.latencyMicroseconds = .init(openings)
    report.rawSyncMicroseconds = .init(rawSync.latencies)
    report.spinNanoseconds = Double(spin.spins.nanoseconds(atShare: 0)) / Double(SpinControl.stepsPerSpin)
    report.spinNoise = spin.noise
    report.notes["log MiB"] = Double(options.logMiB)
    report.notes["acknowledged"] = Double(acknowledged)
    report.checked = ["no acknowledged document lost", "1000 documents field by field in each round"]
    return report
  }

  /// Returns how many documents were acknowledged.
  private func writeAndKill(_ directory: String) throws -> Int {
    let child = Process()
    child.executableURL = URL(fileURLWithPath: Self.program)
    child.arguments = [Self.writerMark, directory, String(options.seed), String(options.logMiB)]
    child.standardInput = FileHandle.nullDevice
    let pipe = Pipe()
    child.standardOutput = pipe
    try child.run()
    // The child says once how far it came and then waits to be killed.
    let line = String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self)
    kill(child.processIdentifier, SIGKILL)
    child.waitUntilExit()
    guard let count = Int(line.trimmingCharacters(in: .whitespacesAndNewlines)) else {
      throw BenchError("the writing child failed: \(line)")
    }
    return count
  }

  private static func runChild(_ arguments: [String]) throws -> String {
    let child = Process()
    child.executableURL = URL(fileURLWithPath: program)
    child.arguments = arguments
    child.standardInput = FileHandle.nullDevice
    let pipe = Pipe()
    child.standardOutput = pipe
    try child.run()
    let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    child.waitUntilExit()
    if child.terminationStatus == 4 {
      throw BenchError("wrong answer of the opening child, see above", kind: .wrongAnswer)
    }
    if child.terminationStatus != 0 { throw BenchError("the opening child failed: \(output)") }
    return output
  }

  private static var program: String {
    #if os(Linux)
    if let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") { return path }
    #endif
    return Bundle.main.executablePath ?? CommandLine.arguments[0]
  }

  // MARK: - In the children

  /// `[directory, seed, MiB]`: writes, says how many documents were acknowledged, and waits to be killed.
  static func runWriter(_ arguments: [String]) throws {
    guard arguments.count == 3, let seed = UInt64(arguments[1]), let size = UInt64(arguments[2]) else {
      throw BenchError("bad command line of a child")
    }
    var options = BenchOptions()
    options.seed = seed
    options.durability = .buffered
    options.command = .recover
    let target = try StorageTarget(directory: arguments[0], options: options)
    let start = ProcessFigures.written().calls
    var count: UInt64 = 0
    var bytes: UInt64 = 0
    while true {
      let item = target.item(count)
      try target.insert([item])
      count += 1
      // Where the system does not count writes, the payload does.
      bytes += UInt64(item.key.count + item.value.count + item.indexKeys.reduce(0) { $0 + $1.count })
      if count % 256 == 0 {
        let calls = ProcessFigures.written().calls
        if (calls > start ? calls - start : bytes) >= size << 20 { break }
      }
    }
    FileHandle.standardOutput.write(Data("\(count)\n".utf8))
    while true { sleep(60) }
  }

  /// `[directory, seed, acknowledged]`: opens, compares, and says how long opening took.
  static func runOpener(_ arguments: [String]) async throws {
    guard arguments.count == 3, let seed = UInt64(arguments[1]), let acknowledged = UInt64(arguments[2]) else {
      throw BenchError("bad command line of a child")
    }
    var options = BenchOptions()
    options.seed = seed
    options.command = .recover
    let start = Ticks.now()
    let target = try StorageTarget(directory: arguments[0], options: options)
    let nanoseconds = Ticks.now() - start
    let peak = ProcessFigures.peakMemoryBytes()
    var random = SplitMix(seed: seed, stream: 901, item: 0)
    for _ in 0..<min(1000, acknowledged) { try await target.check(random.below(acknowledged)) }
    let digest = try await target.scanAll()
    try await target.checkCount(digest.count)
    let output = try JSONEncoder().encode(
      Opening(nanoseconds: nanoseconds, documents: digest.count, peakMemoryBytes: peak))
    FileHandle.standardOutput.write(output)
    try target.close()
  }
}
