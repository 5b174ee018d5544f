import Foundation

/// What a run found, printed as text or as one JSON object.
struct BenchReport: Codable, Equatable {
  struct Latency: Codable, Equatable {
    var p50: Double
    var p95: Double
    var p99: Double
    var p999: Double
    var max: Double
    /// How many durations these are taken from.
    var samples: UInt64

    /// Microseconds.
    init(_ histogram: LatencyHistogram) {
      func microseconds(_ share: Double) -> Double { Double(histogram.nanoseconds(atShare: share)) / 1e3 }
      p50 = microseconds(0.5)
      p95 = microseconds(0.95)
      p99 = microseconds(0.99)
      p999 = microseconds(0.999)
      max = Double(histogram.maxNanoseconds) / 1e3
      samples = histogram.count
    }
  }

  /// Command and workload, such as `ycsb a`.
  var command: String
  var level: String
  var durability: String
  var callers: Int
  /// Loaded before measuring, or to load; 0 for commands that begin with an empty database.
  var records: Int
  var seed: UInt64
  var machine: String
  var fileSystem: String

  var operations: UInt64 = 0
  var seconds: Double = 0
  var operationsPerSecond: Double = 0
  /// Time of all threads of the process; moves less than ``operationsPerSecond`` when other work has the machine.
  var processorMicrosecondsPerOperation: Double = 0
  var latencyMicroseconds: Latency?
  /// One 4 KiB overwrite and its sync, measured in turns with the workload.
  var rawSyncMicroseconds: Latency?
  /// The workload's median over the raw sync's, for durable commits.
  var medianOverRawSync: Double?
  /// Nanoseconds of one step of fixed arithmetic at its fastest, and the median over that: 1 on a quiet machine.
  var spinNanoseconds: Double = 0
  var spinNoise: Double = 0
  var bytesWritten: UInt64 = 0
  var bytesWrittenToDisk: UInt64 = 0
  var peakMemoryBytes: UInt64 = 0
  /// What was compared with the data set, in words.
  var checked: [String] = []
  /// Further figures of one command.
  var notes: [String: Double] = [:]

  init(_ options: BenchOptions, directory: String) {
    command = options.command == .ycsb ? "ycsb \(options.workload)" : options.command.rawValue
    level = options.level.rawValue
    durability = options.durability == .durable ? "durable" : "buffered"
    callers = options.callers
    records = options.command == .commit || options.command == .recover ? 0 : options.records
    seed = options.seed
    machine = ProcessFigures.machine()
    fileSystem = ProcessFigures.fileSystem(of: directory)
  }

  var json: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(self) else { return "{}" }
    return String(decoding: data, as: UTF8.self)
  }

  var text: String {
    func latency(_ value: Latency) -> String {
      String(
        format: "p50 %.1f  p95 %.1f  p99 %.1f  p99.9 %.1f  max %.1f us (%llu samples)", value.p50, value.p95, value.p99,
        value.p999, value.max, value.samples)
    }
    var lines = [
      "machine      \(machine), \(fileSystem)",
      "run          \(command), \(level) level, \(durability), \(callers) caller\(callers == 1 ? "" : "s"), "
        + (records > 0 ? "\(records) records, " : "") + "seed \(seed)",
      String(
        format: "result       %.0f ops/s (%llu in %.2f s), %.2f us of processor time each", operationsPerSecond,
        operations, seconds, processorMicrosecondsPerOperation),
    ]
    if let latencyMicroseconds { lines.append("latency      " + latency(latencyMicroseconds)) }
    if let rawSyncMicroseconds { lines.append("raw sync     " + latency(rawSyncMicroseconds)) }
    if let medianOverRawSync {
      lines.append(String(format: "ratio        the median is %.2f times the raw sync's", medianOverRawSync))
    }
    lines.append(
      String(
        format: "spin         %.2f ns a step at the fastest, the median %.2f times that", spinNanoseconds, spinNoise))
    lines.append("written      \(bytesWritten) bytes in calls, \(bytesWrittenToDisk) to the disk")
    lines.append("peak memory  \(peakMemoryBytes >> 20) MiB")
    for (name, value) in notes.sorted(by: { $0.key < $1.key }) {
      let number = value == value.rounded() ? String(format: "%.0f", value) : String(format: "%.3f", value)
      lines.append("\(name.padding(toLength: max(12, name.count), withPad: " ", startingAt: 0)) \(number)")
    }
    lines.append("checked      " + checked.joined(separator: ", "))
    return lines.joined(separator: "\n")
  }
}
