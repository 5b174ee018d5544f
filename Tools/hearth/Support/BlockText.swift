import HearthCommandLine
import HearthModel
import HearthStorage

/// Blocks of segments for people and as JSON.
enum BlockText {
  /// One line of a segment's list.
  static func line(_ block: SegmentDump.Block) -> String {
    "\(block.ordinal)  @\(block.offset)  \(block.kind)"
      + (block.tree.map { "  \($0), level \(block.level)" } ?? (block.level > 0 ? "  level \(block.level)" : ""))
      + "  \(block.byteCount) bytes"
  }

  static func json(_ block: SegmentDump.Block) -> JSON {
    .object([
      "block": .number(block.ordinal), "offset": .number(block.offset), "bytes": .number(block.byteCount),
      "kind": .text(block.kind), "tree": .text(block.tree.map { "\($0)" }), "level": .number(block.level),
      "check": .text(hex(block.check)),
    ])
  }

  /// Header and verdict.
  static func lines(_ block: BlockReport) -> [String] {
    let name = block.ordinal.map { "block \($0)" } ?? "no block of the list"
    var lines = ["\(name) at offset \(block.offset)"]
    if let kind = block.kind {
      lines.append("  kind        \(kind)" + (block.tree.map { " of \($0)" } ?? ""))
      lines.append("  level       \(block.level ?? 0)")
      lines.append("  checkpoint  \(block.checkpoint ?? 0)")
      lines.append("  stored      \(block.stored.count - BlockReport.headerBytes) bytes (\(block.codec ?? "?"))")
      lines.append("  raw         \(block.rawBytes ?? 0) bytes")
      let verdict = block.computed.map { $0 == block.checksum ? "right" : "WRONG, computed 0x\(hex($0))" }
      lines.append("  checksum    0x\(hex(block.checksum ?? 0)), \(verdict ?? "can't be computed")")
    }
    if let problem = block.problem { lines.append(Text.problem("  PROBLEM     \(Terminal.printable(problem))")) }
    return lines
  }

  static func members(_ block: BlockReport) -> [(key: String, value: JSON)] {
    [
      ("block", .number(block.ordinal)), ("offset", .number(block.offset)), ("kind", .text(block.kind)),
      ("tree", .text(block.tree.map { "\($0)" })), ("level", .number(block.level)),
      ("checkpoint", .number(block.checkpoint)), ("codec", .text(block.codec)),
      ("storedBytes", .number(block.kind.map { _ in block.stored.count - BlockReport.headerBytes })),
      ("rawBytes", .number(block.rawBytes)), ("checksum", .text(block.checksum.map(hex))),
      ("computed", .text(block.computed.map(hex))), ("problem", .text(block.problem)),
    ]
  }

  /// What is inside; of pages only a summary, which `hearth page` goes on from.
  static func contents(_ block: BlockReport) -> [String] {
    switch block.content {
    case .page(let page):
      return PageText.summary(page, block.tree)
    case .usage(let usages):
      return usages.map {
        "  segment \($0.segment)  \($0.liveCount) of \($0.blockCount) blocks alive, \(Text.bytes($0.liveBytes)), age "
          + "\($0.age)"
      }
    case .usageIndex(let items):
      return items.map { "  from segment \($0.firstSegment)  usage block in segment \($0.segment) @\($0.offset)" }
    case .checkpoint(let record): return RecordText.lines(record)
    case .other, nil: return []
    }
  }

  static func contentJSON(_ block: BlockReport) -> JSON {
    switch block.content {
    case .page(let page):
      return .object(["entries": .number(page.entryCount), "children": .number(page.children.count)])
    case .usage(let usages):
      return .list(
        usages.map {
          .object([
            "segment": .number($0.segment), "blocks": .number($0.blockCount), "live": .number($0.liveCount),
            "liveBytes": .number($0.liveBytes), "age": .number($0.age),
          ])
        })
    case .usageIndex(let items):
      return .list(
        items.map {
          .object([
            "firstSegment": .number($0.firstSegment), "segment": .number($0.segment), "offset": .number($0.offset),
          ])
        })
    case .checkpoint(let record): return RecordText.json(record)
    case .other, nil: return JSON(.null)
    }
  }

  static func hex(_ value: UInt32) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }
}
