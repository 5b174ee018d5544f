import Foundation
import Testing

@testable import HearthCompare

#if canImport(FoundationXML)
import FoundationXML
#endif

struct PictureTests {
  @Test func thePictureIsWellFormed() throws {
    let svg = Picture(try ComparisonFixture.make(hearth: [4], lmdb: [2], sqlite: [1])).svg
    let parser = XMLParser(data: Data(svg.utf8))
    #expect(parser.parse(), "\(String(describing: parser.parserError))")
    #expect(svg.contains("a machine &lt;&amp;&gt;"))
    #expect(svg.contains("point read"))
    #expect(svg.contains(">2.00x<"))
  }

  @Test func theBestFillsThePanel() throws {
    let comparison = try ComparisonFixture.make(hearth: [4], lmdb: [2], sqlite: [1])
    let line = try #require(comparison.lines.first)
    let picture = Picture(comparison)
    #expect(line.cells.map { picture.share($0, in: line) } == [1, 0.25, 0.5])
  }

  @Test func theSmallestFillsThePanelOfASize() throws {
    let comparison = try ComparisonFixture.make(hearth: [4], lmdb: [2], sqlite: [1], row: "size")
    let line = try #require(comparison.lines.first)
    let picture = Picture(comparison)
    #expect(line.cells.map { picture.share($0, in: line) } == [0.25, 1, 0.5])
  }

  @Test func whatIsNotOfferedHasAWordAndNoBar() throws {
    let comparison = try ComparisonFixture.make(hearth: [nil], lmdb: [2], sqlite: [1], row: "bulk")
    let svg = Picture(comparison).svg
    #expect(svg.contains("not offered"))
    #expect(svg.components(separatedBy: "rx=\"2\"").count - 1 == 2)
  }
}
