import HearthCommandLine
import HearthModel
import HearthStorage

/// Sizes, counts and health at a glance, from the files alone and then from the state they give.
enum InfoCommand: Command {
  static let name = "info"
  static let summary = "Show what a database holds and how it is stored"
  static let usage = "hearth info FOLDER [--json]"
  static let options = ["json": false]
  static let details = """
    It reads only, also while another program has the database open.

      --json    one JSON object for programs

    Example: hearth info ./db
    """

  static func run(_ words: CommandLineWords, _ output: Output) throws -> Int32 {
    let folder = try OpenDatabase.folder(words, operands: 1...1)
    let report = try DatabaseReport(folder, fileSystem: POSIXFileSystem())
    var engine: StorageEngine?
    var damage: (any Error)?
    do {
      engine = try OpenDatabase.forReading(folder)
      damage = engine?.openDamage
    } catch {
      damage = error
    }
    let view = try engine?.view()
    let counts = try view.map { view in try TreeID.allCases.map { try view.count($0) } }
    if words.has("json") {
      output.line(json(report, view, counts, damage: damage).text)
    } else {
      for line in lines(report, view, counts, damage: damage) { output.line(line) }
    }
    if engine == nil, let damage { return ExitStatus.of(damage) }
    return damage == nil ? ExitStatus.good : ExitStatus.unusable
  }

  private static func json(
    _ report: DatabaseReport, _ view: View?, _ counts: [Int]?, damage: (any Error)?
  ) -> JSON {
    .object([
      "folder": .text(report.directory),
      "documents": .number(counts?[0]), "indexEntries": .number(counts?[1]), "catalogEntries": .number(counts?[2]),
      "commitVersion": .number(view?.version), "commitTime": .text(view.map { Text.time($0.commitTime) }),
      "damage": .text(damage.map { "\($0)" }), "problems": .list(report.problems.map { .text($0.description) }),
      "bytes": .number(report.files.reduce(0) { $0 + $1.report.fileBytes }),
      "lockedBy": report.lockHolder.map { .object(["pid": .number($0.processID), "host": .text($0.host)]) }
        ?? JSON(.null),
      "slots": .list(
        report.slots.map { slot in
          .object([
            "index": .number(slot.index), "state": .text(slot.state), "number": .number(slot.number),
            "commitVersion": .number(slot.commitVersion), "logPosition": .number(slot.logPosition),
            "stateBytes": .number(slot.stateBytes),
          ])
        }),
      "files": .list(
        report.files.map { file in
          .object([
            "path": .text(file.path), "kind": .text(file.report.kind), "bytes": .number(file.report.fileBytes),
            "problem": .text(file.report.problem), "firstPosition": .number(file.report.firstPosition),
            "generation": .number(file.report.generation),
          ])
        }),
      "foreignNames": .list(report.foreignNames.map { .text($0) }),
    ])
  }

  private static func lines(
    _ report: DatabaseReport, _ view: View?, _ counts: [Int]?, damage: (any Error)?
  ) -> [String] {
    var lines = ["Hearth database \(Terminal.printable(report.directory))"]
    if let view, let counts {
      lines.append("  documents        \(counts[0])")
      if counts[1] > 0 { lines.append("  index entries    \(counts[1])") }
      if counts[2] > 0 { lines.append("  catalog entries  \(counts[2])") }
      lines.append(
        "  last commit      \(view.version)" + (view.version > 0 ? " at \(Text.time(view.commitTime))" : ""))
    }
    lines.append(
      "  open for writing "
        + (report.lockHolder.map { "by process \($0.processID) on \(Terminal.printable($0.host))" } ?? "by nobody"))
    if let damage {
      lines.append(
        (view == nil ? "  UNREADABLE       " : "  DAMAGED          ") + Terminal.printableMessage("\(damage)"))
    }
    for problem in report.problems where "\(problem)" != damage.map({ "\($0)" }) {
      lines.append("  problem          \(Terminal.printableMessage("\(problem)"))")
    }
    lines.append("  files            \(Text.bytes(report.files.reduce(0) { $0 + $1.report.fileBytes }))")
    for file in report.files {
      let what = file.report.kind ?? "?"
      let problem = file.report.problem.map { "  (\($0))" } ?? ""
      let name = file.path.split(separator: "/").last.map(String.init) ?? file.path
      lines.append("    \(Terminal.printable(name))  \(what)  \(Text.bytes(file.report.fileBytes))\(problem)")
    }
    for slot in report.slots where slot.state != "empty" {
      let number = slot.number.map { "checkpoint \($0), commit \(slot.commitVersion ?? 0)" } ?? slot.state
      let state =
        slot.hasCheckpoint.map { $0 ? ", \(Text.bytes(slot.stateBytes ?? 0)) of keys and values" : ", nothing yet" }
        ?? ""
      lines.append("  slot \(slot.index)           \(number)\(state)")
    }
    for name in report.foreignNames { lines.append("  not ours         \(Terminal.printable(name))") }
    return lines
  }
}
