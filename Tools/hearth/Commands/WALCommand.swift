import Foundation
import HearthCommandLine
import HearthModel
import HearthStorage

/// Shows the records of log files, whole or damaged.
enum WALCommand: Command {
  static let name = "wal"
  static let summary = "Show log files record by record, also damaged ones"
  static let usage = "hearth wal FOLDER|FILE [--hex] [--limit N] [--json]"
  static let options = ["hex": false, "limit": true, "json": false]
  static let details = """
    FOLDER is a database, whose files are shown one after the other; FILE is one of them, or any file: what is no record
    is shown as a gap with the reason, and reading goes on behind it. Exit status 1 means that there was one, or that a
    file can't be read.

      --hex        the stored bytes of each record, too
      --limit N    end after N records
      --json       one JSON object a line

    Examples: hearth wal ./db --limit 5
              hearth wal ./db/wal/000002.wal --hex
    """

  static func run(_ words: CommandLineWords, _ output: Output) throws -> Int32 {
    let path = try OpenDatabase.folder(words, operands: 1...1)
    let limit = try words.integer("limit", in: 1...Int.max) ?? .max
    let fileSystem = POSIXFileSystem()
    var paths = [path]
    var problems: [StorageError] = []
    if try fileSystem.kind(of: path) == .directory {
      let report = try DatabaseReport(path, fileSystem: fileSystem)
      paths = report.files.map(\.path)
      problems = report.problems
    } else {
      // A file of a database is never a link, but the way that a person names one may be.
      paths = [URL(fileURLWithPath: path).resolvingSymlinksInPath().path]
    }
    Interrupt.watch()
    for problem in problems { HearthTool.complain(Terminal.printableMessage("\(problem)")) }
    var printer = WALPrinter(output, isJSON: words.has("json"), hasHex: words.has("hex"), limit: limit)
    for path in paths where !printer.isDone && !Interrupt.isRequested {
      printer.begin(path)
      try WALDump.read(path, fileSystem: fileSystem) { item in
        printer.show(item)
        return !printer.isDone && !Interrupt.isRequested
      }
    }
    if Interrupt.isRequested { return ExitStatus.interrupted }
    return printer.hasProblems || !problems.isEmpty ? ExitStatus.found : ExitStatus.good
  }
}

/// Prints what a log file holds, for people or as JSON lines.
private struct WALPrinter {
  private let output: Output
  private let isJSON: Bool
  private let hasHex: Bool
  private let limit: Int
  private var path = ""
  private var count = 0
  private(set) var hasProblems = false

  init(_ output: Output, isJSON: Bool, hasHex: Bool, limit: Int) {
    self.output = output
    self.isJSON = isJSON
    self.hasHex = hasHex
    self.limit = limit
  }

  var isDone: Bool { count >= limit }

  mutating func begin(_ path: String) {
    self.path = path
    if !isJSON { output.line(Terminal.printable(path)) }
  }

  mutating func show(_ item: WALDump.Item) {
    switch item {
    case .header(let report): showHeader(report)
    case .frame(let frame): showFrame(frame)
    case .gap(let offset, let end, let reason):
      // The unused rest of a log that was recycled or torn is ordinary; what it means only recovery can say.
      if isJSON {
        output.line(
          JSON.object([
            "file": .text(path), "type": .text("gap"), "offset": .number(offset), "end": .number(end),
            "reason": .text(reason),
          ]).text)
      } else {
        output.line("  @\(offset)…\(end)  no record: \(Terminal.printable(reason))")
      }
      hasProblems = true
    case .unwritten(let offset):
      if !isJSON { output.line("  @\(offset)  nothing written from here on") }
    }
  }

  private mutating func showHeader(_ report: WALFileReport) {
    if let problem = report.problem, problem != "unused" { hasProblems = true }
    if isJSON {
      output.line(
        JSON.object([
          "file": .text(path), "type": .text("header"), "kind": .text(report.kind), "problem": .text(report.problem),
          "bytes": .number(report.fileBytes), "generation": .number(report.generation),
          "firstPosition": .number(report.firstPosition), "commitVersion": .number(report.commitVersion),
          "checkpoint": .number(report.checkpoint), "copiedEnd": .number(report.copiedEnd),
          "lineage": .text(report.lineage.map { String($0, radix: 16) }),
        ]).text)
    } else if let kind = report.kind {
      output.line(
        "  \(kind), \(Text.bytes(report.fileBytes)), generation \(report.generation ?? 0), from position "
          + "\(report.firstPosition ?? 0), after commit \(report.commitVersion ?? 0), checkpoint \(report.checkpoint ?? 0)"
          + (report.copiedEnd.map { $0 > 0 ? ", copied through \($0)" : "" } ?? "")
          + (report.problem.map { "  PROBLEM: \($0)" } ?? ""))
    } else {
      output.line("  \(Text.bytes(report.fileBytes)): \(report.problem ?? "")")
    }
  }

  private mutating func showFrame(_ frame: WALFrameReport) {
    count += 1
    if frame.problem != nil { hasProblems = true }
    if isJSON {
      output.line(json(frame).text)
      return
    }
    output.line(
      "  @\(frame.offset)  \(frame.kind) \(frame.commitVersion)  \(Text.time(frame.commitTime))  "
        + "\(frame.operationCount) operations, \(frame.byteCount) bytes (\(frame.codec)), position \(frame.position), "
        + "synced through \(frame.syncedThrough)" + (frame.problem.map { "  PROBLEM: \($0)" } ?? ""))
    for operation in frame.operations {
      output.line("      \(operation.kind) \(operation.tree) \(Self.describe(operation))")
    }
    if hasHex { for line in Text.hexDump(frame.payload, from: frame.offset + 72) { output.line("      " + line) } }
  }

  private func json(_ frame: WALFrameReport) -> JSON {
    var members: [(key: String, value: JSON)] = [
      ("file", .text(path)), ("type", .text(frame.kind)), ("offset", .number(frame.offset)),
      ("bytes", .number(frame.byteCount)), ("codec", .text(frame.codec)), ("position", .number(frame.position)),
      ("syncedThrough", .number(frame.syncedThrough)), ("generation", .number(frame.generation)),
      ("commitVersion", .number(frame.commitVersion)), ("commitTime", .text(Text.time(frame.commitTime))),
      ("problem", .text(frame.problem)),
      (
        "operations",
        .list(
          frame.operations.map { operation in
            .object([
              "kind": .text(operation.kind), "tree": .text("\(operation.tree)"),
              "path": .text(try? KeySchema.document(of: operation.key).path), "key": .text(Text.hex(operation.key)),
              "valueBytes": .number(operation.value.count), "oldBytes": .number(operation.oldSize),
              "data": Self.document(operation).map { TypedJSON.json($0.fields) } ?? JSON(.null),
            ])
          })
      ),
    ]
    if hasHex { members.append(("payload", .text(Text.hex(frame.payload)))) }
    return JSON(.object(members))
  }

  private static func document(_ operation: WALFrameReport.Operation) -> Document? {
    guard operation.tree == .documents, operation.kind != "remove",
      let key = try? KeySchema.document(of: operation.key)
    else { return nil }
    return try? DocumentCodec.decode(operation.value, key: key)
  }

  private static func describe(_ operation: WALFrameReport.Operation) -> String {
    guard operation.tree == .documents, let key = try? KeySchema.document(of: operation.key) else {
      return "key \(Text.hex(operation.key)), \(operation.value.count) bytes"
    }
    let data = document(operation).map { TypedJSON.json($0.fields).text }
    return "\(Terminal.printable(key.path))" + (operation.kind == "remove" ? "" : "  \(data ?? "unreadable document")")
  }
}
