import HearthCommandLine
import HearthModel
import HearthStorage

/// Shows one page of a tree, entry by entry.
enum PageCommand: Command {
  static let name = "page"
  static let summary = "Show one page of a tree: its entries or its children"
  static let usage = "hearth page FILE NUMBER|@OFFSET [--hex] [--limit N] [--json]"
  static let options = ["hex": false, "limit": true, "json": false]
  static let details = """
    The block is named as for `hearth block`. Documents are shown by their path and as typed JSON, other keys and values
    in hexadecimal; long ones are cut, except with --json. Exit status 1 means that the block is damaged or no page.

      --hex        the page's bytes, too; with --json each value's
      --limit N    end after N entries or children (100 unless said otherwise)
      --json       one JSON object

    Examples: hearth page ./db/segments/000003.seg 0 --limit 5
              hearth page ./db/segments/000003.seg @8192 --json
    """

  static func run(_ words: CommandLineWords, _ output: Output) throws -> Int32 {
    let path = try OpenDatabase.folder(words, operands: 2...2, what: "file")
    let limit = try words.integer("limit", in: 0...Int.max) ?? 100
    let segment = try InspectedFile.segment(path)
    let block = try InspectedFile.block(words.operands[1], in: segment)
    var page: PageReport?
    if case .page(let found) = block.content { page = found }
    if words.has("json") {
      let content = page.map { PageText.json($0, block.tree, limit: limit, hasHex: words.has("hex")) } ?? JSON(.null)
      output.line(
        JSON(.object([("file", .text(segment.path))] + BlockText.members(block) + [("page", content)])).text)
    } else {
      output.line(Terminal.printable(segment.path))
      for line in BlockText.lines(block) { output.line(line) }
      if let page { show(page, block.tree, limit, output) }
      if words.has("hex") {
        for line in Text.hexDump(page == nil ? block.stored : block.raw, from: page == nil ? block.offset : 0) {
          output.line("  " + line)
        }
      }
    }
    if page == nil, block.problem == nil {
      output.flush()
      HearthTool.complain("this is a \(block.kind ?? "?") block and no page; hearth block shows it")
    }
    return page == nil ? ExitStatus.found : ExitStatus.good
  }

  private static func show(_ page: PageReport, _ tree: TreeID?, _ limit: Int, _ output: Output) {
    for line in PageText.summary(page, tree) { output.line(line) }
    for (index, entry) in page.entries.prefix(limit).enumerated() { output.line(PageText.line(index, entry, tree)) }
    for (index, child) in page.children.prefix(limit).enumerated() { output.line(PageText.line(index, child, tree)) }
    let more = page.entries.count + page.children.count - limit
    if more > 0 { output.line("  … \(more) more") }
  }
}
