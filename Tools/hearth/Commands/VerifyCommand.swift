import Foundation
import HearthCommandLine
import HearthModel
import HearthStorage

/// Checks a database in full.
enum VerifyCommand: Command {
  static let name = "verify"
  static let summary = "Check every checksum, every document and every count"
  static let usage = "hearth verify FOLDER [--quick|--full] [--json]"
  static let options = ["quick": false, "full": false, "json": false]
  static let details = """
    It reads only. Exit status 0 means that all is well, 1 that problems were found (they are listed), 3 that the
    database can't be read at all or that acknowledged commits are damaged.

      --full     all blocks, all documents, all counts; so it is without an option, too
      --quick    the log, the checkpoint with its segments and lists, inner pages, usage; leaves and documents are not
                 looked into
      --json     one JSON object for programs

    Examples: hearth verify ./db
              hearth verify ./db --quick
    """

  static func run(_ words: CommandLineWords, _ output: Output) throws -> Int32 {
    let folder = try OpenDatabase.folder(words, operands: 1...1)
    let isQuick = words.has("quick")
    if isQuick, words.has("full") { throw CommandLineWords.UsageError("--quick and --full exclude each other") }
    Interrupt.watch()
    // Before the database is opened, which damage may prevent.
    let checkpoint = try checkCheckpoint(folder, isQuick ? .quick : .full)
    if Interrupt.isRequested { return ExitStatus.interrupted }
    let isJSON = words.has("json")
    if !isJSON { for line in lines(checkpoint) { output.line(line) } }
    let engine: StorageEngine
    do {
      engine = try OpenDatabase.forReading(folder)
    } catch {
      if isJSON, let checkpoint {
        output.line(
          JSON.object(["good": .flag(false), "problems": .list([.text("\(error)")]), "checkpoint": json(checkpoint)])
            .text)
      }
      throw error
    }
    let check = try isQuick ? State(counting: engine) : State(reading: engine)
    let count = check.problems.count + (checkpoint?.findings.count ?? 0)
    if isJSON {
      output.line(
        JSON.object([
          "good": .flag(count == 0), "documents": .number(check.entryCounts[0]),
          "indexEntries": .number(check.entryCounts[1]), "catalogEntries": .number(check.entryCounts[2]),
          "stateBytes": .number(check.stateBytes), "problems": .list(check.problems.map { .text($0) }),
          "notes": .list(check.notes.map { .text($0) }), "checkpoint": checkpoint.map(json) ?? JSON(.null),
        ]).text)
    } else {
      for problem in check.problems { output.line("problem: \(Terminal.printable(problem))") }
      output.line(
        count == 0
          ? "good: \(check.entryCounts[0]) documents" + (check.stateBytes.map { ", \(Text.bytes(UInt64($0)))" } ?? "")
          : "\(count) problems in \(check.entryCounts[0]) documents")
    }
    if engine.openDamage != nil { return ExitStatus.unusable }
    return count == 0 ? ExitStatus.good : ExitStatus.found
  }

  /// What the opened database holds.
  private struct State {
    var problems: [String]
    var notes: [String]
    var entryCounts: [Int]
    /// `nil` when the entries were not read.
    var stateBytes: Int?

    init(counting engine: StorageEngine) throws {
      problems = engine.openDamage.map { [$0.description] } ?? []
      notes = engine.openNotes
      let view = try engine.view()
      entryCounts = try TreeID.allCases.map { try view.count($0) }
    }

    init(reading engine: StorageEngine) throws {
      let check = try IntegrityCheck(engine, inspect: VerifyCommand.problem)
      (problems, notes, entryCounts) = (check.problems, check.notes, check.entryCounts)
      stateBytes = check.stateBytes
    }
  }

  /// What is wrong with an entry.
  private static func problem(
    _ tree: TreeID, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
  ) -> String? {
    guard tree == .documents else { return nil }
    do {
      let document = try KeySchema.document(of: key)
      guard KeySchema.key(of: document).elementsEqual(key) else {
        return "document \(document.path.quotedForMessage): its key is not in normal form"
      }
      _ = try DocumentCodec.decode(value, key: document)
      return nil
    } catch {
      return "document with key \(Text.hex(key)): \(error)"
    }
  }

  // MARK: Checkpoint

  private static func checkCheckpoint(_ folder: String, _ depth: CheckReport.Depth) throws -> CheckReport? {
    var shown = -1
    let report = try CheckpointCheck.run(folder, fileSystem: POSIXFileSystem(), depth: depth) { progress in
      let percent = Int(progress.bytes * 100 / max(1, progress.bytesInAll))
      if Terminal.hasProgress, percent > shown {
        shown = percent
        FileHandle.standardError.write(Data("\rchecked \(percent) %".utf8))
      }
      return !Interrupt.isRequested
    }
    if shown >= 0 { FileHandle.standardError.write(Data("\r\u{1B}[K".utf8)) }
    return report
  }

  private static func lines(_ report: CheckReport?) -> [String] {
    guard let report else { return [] }
    var lines = report.findings.items.map { finding in
      let path = finding.keyPrefix.flatMap { KeyText.path(finding.tree, $0) }
      return Text.problem(
        "problem: \(Terminal.printableMessage(finding.description))"
          + (path.map { " [from \(Terminal.printable($0))]" } ?? ""))
    }
    if report.findings.furtherCount > 0 { lines.append("… and \(report.findings.furtherCount) more") }
    let bytes = report.segments.reduce((live: 0, dead: 0) as (UInt64, UInt64)) {
      ($0.0 + $1.liveBytes, $0.1 + $1.deadBytes)
    }
    lines.append(
      "checkpoint \(report.checkpoint), commit \(report.commitVersion): \(report.pageCount) pages in "
        + "\(report.segments.count) segments, \(Text.bytes(bytes.0)) alive, \(Text.bytes(bytes.1)) dead")
    return lines
  }

  private static func json(_ report: CheckReport) -> JSON {
    .object([
      "number": .number(report.checkpoint), "commitVersion": .number(report.commitVersion),
      "depth": .text(report.depth.rawValue), "pages": .number(report.pageCount),
      "entriesRead": .number(report.entriesRead), "furtherFindings": .number(report.findings.furtherCount),
      "findings": .list(
        report.findings.items.map { finding in
          .object([
            "kind": .text(finding.kind.rawValue), "severity": .text(finding.severity.rawValue),
            "message": .text(finding.message), "meaning": .text(finding.meaning), "file": .text(finding.file),
            "offset": .number(finding.offset), "block": .number(finding.block),
            "tree": .text(finding.tree.map { "\($0)" }), "level": .number(finding.level),
            "keyPrefix": .text(finding.keyPrefix.map { Text.hex($0) }),
          ])
        }),
      "segments": .list(
        report.segments.map {
          .object([
            "segment": .number($0.segment), "bytes": .number($0.fileBytes), "blocks": .number($0.blockCount),
            "live": .number($0.liveCount), "liveBytes": .number($0.liveBytes), "deadBytes": .number($0.deadBytes),
          ])
        }),
    ])
  }
}
