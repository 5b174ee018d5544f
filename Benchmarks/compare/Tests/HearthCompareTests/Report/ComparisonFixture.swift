@testable import HearthCompare

/// A small comparison made by hand.
enum ComparisonFixture {
  static func result(_ row: String, _ value: Double?, absence: String? = nil) -> RowResult {
    RowResult(row: row, value: value, absence: absence)
  }

  static func make(hearth: [Double?], lmdb: [Double?], sqlite: [Double?], row: String = "read") throws -> Comparison {
    guard let wanted = Row.named(row) else { throw CompareError("no row \(row)") }
    func rounds(_ values: [Double?]) -> [[String: RowResult]] {
      values.map { [row: result(row, $0, absence: $0 == nil ? RowResult.notOffered : nil)] }
    }
    let engines: [EngineKind] = [.hearth, .sqlite, .lmdb]
    let lines = Comparison.lines(
      [wanted], engines, [.hearth: rounds(hearth), .sqlite: rounds(sqlite), .lmdb: rounds(lmdb)])
    return Comparison(
      machine: "a machine <&>", fileSystem: "ext4", documents: 1000, logicalBytes: 600_000, roundCount: hearth.count,
      secondsPerRow: 1, secondsMax: 20, cacheBytes: 1 << 30,
      engines: engines.map { Comparison.EngineEntry(engine: $0, version: "1", settings: ["hot": "so"]) }, lines: lines,
      differences: [])
  }
}
