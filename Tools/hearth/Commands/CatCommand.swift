import HearthCommandLine
import HearthDatabase
import HearthModel
import HearthStorage

/// Prints single documents.
enum CatCommand: Command {
  static let name = "cat"
  static let summary = "Print documents as typed JSON, one a line"
  static let usage = "hearth cat FOLDER DOCUMENT... [--json]"
  static let options = ["json": false]
  static let details = """
    A line is {"path":…,"data":{…},"createTime":…,"updateTime":…,"version":…}; `hearth load` reads it. Values that JSON
    lacks are objects with one key, as {"timestamp":"2016-05-20T10:20:00Z"}. It is the same with and without --json.

    Example: hearth cat ./db countries/DE countries/FR
    """

  static func run(_ words: CommandLineWords, _ output: Output) throws -> Int32 {
    let folder = try OpenDatabase.folder(words, operands: 2...Int.max)
    let engine = try OpenDatabase.forReading(folder)
    let reader = DocumentReader(view: try engine.view())
    var status = ExitStatus.good
    for path in words.operands.dropFirst() {
      if let document = try reader.document(try DocumentKey(path)) {
        output.line(DocumentLine.json(document).text)
      } else {
        output.flush()
        HearthTool.complain("there is no document \(Terminal.printable(path))")
        status = ExitStatus.found
      }
    }
    // What is not there may be behind the damage.
    return engine.openDamage == nil ? status : ExitStatus.unusable
  }
}
