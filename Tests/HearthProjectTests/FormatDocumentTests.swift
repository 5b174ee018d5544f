import HearthStorage
import Testing

/// Holds Sources/FORMAT.md to the constants of the `*Format.swift` files.
struct FormatDocumentTests {
  static let path = "Sources/FORMAT.md"
  static let document = (try? ProjectTree.text(path)) ?? ""

  /// One entry for each layout table of FORMAT.md, made of the constants that writer and reader use, as in
  /// `FormatTable("WAL frame", byteCount: WALFormat.frameHeaderBytes, ("length", WALFormat.lengthOffset, 4))`.
  static let tables: [FormatTable] = []

  @Test(.enabled(if: ProjectTree.exists(path))) func everyTableOfTheDocumentAgreesWithTheCode() {
    for difference in Self.tables.flatMap({ $0.differences(from: Self.document) }) {
      Issue.record("\(difference)")
    }
  }

  @Test(.enabled(if: ProjectTree.exists(path))) func everyLayoutTableOfTheDocumentIsCompared() {
    let compared = Set(Self.tables.map(\.heading))
    for table in MarkdownTable.all(in: Self.document) where FormatTable.isLayout(table) {
      #expect(
        compared.contains(table.heading),
        "FORMAT.md has a layout table under \"\(table.heading)\": add it to FormatDocumentTests.tables")
    }
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
