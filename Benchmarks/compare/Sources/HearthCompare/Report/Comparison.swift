/// All that a run found, printed as text or JSON and drawn as a picture.
struct Comparison: Codable, Equatable {
  struct EngineEntry: Codable, Equatable {
    var engine: EngineKind
    var version = ""
    /// By stage, since durable and cold rows have their own.
    var settings: [String: String] = [:]
    var bulkLoad: String?
  }

  struct Cell: Codable, Equatable {
    var engine: EngineKind
    var statistics: Statistics?
    /// Median over rounds of the rounds' medians, microseconds.
    var p50: Double?
    var p99: Double?
    var absence: String?
    /// Not all operations were done in the time allowed.
    var isCut = false
    var rounds: [RowResult] = []

    /// What stands in place of a figure; the reason of a failure is on standard error and in the JSON.
    var shortAbsence: String {
      switch absence {
      case nil: "-"
      case RowResult.notOffered?, RowResult.needsMemory?: absence ?? ""
      default: "failed"
      }
    }
  }

  struct Line: Codable, Equatable {
    var row: String
    var title: String
    var unit: Row.Unit
    var counts: String
    var cells: [Cell]
    /// How many times Hearth is as good as the best peer, and which that is.
    var ratioToBestPeer: Double?
    var bestPeer: EngineKind?
    /// Engines whose answers were compared.
    var compared: [EngineKind] = []
  }

  var machine: String
  var fileSystem: String
  var documents: Int
  /// Of keys, values and index keys.
  var logicalBytes: Int
  var roundCount: Int
  var secondsPerRow: Double
  var secondsMax: Double
  var cacheBytes: Int
  /// How the cold rows were held to a part of the data's size, and to how many bytes.
  var coldWay: String?
  var coldBytes: Int?
  var engines: [EngineEntry]
  var lines: [Line]
  var differences: [String]

  /// Puts the rounds of each row together.
  static func lines(
    _ rows: [Row], _ engines: [EngineKind], _ results: [EngineKind: [[String: RowResult]]]
  ) -> [Line] {
    rows.map { row in
      let cells = engines.map { engine in
        cell(engine, (results[engine] ?? []).compactMap { $0[row.name] })
      }
      var line = Line(row: row.name, title: row.title, unit: row.unit, counts: row.counts, cells: cells)
      let peers = cells.filter { $0.engine != .hearth && $0.statistics != nil }
      let best = peers.max { a, b in
        let (a, b) = (a.statistics?.median ?? 0, b.statistics?.median ?? 0)
        return row.unit.isLowerBetter ? a > b : a < b
      }
      if let best, let peer = best.statistics {
        line.bestPeer = best.engine
        let hearth = cells.first { $0.engine == .hearth }?.statistics
        line.ratioToBestPeer = hearth?.ratio(to: peer, isLowerBetter: row.unit.isLowerBetter)
      }
      return line
    }
  }

  private static func cell(_ engine: EngineKind, _ rounds: [RowResult]) -> Cell {
    let absences = rounds.compactMap(\.absence)
    // A median of the rounds that went well would hide the others.
    let values = absences.isEmpty ? rounds.compactMap(\.value) : []
    // Digests are for the check alone.
    let kept = rounds.map { round in
      var round = round
      round.digests = []
      return round
    }
    return Cell(
      engine: engine, statistics: Statistics(values), p50: Statistics(rounds.compactMap(\.p50))?.median,
      p99: Statistics(rounds.compactMap(\.p99))?.median, absence: absences.first,
      isCut: rounds.contains { !$0.isComplete }, rounds: kept)
  }
}
