import Testing

/// The table of Tests/README.md names tests; one that was renamed or removed must not stay in it.
struct BugLogTableTests {
  @Test func everyTestOfTheTableExists() throws {
    let tables = MarkdownTable.all(in: try ProjectTree.text("Tests/README.md"))
    let table = try #require(tables.first { $0.heading == "Bug log" })
    let sources = try ProjectTree.files.filter { $0.hasPrefix("Tests/") && $0.hasSuffix("Tests.swift") }
      .map { try ProjectTree.text($0) }
    let cells = try #require(table.column("tests"))
    #expect(cells.count > 40)
    for cell in cells {
      let names = MarkdownTable.names(in: cell)
      #expect(!names.isEmpty, "a row without a test: \(cell)")
      for name in names {
        let parts = name.split(separator: ".")
        try #require(parts.count == 2, "\(name) is no Suite.test")
        #expect(
          sources.contains { $0.contains("struct \(parts[0])") && $0.contains("func \(parts[1])(") },
          "Tests/README.md names the test \(name), which is not there")
      }
    }
  }
}
