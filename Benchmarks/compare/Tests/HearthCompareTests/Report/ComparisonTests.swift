import Foundation
import Testing

@testable import HearthCompare

struct ComparisonTests {
  @Test func hearthIsComparedWithTheBestPeer() throws {
    let comparison = try ComparisonFixture.make(hearth: [10, 30, 20], lmdb: [8, 9, 10], sqlite: [1, 2, 3])
    let line = try #require(comparison.lines.first)
    #expect(line.bestPeer == .lmdb)
    #expect(try #require(line.ratioToBestPeer) == 20.0 / 9)
  }

  @Test func theBestPeerOfASizeIsTheSmallest() throws {
    let comparison = try ComparisonFixture.make(hearth: [10], lmdb: [30], sqlite: [20], row: "size")
    let line = try #require(comparison.lines.first)
    #expect(line.bestPeer == .sqlite)
    #expect(line.ratioToBestPeer == 2)
  }

  @Test func anAbsenceInOneRoundLeavesNoFigure() throws {
    let comparison = try ComparisonFixture.make(hearth: [10, nil], lmdb: [8, 9], sqlite: [1, 2])
    let line = try #require(comparison.lines.first)
    #expect(line.cells[0].statistics == nil)
    #expect(line.cells[0].shortAbsence == "not offered")
    #expect(line.ratioToBestPeer == nil)
  }

  @Test func theTableShowsMediansSpreadAndRatio() throws {
    let text = try ComparisonFixture.make(hearth: [1000, 2000, 3000], lmdb: [500, 1000, 1000], sqlite: [10, 10, 10])
      .text
    let row = try #require(text.split(separator: "\n").first { $0.hasPrefix("point read") })
    #expect(row.contains("2000/s ±50 %"))
    #expect(row.contains("1000/s ±25 %"))
    #expect(row.hasSuffix("2.00x"))
  }

  @Test func differencesAreSaidLoudly() throws {
    var comparison = try ComparisonFixture.make(hearth: [1], lmdb: [1], sqlite: [1])
    comparison.differences = ["read, round 1: LMDB answers otherwise"]
    #expect(comparison.text.contains("DIFFER"))
    #expect(comparison.text.contains("LMDB answers otherwise"))
  }

  @Test func theJSONHoldsEverything() throws {
    let comparison = try ComparisonFixture.make(hearth: [1, 2], lmdb: [1, nil], sqlite: [3, 4])
    let read = try JSONDecoder().decode(Comparison.self, from: Data(comparison.json.utf8))
    #expect(read == comparison)
  }

  @Test func stagesWithTheSameSettingsShareALine() {
    let groups = Comparison.groups(["hot": "a", "load": "a", "durable": "b"])
    #expect(groups.map(\.0) == ["load, hot", "durable"])
    #expect(groups.map(\.1) == ["a", "b"])
  }
}
