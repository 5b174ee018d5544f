import HearthCommandLine
import HearthModel
import HearthStorage

/// The segments of a database, one a line.
enum SegmentsCommand: Command {
  static let name = "segments"
  static let summary = "List the segment files of a database and what is alive in them"
  static let usage = "hearth segments FOLDER [--json]"
  static let options = ["json": false]
  static let details = """
    Live and dead are the bytes of pages, as the newest checkpoint in the segments counts them; - stands for what is not known. Exit status 1 means
    that a file is damaged or not what its name says.

      --json    one JSON object a line

    Example: hearth segments ./db
    """

  private static let heads = ["segment", "size", "blocks", "live", "dead", "checkpoint", "database", "list", "file"]

  static func run(_ words: CommandLineWords, _ output: Output) throws -> Int32 {
    let folder = try OpenDatabase.folder(words, operands: 1...1)
    let table = try SegmentTable(folder, fileSystem: POSIXFileSystem())
    if words.has("json") {
      for row in table.rows { output.line(json(row).text) }
    } else if table.rows.isEmpty {
      output.line("there are no segments")
    } else {
      let cells = [heads] + table.rows.map(self.cells)
      let widths = heads.indices.map { column in cells.map { $0[column].count }.max() ?? 0 }
      for (index, line) in cells.enumerated() {
        let text = zip(line.dropLast(), widths).map { $0.padding(toLength: $1, withPad: " ", startingAt: 0) }
        let problem = index > 0 ? table.rows[index - 1].shownProblem : nil
        output.line(
          text.joined(separator: "  ") + "  " + (line.last ?? "")
            + (problem.map { Text.problem("  PROBLEM: \(Terminal.printable($0))") } ?? ""))
      }
      if let checkpoint = table.checkpoint { output.line("live and dead as of checkpoint \(checkpoint)") }
    }
    return table.rows.contains { $0.shownProblem != nil } ? ExitStatus.found : ExitStatus.good
  }

  private static func cells(_ row: SegmentTable.Row) -> [String] {
    [
      row.segment.map(String.init) ?? "-", Text.bytes(row.fileBytes), row.blockCount.map(String.init) ?? "-",
      row.liveBytes.map(Text.bytes) ?? "-", row.deadBytes.map(Text.bytes) ?? "-",
      row.checkpoint.map(String.init) ?? "-", row.lineage.map { String($0, radix: 16) } ?? "-",
      row.footer.map { $0 == "good" ? "good" : "damaged" } ?? "-",
      Terminal.printable(row.path.split(separator: "/").last.map(String.init) ?? row.path),
    ]
  }

  private static func json(_ row: SegmentTable.Row) -> JSON {
    .object([
      "path": .text(row.path), "segment": .number(row.segment), "bytes": .number(row.fileBytes),
      "blocks": .number(row.blockCount), "treeBytes": .number(row.treeBytes), "liveBytes": .number(row.liveBytes),
      "deadBytes": .number(row.deadBytes), "checkpoint": .number(row.checkpoint),
      "lineage": .text(row.lineage.map { String($0, radix: 16) }), "list": .text(row.footer),
      "isListed": .flag(row.isListed), "problem": .text(row.problem),
    ])
  }
}

extension SegmentTable.Row {
  /// Of pages and blobs that no tree needs any more.
  fileprivate var deadBytes: UInt64? {
    guard let liveBytes, let treeBytes else { return nil }
    return treeBytes - min(treeBytes, liveBytes)
  }

  fileprivate var shownProblem: String? { problem ?? (footer == "good" ? nil : footer) }
}
