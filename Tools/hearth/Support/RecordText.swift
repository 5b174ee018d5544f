import HearthModel
import HearthStorage

/// Checkpoint records for people and as JSON.
enum RecordText {
  static func lines(_ record: RecordReport) -> [String] {
    var lines = [
      "  checkpoint \(record.number) of database \(String(record.lineage, radix: 16)): commit \(record.commitVersion) at "
        + "\(Text.time(record.commitTime)), log goes on at \(record.logPosition), next segment \(record.nextSegment)"
    ]
    for root in record.roots {
      lines.append(
        "  root of \(root.tree)  \(root.entryCount) entries, level \(root.level), segment \(root.segment) @\(root.offset)"
      )
    }
    for segment in record.segments {
      let size = segment.fileBytes == 0 ? "the one that this stands in" : Text.bytes(segment.fileBytes)
      lines.append("  segment \(segment.segment)  \(size), of checkpoint \(segment.checkpoint)")
    }
    return lines
  }

  static func json(_ record: RecordReport) -> JSON {
    .object([
      "number": .number(record.number), "lineage": .text(String(record.lineage, radix: 16)),
      "commitVersion": .number(record.commitVersion), "commitTime": .text(Text.time(record.commitTime)),
      "logPosition": .number(record.logPosition), "nextSegment": .number(record.nextSegment),
      "stateBytes": .number(record.stateBytes),
      "roots": .list(
        record.roots.map {
          .object([
            "tree": .text("\($0.tree)"), "level": .number($0.level), "entries": .number($0.entryCount),
            "segment": .number($0.segment), "offset": .number($0.offset),
          ])
        }),
      "segments": .list(
        record.segments.map {
          .object([
            "segment": .number($0.segment), "bytes": .number($0.fileBytes), "checkpoint": .number($0.checkpoint),
          ])
        }),
    ])
  }
}
