import Foundation
import Hearth
import Testing

/// Compiles and runs the example of README.md. The lines between the marks are the README's, indentation aside.
struct ReadmeExampleTests {
  @Test func theExampleOfTheReadmeRunsAndSaysWhatItShould() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("hearth-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    var printed: [String] = []
    func print(_ items: String...) { printed.append(items.joined(separator: " ")) }

    // README begins.
    let db = try Firestore.open(at: folder)
    let cities = db.collection("cities")
    try await cities.document("ZRH").setData(["name": "Zürich", "population": 443_037])
    try await cities.document("GVA").setData(["name": "Genève", "population": 203_856])
    try await cities.document("BSL").setData(["name": "Basel", "population": 173_863])
    let large = cities.whereField("population", isGreaterThan: 200_000).order(by: "population", descending: true)
    for city in try await large.getDocuments().documents {
      print(city.documentID, city["name"] as? String ?? "")
    }
    try await db.terminate()
    // README ends.

    #expect(printed == ["ZRH Zürich", "GVA Genève"])
  }

  @Test func theReadmeShowsTheCodeThatThisTestRuns() throws {
    let source = try ProjectTree.text("Tests/HearthProjectTests/ReadmeExampleTests.swift")
    let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
    let start = try #require(lines.firstIndex { $0.hasSuffix("// README begins.") })
    let end = try #require(lines.firstIndex { $0.hasSuffix("// README ends.") })
    let run = lines[(start + 1)..<end].map { String($0.dropFirst(4)) }
    let shown = try ReadmeTests.block(under: "Example").filter { !$0.hasPrefix("import ") && !$0.isEmpty }
    #expect(shown == run)
  }
}
