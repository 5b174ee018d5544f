import HearthModel
import Testing

@testable import HearthStorage

/// Holds Sources/FORMAT.md to the constants of the `*Format.swift` files.
struct FormatDocumentTests {
  static let path = "Sources/FORMAT.md"
  static let document = (try? ProjectTree.text(path)) ?? ""

  /// One entry for each layout table of FORMAT.md, made of the constants that writer and reader use, as in
  /// `FormatTable("WAL frame", byteCount: WALFormat.frameHeaderBytes, ("length", WALFormat.lengthOffset, 4))`.
  static let tables: [FormatTable] = [
    FormatTable(
      "Superblock slot", byteCount: SuperblockFormat.checkedBytes,
      ("magic", SuperblockFormat.Slot.magic, 8), ("version", SuperblockFormat.Slot.version, 4),
      ("crc", SuperblockFormat.Slot.crc, 4), ("number", SuperblockFormat.Slot.number, 8),
      ("lineage", SuperblockFormat.Slot.lineage, 8), ("features", SuperblockFormat.Slot.features, 8),
      ("reserved", 40, 8), ("record", SuperblockFormat.Slot.record, BlockFormat.referenceBytes), ("reserved2", 68, 4),
      ("recordSegmentBytes", SuperblockFormat.Slot.recordSegmentBytes, 8),
      ("commitVersion", SuperblockFormat.Slot.commitVersion, 8),
      ("commitTime", SuperblockFormat.Slot.commitTime, 8), ("logPosition", SuperblockFormat.Slot.logPosition, 8),
      ("logGeneration", SuperblockFormat.Slot.logGeneration, 8), ("logChain", SuperblockFormat.Slot.logChain, 4),
      ("reserved3", 116, 4), ("stateBytes", SuperblockFormat.Slot.stateBytes, 8),
      ("entryCounts", SuperblockFormat.Slot.entryCounts, 24), ("reserved4", 152, 104)),
    FormatTable(
      "Log file header", byteCount: WALFormat.headerBytes,
      ("magic", WALFormat.Header.magic, 8), ("version", WALFormat.Header.version, 4),
      ("crc", WALFormat.Header.crc, 4), ("kind", WALFormat.Header.kind, 1), ("reserved", 17, 7),
      ("lineage", WALFormat.Header.lineage, 8), ("generation", WALFormat.Header.generation, 8),
      ("salt", WALFormat.Header.salt, 8), ("firstPosition", WALFormat.Header.firstPosition, 8),
      ("commitVersion", WALFormat.Header.commitVersion, 8), ("checkpoint", WALFormat.Header.checkpoint, 8),
      ("copiedEnd", WALFormat.Header.copiedEnd, 8), ("chain", WALFormat.Header.chain, 4), ("reserved2", 84, 4),
      ("fileBytes", WALFormat.Header.fileBytes, 8), ("reserved3", 96, 32)),
    FormatTable(
      "Frame", byteCount: WALFormat.frameHeaderBytes,
      ("crc", WALFormat.Frame.crc, 4), ("storedLength", WALFormat.Frame.storedLength, 4),
      ("kind", WALFormat.Frame.kind, 1), ("codec", WALFormat.Frame.codec, 1), ("reserved", 10, 2),
      ("rawLength", WALFormat.Frame.rawLength, 4), ("position", WALFormat.Frame.position, 8),
      ("salt", WALFormat.Frame.salt, 8), ("generation", WALFormat.Frame.generation, 8),
      ("syncedThrough", WALFormat.Frame.syncedThrough, 8), ("commitVersion", WALFormat.Frame.commitVersion, 8),
      ("commitTime", WALFormat.Frame.commitTime, 8), ("chain", WALFormat.Frame.chain, 4),
      ("operationCount", WALFormat.Frame.operationCount, 4), ("payload", WALFormat.frameHeaderBytes, nil)),
    FormatTable(
      "Block", byteCount: BlockFormat.headerBytes,
      ("crc", BlockFormat.Header.crc, 4), ("storedLength", BlockFormat.Header.storedLength, 4),
      ("rawLength", BlockFormat.Header.rawLength, 4), ("kind", BlockFormat.Header.kind, 1),
      ("codec", BlockFormat.Header.codec, 1), ("tree", BlockFormat.Header.tree, 1),
      ("level", BlockFormat.Header.level, 1), ("dictionary", BlockFormat.Header.dictionary, 2),
      ("reserved", BlockFormat.Header.reserved, 2), ("keyEpoch", BlockFormat.Header.keyEpoch, 4),
      ("checkpoint", BlockFormat.Header.checkpoint, 8), ("payload", BlockFormat.headerBytes, nil)),
    FormatTable(
      "Block reference", byteCount: BlockFormat.referenceBytes,
      ("segment", BlockFormat.Reference.segment, 8), ("unit", BlockFormat.Reference.unit, 4),
      ("byteCount", BlockFormat.Reference.byteCount, 4), ("check", BlockFormat.Reference.check, 4)),
    FormatTable(
      "Blob reference", byteCount: BlobReference.byteCount,
      ("block", 0, BlockFormat.referenceBytes), ("valueBytes", BlockFormat.referenceBytes, 4)),
    FormatTable(
      "Page", byteCount: PageFormat.headerBytes,
      ("byteCount", PageFormat.Header.byteCount, 4), ("count", PageFormat.Header.count, 4),
      ("level", PageFormat.Header.level, 1), ("flags", PageFormat.Header.flags, 1),
      ("prefixLength", PageFormat.Header.prefixLength, 2), ("lowerLength", PageFormat.Header.lowerLength, 2),
      ("upperLength", PageFormat.Header.upperLength, 2), ("entryCount", PageFormat.Header.entryCount, 8),
      ("filter", PageFormat.Header.filter, BlockFormat.referenceBytes),
      ("lowerShared", PageFormat.Header.lowerShared, 2), ("upperShared", PageFormat.Header.upperShared, 2),
      ("reserved", PageFormat.Header.reserved, 16),
      ("prefix", PageFormat.headerBytes, nil)),
    FormatTable(
      "Slot", byteCount: PageFormat.slotBytes, ("head", PageFormat.Slot.head, 4),
      ("offset", PageFormat.Slot.offset, 4)),
    FormatTable(
      "Entry", byteCount: PageFormat.entryHeaderBytes, ("suffixLength", 0, 2),
      ("content", PageFormat.entryHeaderBytes, nil)),
    FormatTable(
      "Child reference", byteCount: ChildFormat.byteCount,
      ("base", ChildFormat.base, BlockFormat.referenceBytes),
      ("delta", ChildFormat.delta, BlockFormat.referenceBytes), ("deadBytes", ChildFormat.deadBytes, 4),
      ("flags", ChildFormat.flags, 1), ("reserved", ChildFormat.reserved, 3)),
    FormatTable(
      "Segment header", byteCount: SegmentFormat.headerBytes,
      ("magic", SegmentFormat.Header.magic, 8), ("version", SegmentFormat.Header.version, 4),
      ("crc", SegmentFormat.Header.crc, 4), ("lineage", SegmentFormat.Header.lineage, 8),
      ("segment", SegmentFormat.Header.segment, 8), ("checkpoint", SegmentFormat.Header.checkpoint, 8),
      ("features", SegmentFormat.Header.features, 8), ("reserved", SegmentFormat.Header.reserved, 80)),
    FormatTable(
      "Segment footer entry", byteCount: SegmentFormat.footerEntryBytes,
      ("unit", SegmentFormat.FooterEntry.unit, 4), ("byteCount", SegmentFormat.FooterEntry.byteCount, 4),
      ("check", SegmentFormat.FooterEntry.check, 4), ("kind", SegmentFormat.FooterEntry.kind, 1),
      ("tree", SegmentFormat.FooterEntry.tree, 1), ("level", SegmentFormat.FooterEntry.level, 1),
      ("reserved", SegmentFormat.FooterEntry.reserved, 1)),
    FormatTable(
      "Segment trailer", byteCount: SegmentFormat.trailerBytes,
      ("magic", SegmentFormat.Trailer.magic, 8), ("version", SegmentFormat.Trailer.version, 4),
      ("crc", SegmentFormat.Trailer.crc, 4), ("segment", SegmentFormat.Trailer.segment, 8),
      ("footerOffset", SegmentFormat.Trailer.footerOffset, 8), ("fileBytes", SegmentFormat.Trailer.fileBytes, 8),
      ("blockCount", SegmentFormat.Trailer.blockCount, 4), ("reserved", SegmentFormat.Trailer.reserved, 20)),
    FormatTable(
      "Usage", byteCount: UsageFormat.segmentBytes,
      ("segment", UsageFormat.Segment.segment, 8), ("age", UsageFormat.Segment.age, 8),
      ("liveBytes", UsageFormat.Segment.liveBytes, 8), ("blockCount", UsageFormat.Segment.blockCount, 4),
      ("liveCount", UsageFormat.Segment.liveCount, 4), ("live", UsageFormat.segmentBytes, nil)),
    FormatTable(
      "Usage index", byteCount: UsageFormat.indexBytes,
      ("firstSegment", UsageFormat.Index.firstSegment, 8),
      ("reference", UsageFormat.Index.reference, BlockFormat.referenceBytes),
      ("reserved", UsageFormat.Index.reserved, 4)),
    FormatTable(
      "Checkpoint record", byteCount: CheckpointRecordFormat.segments,
      ("number", CheckpointRecordFormat.number, 8), ("lineage", CheckpointRecordFormat.lineage, 8),
      ("commitVersion", CheckpointRecordFormat.commitVersion, 8), ("commitTime", CheckpointRecordFormat.commitTime, 8),
      ("logPosition", CheckpointRecordFormat.logPosition, 8),
      ("logGeneration", CheckpointRecordFormat.logGeneration, 8), ("logChain", CheckpointRecordFormat.logChain, 4),
      ("segmentCount", CheckpointRecordFormat.segmentCount, 4), ("nextSegment", CheckpointRecordFormat.nextSegment, 8),
      ("stateBytes", CheckpointRecordFormat.stateBytes, 8),
      ("usageRoot", CheckpointRecordFormat.usageRoot, BlockFormat.referenceBytes),
      ("reserved", CheckpointRecordFormat.reserved, 4),
      ("roots", CheckpointRecordFormat.roots, CheckpointRecordFormat.rootBytes * TreeID.allCases.count),
      ("segments", CheckpointRecordFormat.segments, nil)),
    FormatTable(
      "Root", byteCount: CheckpointRecordFormat.rootBytes,
      ("entryCount", CheckpointRecordFormat.Root.entryCount, 8), ("level", CheckpointRecordFormat.Root.level, 1),
      ("reserved", CheckpointRecordFormat.Root.reserved, 7),
      ("child", CheckpointRecordFormat.Root.child, ChildFormat.byteCount)),
    FormatTable(
      "Listed segment", byteCount: CheckpointRecordFormat.segmentBytes,
      ("segment", CheckpointRecordFormat.Segment.segment, 8),
      ("fileBytes", CheckpointRecordFormat.Segment.fileBytes, 8),
      ("checkpoint", CheckpointRecordFormat.Segment.checkpoint, 8)),
    FormatTable(
      "Document", byteCount: DocumentFormat.headerBytes,
      ("format", 0, 1), ("version", DocumentFormat.versionOffset, 8),
      ("updateTime", DocumentFormat.updateTimeOffset, 8), ("createTime", DocumentFormat.createTimeOffset, 8),
      ("fields", DocumentFormat.headerBytes, nil)),
  ]

  @Test func everyTableOfTheDocumentAgreesWithTheCode() {
    for difference in Self.tables.flatMap({ $0.differences(from: Self.document) }) {
      Issue.record("\(difference)")
    }
  }

  @Test func everyLayoutTableOfTheDocumentIsCompared() {
    let compared = Set(Self.tables.map(\.heading))
    for table in MarkdownTable.all(in: Self.document) where FormatTable.isLayout(table) {
      #expect(
        compared.contains(table.heading),
        "FORMAT.md has a layout table under \"\(table.heading)\": add it to FormatDocumentTests.tables")
    }
  }

  @Test func theExampleOfAKeyIsTheKey() throws {
    let line = try #require(Self.document.split(separator: "\n").first { $0.hasPrefix("Example: `") })
    let parts = line.split(separator: "`")
    let digits = parts[2].split { !$0.isHexDigit }.filter { $0.count == 2 && $0 != "is" }
    #expect(KeySchema.key(of: try DocumentKey(String(parts[1]))) == digits.compactMap { UInt8($0, radix: 16) })
  }

  static let sample = """
    ## Record

    | offset | size | field |
    | --- | --- | --- |
    | 0 | 4 | `length` of the payload in bytes |
    | 4 | 4 | `checksum` |
    | 8 | n | `payload` |
    """

  @Test func aTableThatAgreesHasNoDifferences() {
    let table = FormatTable("Record", byteCount: 8, ("length", 0, 4), ("checksum", 4, 4), ("payload", 8, nil))
    #expect(table.differences(from: Self.sample) == [])
  }

  @Test func everyDisagreementIsNamed() {
    let moved = FormatTable("Record", byteCount: 8, ("length", 0, 4), ("checksum", 8, 4), ("payload", 8, nil))
    #expect(
      moved.differences(from: Self.sample) == [
        "Record, field 2: FORMAT.md says checksum at 4, size 4, the code checksum at 8, size 4"
      ])
    let missing = FormatTable("Record", byteCount: 10, ("length", 0, 4), ("checksum", 4, 4))
    #expect(
      missing.differences(from: Self.sample) == [
        "Record, field 3: FORMAT.md says payload at 8, size variable, the code nothing",
        "Record: sizes in FORMAT.md add up to 8, the code says 10",
      ])
    let absent = FormatTable("Frame", byteCount: 0)
    #expect(absent.differences(from: Self.sample) == ["FORMAT.md has 0 layout tables under \"Frame\", not 1"])
  }

  @Test func gapsAndOverlapsAreFaults() {
    let gap = FormatTable.layoutFaults(
      "R",
      [
        .init(name: "a", offset: 0, size: 4), .init(name: "b", offset: 6, size: 1),
        .init(name: "c", offset: 6, size: 1),
      ])
    #expect(
      gap == ["R: b is at 6, the field before ends at 4", "R: c is at 6, the field before ends at 7"])
    let variable = FormatTable.layoutFaults(
      "R", [.init(name: "a", offset: 0, size: nil), .init(name: "b", offset: 0, size: 1)])
    #expect(variable == ["R: a has no fixed size but fields follow it"])
  }
}
