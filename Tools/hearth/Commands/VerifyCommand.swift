import HearthCommandLine
import HearthModel
import HearthStorage

/// Checks a database in full.
enum VerifyCommand: Command {
  static let name = "verify"
  static let summary = "Check every checksum, every document and every count"
  static let usage = "hearth verify FOLDER [--json]"
  static let options = ["json": false]
  static let details = """
    It reads only. Exit status 0 means that all is well, 1 that problems were found (they are listed), 3 that the
    database can't be read at all or that acknowledged commits are damaged.

    Example: hearth verify ./db
    """

  static func run(_ words: CommandLineWords, _ output: Output) throws -> Int32 {
    let folder = try OpenDatabase.folder(words, operands: 1...1)
    let engine = try OpenDatabase.forReading(folder)
    let check = try IntegrityCheck(engine) { tree, key, value in
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
    if words.has("json") {
      output.line(
        JSON.object([
          "good": .flag(check.problems.isEmpty), "documents": .number(check.entryCounts[0]),
          "indexEntries": .number(check.entryCounts[1]), "catalogEntries": .number(check.entryCounts[2]),
          "stateBytes": .number(check.stateBytes), "problems": .list(check.problems.map { .text($0) }),
          "notes": .list(check.notes.map { .text($0) }),
        ]).text)
    } else {
      for problem in check.problems { output.line("problem: \(Terminal.printable(problem))") }
      output.line(
        check.problems.isEmpty
          ? "good: \(check.entryCounts[0]) documents, \(Text.bytes(UInt64(check.stateBytes)))"
          : "\(check.problems.count) problems in \(check.entryCounts[0]) documents")
    }
    if engine.openDamage != nil { return ExitStatus.unusable }
    return check.problems.isEmpty ? ExitStatus.good : ExitStatus.found
  }
}
