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

      --json    one JSON string a line

    Examples: hearth ls ./db
              hearth ls ./db countries
              hearth ls ./db countries/DE
    """

  static func run(_ words: CommandLineWords, _ output: Output) throws -> Int32 {
    let folder = try OpenDatabase.folder(words, operands: 1...2)
    let reader = DocumentReader(view: try OpenDatabase.forReading(folder).view())
    let path = words.operands.count > 1 ? OpenDatabase.trimmed(words.operands[1]) : ""
    var count = 0
    func show(_ path: String, _ mark: String) {
      count += 1
      output.line(words.has("json") ? JSON.text(path).text : Terminal.printable(path) + mark)
    }
    let segments = path.utf8.split(separator: UInt8(ascii: "/")).count
    if path.isEmpty || segments % 2 == 0 {
      for collection in try reader.collections(below: path.isEmpty ? nil : try DocumentKey(path)) {
        if Interrupt.isRequested { return ExitStatus.interrupted }
        show(collection.path, "/")
      }
    } else {
      for (key, exists) in try reader.documentKeys(in: try CollectionPath(path)) {
        if Interrupt.isRequested { return ExitStatus.interrupted }
        show(key.path, exists ? "" : "  (absent)")
      }
    }
    return count > 0 || path.isEmpty ? ExitStatus.good : ExitStatus.found
  }
}
