import HearthCommandLine
import HearthModel
import HearthStorage

/// Shows one file of a database, whatever it is, without the database.
enum FileCommand: Command {
  static let name = "file"
  static let summary = "Show what one file of a database is and holds"
  static let usage = "hearth file FILE [--limit N] [--json]"
  static let options = ["limit": true, "json": false]
  static let details = """
    FILE is told by what is in it, not by its name: superblocks, a log file or base, a segment. It need not be in a
    database's folder, and may be damaged. Exit status 1 means that something in it is, 3 that it is no file of ours.

      --limit N    list N blocks of a segment (20 unless said otherwise)
      --json       one JSON object

    Examples: hearth file ./db/SUPER
              hearth file ./db/segments/000003.seg --limit 100
    """

  static func run(_ words: CommandLineWords, _ output: Output) throws -> Int32 {
    let path = InspectedFile.path(try OpenDatabase.folder(words, operands: 1...1, what: "file"))
    let limit = try words.integer("limit", in: 0...Int.max) ?? 20
    switch try DatabaseFile.kind(of: path, fileSystem: POSIXFileSystem()) {
    case .superblocks: return try showSlots(path, words, output)
    case .log: return try showLog(path, words, output)
    default: return try showSegment(try InspectedFile.segment(path), limit, words, output)
    }
  }

  private static func showSlots(_ path: String, _ words: CommandLineWords, _ output: Output) throws -> Int32 {
    let slots = try DatabaseFile.slots(path, fileSystem: POSIXFileSystem())
    if words.has("json") {
      let list = slots.map { slot in
        JSON.object([
          "index": .number(slot.index), "state": .text(slot.state), "number": .number(slot.number),
          "commitVersion": .number(slot.commitVersion), "logPosition": .number(slot.logPosition),
          "lineage": .text(slot.lineage.map { String($0, radix: 16) }),
        ])
      }
      output.line(JSON.object(["file": .text(path), "kind": .text("superblocks"), "slots": .list(list)]).text)
    } else {
      output.line("superblocks \(Terminal.printable(path))")
      for slot in slots {
        let text =
          slot.number.map {
            "checkpoint \($0), commit \(slot.commitVersion ?? 0), log from \(slot.logPosition ?? 0), database "
              + String(slot.lineage ?? 0, radix: 16)
          } ?? slot.state
        output.line("  slot \(slot.index)  \(text)")
      }
    }
    return slots.contains { $0.state != "valid" && $0.state != "empty" } ? ExitStatus.found : ExitStatus.good
  }

  private static func showLog(_ path: String, _ words: CommandLineWords, _ output: Output) throws -> Int32 {
    var header: WALFileReport?
    var (frames, operations, gaps, problems) = (0, 0, 0, 0)
    var versions: ClosedRange<UInt64>?
    Interrupt.watch()
    try WALDump.read(path, fileSystem: POSIXFileSystem()) { item in
      switch item {
      case .header(let report): header = report
      case .frame(let frame):
        frames += 1
        operations += Int(frame.operationCount)
        if frame.problem != nil { problems += 1 }
        let version = frame.commitVersion
        versions = versions.map { min($0.lowerBound, version)...max($0.upperBound, version) } ?? version...version
      case .gap: gaps += 1
      case .unwritten: break
      }
      return !Interrupt.isRequested
    }
    if Interrupt.isRequested { return ExitStatus.interrupted }
    if words.has("json") {
      output.line(
        JSON.object([
          "file": .text(path), "kind": .text(header?.kind ?? "log"), "bytes": .number(header?.fileBytes),
          "problem": .text(header?.problem), "lineage": .text(header?.lineage.map { String($0, radix: 16) }),
          "generation": .number(header?.generation), "firstPosition": .number(header?.firstPosition),
          "checkpoint": .number(header?.checkpoint), "records": .number(frames), "operations": .number(operations),
          "firstVersion": .number(versions?.lowerBound), "lastVersion": .number(versions?.upperBound),
          "gaps": .number(gaps), "unreadable": .number(problems),
        ]).text)
    } else {
      output.line("\(header?.kind ?? "log") \(Terminal.printable(path))  \(Text.bytes(header?.fileBytes ?? 0))")
      if let problem = header?.problem { output.line(Text.problem("  PROBLEM  \(Terminal.printable(problem))")) }
      if let header, header.kind != nil {
        output.line(
          "  database \(String(header.lineage ?? 0, radix: 16)), generation \(header.generation ?? 0), from position "
            + "\(header.firstPosition ?? 0), checkpoint \(header.checkpoint ?? 0)")
      }
      output.line(
        "  \(frames) records of \(operations) operations"
          + (versions.map { ", commits \($0.lowerBound) to \($0.upperBound)" } ?? ""))
      if problems + gaps > 0 { output.line("  \(problems) unreadable records, \(gaps) gaps; hearth wal shows them") }
    }
    return header?.problem != nil || problems + gaps > 0 ? ExitStatus.found : ExitStatus.good
  }

  private static func showSegment(
    _ segment: SegmentDump, _ limit: Int, _ words: CommandLineWords, _ output: Output
  ) throws -> Int32 {
    let kinds = Dictionary(grouping: segment.blocks, by: \.kind).sorted { $0.key < $1.key }
    if words.has("json") {
      output.line(
        JSON.object([
          "file": .text(segment.path), "kind": .text("segment"), "bytes": .number(segment.fileBytes),
          "segment": .number(segment.segment), "lineage": .text(String(segment.lineage, radix: 16)),
          "checkpoint": .number(segment.checkpoint), "headerProblem": .text(segment.headerProblem),
          "listProblem": .text(segment.footerProblem), "blockCount": .number(segment.blocks.count),
          "kinds": JSON(.object(kinds.map { ($0.key, .number($0.value.count)) })),
          "blocks": .list(segment.blocks.prefix(limit).map(BlockText.json)),
        ]).text)
    } else {
      output.line("segment \(Terminal.printable(segment.path))  \(Text.bytes(segment.fileBytes))")
      if let problem = segment.headerProblem {
        output.line(Text.problem("  PROBLEM  \(Terminal.printable(problem))"))
      } else {
        output.line(
          "  segment \(segment.segment) of database \(String(segment.lineage, radix: 16)), written for checkpoint "
            + "\(segment.checkpoint)")
      }
      if let problem = segment.footerProblem {
        output.line(
          Text.problem("  PROBLEM  \(Terminal.printable(problem)); blocks found one by one up to \(segment.blocksEnd)"))
      }
      for (kind, blocks) in kinds {
        output.line("  \(blocks.count) \(kind) blocks, \(Text.bytes(blocks.reduce(0) { $0 + UInt64($1.byteCount) }))")
      }
      for block in segment.blocks.prefix(limit) { output.line("    \(BlockText.line(block))") }
      if segment.blocks.count > limit { output.line("    … \(segment.blocks.count - limit) more") }
    }
    return segment.headerProblem ?? segment.footerProblem == nil ? ExitStatus.good : ExitStatus.found
  }
}
