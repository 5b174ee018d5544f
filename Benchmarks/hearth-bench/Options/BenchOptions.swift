import Foundation
import HearthCommandLine
import HearthStorage

/// What a command line asks for.
struct BenchOptions: Equatable {
  enum Command: String, CaseIterable { case load, commit, read, scan, ycsb, recover }
  enum Level: String { case storage, api }

  var command = Command.load
  /// The letter of a YCSB workload, `a` to `f`.
  var workload: Character = "a"
  var level = Level.storage
  var records = 100_000
  var callers = 1
  var seconds = 5.0
  var durability = Durability.durable
  var seed: UInt64 = 42
  var directory = "."
  var batch = 500
  var hasIndexes = true
  var logMiB = 64
  var rounds = 5
  var isJSON = false
  var wantsHelp = false

  private static let names: [String: Bool] = [
    "level": true, "records": true, "callers": true, "seconds": true, "durability": true, "seed": true,
    "directory": true, "batch": true, "no-indexes": false, "log-mib": true, "rounds": true, "json": false,
    "help": false,
  ]

  init() {}

  /// Reads a command line, without the program's name.
  ///
  /// - Throws: ``BenchError`` of kind `usage` that names what is wrong.
  init(arguments: [String]) throws {
    let words: CommandLineWords
    do {
      words = try CommandLineWords(arguments, names: Self.names)
    } catch {
      throw BenchError("\(error)", kind: .usage)
    }
    for (name, value) in words.options { try set(name, value) }
    var operands = words.operands
    if wantsHelp { return }
    guard !operands.isEmpty else { throw BenchError("no command", kind: .usage) }
    let name = operands.removeFirst()
    guard let command = Command(rawValue: name) else { throw BenchError("unknown command \(name)", kind: .usage) }
    self.command = command
    if command == .ycsb {
      guard let letter = operands.first, letter.count == 1, let workload = letter.lowercased().first,
        ("a"..."f").contains(workload)
      else { throw BenchError("ycsb needs a workload, a to f", kind: .usage) }
      self.workload = workload
      operands.removeFirst()
    }
    if let extra = operands.first { throw BenchError("\(extra) is one word too many", kind: .usage) }
  }

  private mutating func set(_ name: String, _ value: String) throws {
    func number<T: LosslessStringConvertible & Comparable>(_ range: ClosedRange<T>) throws -> T {
      guard let number = T(value), range.contains(number) else {
        throw BenchError(
          "--\(name) \(value): not a number from \(range.lowerBound) to \(range.upperBound)", kind: .usage)
      }
      return number
    }
    switch name {
    case "level":
      guard let level = Level(rawValue: value) else {
        throw BenchError("--level \(value): storage or api", kind: .usage)
      }
      self.level = level
    case "records": records = try number(1...100_000_000)
    case "callers": callers = try number(1...1000)
    case "seconds": seconds = try number(0.1...86_400)
    case "durability":
      switch value {
      case "durable": durability = .durable
      case "buffered": durability = .buffered
      default: throw BenchError("--durability \(value): durable or buffered", kind: .usage)
      }
    case "seed": seed = try number(0...UInt64.max)
    case "directory": directory = value
    case "batch": batch = try number(1...10_000)
    case "no-indexes": hasIndexes = false
    case "log-mib": logMiB = try number(1...4096)
    case "rounds": rounds = try number(1...1000)
    case "json": isJSON = true
    default: wantsHelp = true
    }
  }

  static let help = """
    usage: hearth-bench COMMAND [OPTION...]

    Measures Hearth and checks its answers. Every run makes a folder of its own, loads what it needs and removes it.

    commands:
      load              insert documents in batches
      commit            insert one document at a time: one key and four index keys in one commit
      read              read documents at random, all of them in memory
      scan              read all documents in order
      ycsb a...f        a: half reads, half updates; b: 95 % reads; c: reads; d: reads of the newest, 5 % inserts;
                        e: short scans, 5 % inserts; f: reads and read-modify-writes
      recover           time to open after a writing process was killed

    options:
      --level storage|api       below the documents, or through the public API (storage)
      --records N               documents loaded before measuring, or to load (100000)
      --callers N               concurrent callers; more than one are tasks that await (1)
      --seconds S               time to measure (5)
      --durability durable|buffered   what an acknowledged commit survives: a power cut, or the process (durable)
      --batch N                 documents in one commit of a load (500)
      --no-indexes              storage level: documents without their index keys
      --log-mib N, --rounds N   recover: size of the log (64), times it is opened (5)
      --seed N                  of the documents and of what is touched (42)
      --directory PATH          where the folder of the run is made; decides which disk is measured (.)
      --json                    one JSON object on standard output instead of text
      -h, --help                this text

    Each run prints, measured in turns with the workload: the time of one 4 KiB overwrite and its sync on the same disk,
    and of a fixed piece of arithmetic. Compare runs by these; where the second moved, other work had the machine.

    examples:
      swift run -c release hearth-bench commit --callers 8
      swift run -c release hearth-bench commit --durability buffered
      swift run -c release hearth-bench read --records 1000000 --seconds 10
      swift run -c release hearth-bench ycsb a --level api --callers 2 --json
      swift run -c release hearth-bench recover --log-mib 64

    exit: 0 measured and right, 1 failed, 2 wrong usage, 4 an answer was wrong
    """
}
