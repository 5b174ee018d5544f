import HearthCommandLine
import HearthModel
import HearthStorage

/// Prints every document of a database, of a collection with all below it, or of a document with all below it.
enum DumpCommand: Command {
  static let name = "dump"
  static let summary = "Print all documents, or those below a path, as typed JSON lines"
  static let usage = "hearth dump FOLDER [PATH] [--limit N] [--json]"
  static let options = ["limit": true, "json": false]
  static let details = """
    One document a line, in the order of the tree, as `hearth cat` prints it; all lines show one moment. Everything
    outside printable ASCII is escaped. It is the same with and without --json.

      --limit N    end after N documents

    Examples: hearth dump ./db > all.ndjson
              hearth dump ./db countries --limit 10
              hearth dump ./db | hearth load ./copy
    """

  static func run(_ words: CommandLineWords, _ output: Output) throws -> Int32 {
    let folder = try OpenDatabase.folder(words, operands: 1...2)
    let limit = try words.integer("limit", in: 1...Int.max) ?? .max
    let path = words.operands.count > 1 ? OpenDatabase.trimmed(words.operands[1]) : nil
    let engine = try OpenDatabase.forReading(folder)
    Interrupt.watch()
    var count = 0
    var unreadable = 0
    for range in try ranges(path) where count < limit {
      try engine.view().scan(.documents, range) { key, value in
        if Interrupt.isRequested { return false }
        do {
          let document = try DocumentCodec.decode(value, key: try KeySchema.document(of: key))
          output.line(DocumentLine.json(document).text)
          count += 1
        } catch {
          unreadable += 1
          HearthTool.complain(
            "skipped an unreadable document (key \(Text.hex(key))): \(Terminal.printableMessage("\(error)"))")
        }
        return count < limit
      }
    }
    if Interrupt.isRequested { return ExitStatus.interrupted }
    if let path, count == 0, unreadable == 0 { HearthTool.complain("there is nothing at \(Terminal.printable(path))") }
    if engine.openDamage != nil { return ExitStatus.unusable }
    return unreadable > 0 || (count == 0 && path != nil) ? ExitStatus.found : ExitStatus.good
  }

  private static func ranges(_ path: String?) throws -> [KeyRange] {
    guard let path else { return [.everything] }
    if path.utf8.split(separator: UInt8(ascii: "/")).count % 2 == 0 {
      let document = try DocumentKey(path)
      let key = KeySchema.key(of: document)
      let below = KeySchema.everything(below: document)
      return [KeyRange(lower: key, upper: key + [0]), KeyRange(lower: below.lower, upper: below.upper)]
    }
    let interval = KeySchema.everything(in: try CollectionPath(path))
    return [KeyRange(lower: interval.lower, upper: interval.upper)]
  }
}
