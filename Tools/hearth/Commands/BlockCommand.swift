import HearthCommandLine
import HearthModel
import HearthStorage

/// Shows one block of a segment.
enum BlockCommand: Command {
  static let name = "block"
  static let summary = "Show one block of a segment: header, checksum, what is in it"
  static let usage = "hearth block FILE NUMBER|@OFFSET [--hex] [--json]"
  static let options = ["hex": false, "json": false]
  static let details = """
    NUMBER is the block's place in the list that `hearth file` shows, from 0; @OFFSET is any place in the file, in bytes
    (@0x2000 too). What is wrong is said; exit status 1 means that something is.

      --hex     header and payload as stored, and the payload decoded where that is another
      --json    one JSON object

    Examples: hearth block ./db/segments/000003.seg 0
              hearth block ./db/segments/000003.seg @8192 --hex
    """

  static func run(_ words: CommandLineWords, _ output: Output) throws -> Int32 {
    let path = try OpenDatabase.folder(words, operands: 2...2, what: "file")
    let segment = try InspectedFile.segment(path)
    let block = try InspectedFile.block(words.operands[1], in: segment)
    if words.has("json") {
      var members = BlockText.members(block)
      members.append(("content", BlockText.contentJSON(block)))
      if words.has("hex") {
        members.append(("stored", .text(Text.hex(block.stored))))
        members.append(("raw", .text(Text.hex(block.raw))))
      }
      output.line(JSON(.object([("file", .text(segment.path))] + members)).text)
    } else {
      output.line(Terminal.printable(segment.path))
      for line in BlockText.lines(block) + BlockText.contents(block) { output.line(line) }
      if words.has("hex") {
        output.line("stored")
        for line in Text.hexDump(block.stored, from: block.offset) { output.line("  " + line) }
        if block.codec != "raw", !block.raw.isEmpty {
          output.line("decoded")
          for line in Text.hexDump(block.raw, from: 0) { output.line("  " + line) }
        }
      }
    }
    return block.problem == nil ? ExitStatus.good : ExitStatus.found
  }
}
