import HearthCommandLine
import HearthDatabase
import HearthModel
import HearthStorage

/// Lists collections, or the documents of one.
enum ListCommand: Command {
  static let name = "ls"
  static let summary = "List collections, or the documents of a collection"
  static let usage = "hearth ls FOLDER [PATH] [--json]"
  static let options = ["json": false]
  static let details = """
    Without PATH it lists the root collections; with a document's path the collections below it; with a collection's
    path its documents. Names end in / where something lies below; (absent) marks a document that is not there itself.

      --json    {"path":…,"exists":…,"hasMore":…} a line: whether the document is there, and whether something lies below

    Examples: hearth ls ./db
              hearth ls ./db countries
              hearth ls ./db countries/DE
    """

  static func run(_ words: CommandLineWords, _ output: Output) throws -> Int32 {
    let folder = try OpenDatabase.folder(words, operands: 1...2)
    let engine = try OpenDatabase.forReading(folder)
    let reader = DocumentReader(view: try engine.view())
    let operand = words.operands.count > 1 ? OpenDatabase.trimmed(words.operands[1]) : ""
    let path = operand == "/" ? "" : operand
    var count = 0
    func show(_ path: String, exists: Bool?, hasMore: Bool) {
      count += 1
      if words.has("json") {
        output.line(JSON.object(["path": .text(path), "exists": .flag(exists), "hasMore": .flag(hasMore)]).text)
      } else {
        output.line(Terminal.printable(path) + (hasMore ? "/" : "") + (exists == false ? "  (absent)" : ""))
      }
    }
    let segments = path.utf8.split(separator: UInt8(ascii: "/")).count
    if path.isEmpty || segments % 2 == 0 {
      for collection in try reader.collections(below: path.isEmpty ? nil : try DocumentKey(path)) {
        show(collection.path, exists: nil, hasMore: true)
      }
    } else {
      for found in try reader.documentKeys(in: try CollectionPath(path)) {
        show(found.key.path, exists: found.exists, hasMore: found.hasMore)
      }
    }
    if count == 0, !path.isEmpty { HearthTool.complain("there is nothing below \(Terminal.printable(path))") }
    if engine.openDamage != nil { return ExitStatus.unusable }
    return count > 0 || path.isEmpty ? ExitStatus.good : ExitStatus.found
  }
}
