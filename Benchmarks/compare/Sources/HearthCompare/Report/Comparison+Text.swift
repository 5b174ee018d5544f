import Foundation

extension Comparison {
  var json: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(self) else { return "{}" }
    return String(decoding: data, as: UTF8.self)
  }

  /// A table of medians with their spread, then what was compared and with which settings.
  var text: String {
    var lines = [
      "machine    \(machine), \(fileSystem)",
      "data       \(documents) documents, \(logicalBytes >> 20) MiB of keys, values and index keys",
      "run        median of \(roundCount) round\(roundCount == 1 ? "" : "s") and what they spread; "
        + "\(Figure.digits(secondsPerRow)) s a row, \(Figure.digits(secondsMax)) s at most; cache \(cacheBytes >> 20) MiB",
    ]
    if let coldWay, let coldBytes { lines.append("cold rows  \(coldBytes >> 20) MiB a process by \(coldWay)") }
    lines.append("")
    lines += table
    lines.append("")
    lines.append("Hearth     how many times as good as the best peer; more than 1 is better in every row")
    if self.lines.contains(where: { $0.cells.contains(where: \.isCut) }) {
      lines.append("*          the time was up before every operation was done once; the figure is that of those done")
    }
    lines.append(checks)
    for entry in engines {
      lines.append("")
      lines.append("\(entry.engine.title) \(entry.version)")
      for (stages, settings) in Self.groups(entry.settings) { lines.append("  \(stages): \(settings)") }
      if let bulkLoad = entry.bulkLoad { lines.append("  bulk load by: \(bulkLoad)") }
    }
    return lines.joined(separator: "\n")
  }

  private var table: [String] {
    var rows = [[""] + engines.map(\.engine.title) + ["Hearth"]]
    for line in lines {
      var row = [line.title]
      for cell in line.cells {
        guard let statistics = cell.statistics else {
          row.append(cell.shortAbsence)
          continue
        }
        let spread = roundCount > 1 ? " ±\(Figure.percent(statistics.spread / 2))" : ""
        row.append(Figure.text(statistics.median, line.unit) + (cell.isCut ? "*" : "") + spread)
      }
      row.append(line.ratioToBestPeer.map(Figure.ratio) ?? "")
      rows.append(row)
    }
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      let cells = row.enumerated().map { column, text in
        column == 0 ? text.padded(to: widths[0]) : text.padded(left: widths[column])
      }
      return cells.joined(separator: "  ")
    }
  }

  private var checks: String {
    if !differences.isEmpty {
      return (["answers    DIFFER:"] + differences.map { "             " + $0 }).joined(separator: "\n")
    }
    let compared = lines.filter { !$0.compared.isEmpty }.count
    return "answers    equal, compared between engines in \(compared) of \(lines.count) rows"
  }

  /// Stages that share settings in one line.
  static func groups(_ settings: [String: String]) -> [(String, String)] {
    var groups: [(stages: [String], settings: String)] = []
    for stage in Stage.allCases.map(\.rawValue) {
      guard let text = settings[stage] else { continue }
      if let index = groups.firstIndex(where: { $0.settings == text }) {
        groups[index].stages.append(stage)
      } else {
        groups.append(([stage], text))
      }
    }
    return groups.map { ($0.stages.joined(separator: ", "), $0.settings) }
  }
}
