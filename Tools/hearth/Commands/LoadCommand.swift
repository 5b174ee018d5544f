import Foundation
import HearthCommandLine
import HearthDatabase
import HearthModel

/// Reads documents as typed JSON lines into a database.
enum LoadCommand: Command {
  static let name = "load"
  static let summary = "Write documents from typed JSON lines"
  static let usage = "hearth load FOLDER [FILE] [--batch N] [--json]"
  static let options = ["batch": true, "json": false]
  static let details = """
    FILE (standard input when missing or -) holds what `hearth dump` prints: {"path":…,"data":{…}} a line; other keys are
    ignored, times and versions are the loading commit's. A document that exists is replaced. FOLDER is created if
    missing. A line that can't be read ends the load: batches before it are kept, and the message names the line. So does
    Ctrl-C, after the batch begun. Blank lines are skipped. Progress is shown on standard error if that is a terminal.

      --batch N    documents in one commit (500)
      --json       a JSON object at the end instead of a sentence

    Examples: hearth load ./db all.ndjson
              zcat all.ndjson.gz | hearth load ./db
    """

  static func run(_ words: CommandLineWords, _ output: Output) throws -> Int32 {
    let folder = try OpenDatabase.folder(words, operands: 1...2)
    let batchSize = try words.integer("batch", in: 1...100_000) ?? 500
    let source = words.operands.count > 1 ? words.operands[1] : "-"
    let lines = try LineReader(path: source)
    let database = try Database.open(at: folder)
    Interrupt.watch()
    var count = 0
    var batch: [Mutation] = []
    var failure: (any Error)?
    func commit() throws {
      if batch.isEmpty { return }
      try database.commit(batch)
      count += batch.count
      batch.removeAll(keepingCapacity: true)
      if isatty(2) == 1 { FileHandle.standardError.write(Data("\r\(count) documents".utf8)) }
    }
    do {
      while !Interrupt.isRequested, let line = try lines.next() {
        if line.allSatisfy(isSpace) { continue }
        do {
          // Editors of some systems put a byte order mark in front of a file.
          let hasMark = lines.number == 1 && line.starts(with: [0xEF, 0xBB, 0xBF])
          let (key, fields) = try DocumentLine.parse(hasMark ? Array(line.dropFirst(3)) : line)
          batch.append(try Mutation.set(key, .value(.map(fields))))
        } catch let error {
          throw ModelError.invalidArgument(
            "line \(lines.number) of \(source == "-" ? "standard input" : source): \(error.message)")
        }
        if batch.count >= batchSize { try commit() }
      }
      try commit()
    } catch {
      failure = error
    }
    do { try database.close() } catch { failure = failure ?? error }
    if isatty(2) == 1, count > 0 { FileHandle.standardError.write(Data("\n".utf8)) }
    if words.has("json") {
      output.line(
        JSON.object(["documents": .number(count), "complete": .flag(failure == nil && !Interrupt.isRequested)]).text)
    } else {
      output.line("\(count) documents written to \(Terminal.printable(folder))")
    }
    if let failure { throw failure }
    return Interrupt.isRequested ? ExitStatus.interrupted : ExitStatus.good
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
}
