/// One line of the comparison: a workload and how its figure reads.
struct Row: Equatable, Sendable {
  enum Work: Equatable, Sendable {
    case load, bulkLoad, size, open, read, miss, byAge, newest, count, scanAll, commit
    /// `a` to `f`.
    case ycsb(Character)
  }

  enum Unit: String, Codable, Sendable {
    case perSecond = "/s"
    case milliseconds = "ms"
    case mebibytes = "MiB"

    var isLowerBetter: Bool { self != .perSecond }
  }

  var name: String
  var title: String
  var stage: Stage
  var work: Work
  var threads = 1
  var unit = Unit.perSecond
  /// What is counted, for the report.
  var counts: String

  /// Changes the data, so it runs its operations once and the others after it see what it left.
  var isMutating: Bool {
    switch work {
    case .load, .bulkLoad, .commit: true
    case .ycsb(let letter): letter != "c"
    default: false
    }
  }

  /// Operations are so long that each can be timed.
  var timesEach: Bool {
    switch work {
    case .count, .scanAll, .commit: true
    default: false
    }
  }

  /// In the order in which they run.
  static let all: [Row] = {
    var rows = [
      Row(name: "load", title: "load, 500 a commit", stage: .load, work: .load, counts: "documents"),
      Row(
        name: "size", title: "size after load and close", stage: .load, work: .size, unit: .mebibytes, counts: "disk"),
      Row(name: "bulk", title: "bulk load in key order", stage: .bulk, work: .bulkLoad, counts: "documents"),
      Row(
        name: "open", title: "open after a clean close", stage: .open, work: .open, unit: .milliseconds,
        counts: "open and one read"),
      Row(name: "cold-read", title: "cold: point read", stage: .cold, work: .read, counts: "documents"),
      Row(name: "cold-scan", title: "cold: scan of everything", stage: .cold, work: .scanAll, counts: "documents"),
      Row(name: "read", title: "point read", stage: .hot, work: .read, counts: "documents"),
      Row(name: "read-2", title: "point read, 2 threads", stage: .hot, work: .read, threads: 2, counts: "documents"),
      Row(name: "miss", title: "point read of what is not there", stage: .hot, work: .miss, counts: "reads"),
      Row(name: "range", title: "50 documents by index range", stage: .hot, work: .byAge, counts: "queries"),
      Row(
        name: "query", title: "20 newest documents of a city by index", stage: .hot, work: .newest, counts: "queries"),
      Row(name: "count", title: "count over 10 % of an index", stage: .hot, work: .count, counts: "counts"),
      Row(name: "scan", title: "scan of everything", stage: .hot, work: .scanAll, counts: "documents"),
    ]
    // C first, it changes nothing; D and E last, they add documents.
    for letter in "cbafde" {
      for threads in 1...2 {
        let name = "ycsb-\(letter)" + (threads == 1 ? "" : "-2")
        let title = "YCSB \(letter.uppercased())" + (threads == 1 ? "" : ", 2 threads")
        rows.append(
          Row(name: name, title: title, stage: .hot, work: .ycsb(letter), threads: threads, counts: "operations"))
      }
    }
    for callers in [1, 8] {
      rows.append(
        Row(
          name: "commit-\(callers)", title: "durable commit, \(callers) caller" + (callers == 1 ? "" : "s"),
          stage: .durable, work: .commit, threads: callers, counts: "commits"))
    }
    return rows
  }()

  static func named(_ name: String) -> Row? { all.first { $0.name == name } }
}

/// Rows that share a process and an open database. One process per engine, round and stage.
enum Stage: String, CaseIterable, Codable, Sendable {
  case load, bulk, open, cold, hot, durable
}
