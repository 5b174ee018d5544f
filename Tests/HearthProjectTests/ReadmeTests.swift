import Testing

struct ReadmeTests {
  /// The lines of the fenced block that follows a heading.
  static func block(under heading: String) throws -> [String] {
    let lines = try ProjectTree.text("README.md").split(separator: "\n", omittingEmptySubsequences: false)
    let start = try #require(lines.firstIndex { $0.hasPrefix("#") && $0.hasSuffix(" \(heading)") }, "no \(heading)")
    let fence = try #require(lines[start...].firstIndex { $0.hasPrefix("```") })
    return lines[(fence + 1)...].prefix { !$0.hasPrefix("```") }.map(String.init)
  }

  @Test func aNewcomerNeedsExactlyTwoCommands() throws {
    #expect(try Self.block(under: "Two commands") == ["Tools/demo", "Tools/test"])
  }

  @Test func linksLeadToFiles() throws {
    let text = try ProjectTree.text("README.md")
    var links = 0
    for part in text.split(separator: "](").dropFirst() {
      let target = String(part.prefix { $0 != ")" && $0 != "#" })
      if target.isEmpty || target.contains("://") { continue }
      links += 1
      #expect(ProjectTree.exists(target), "README.md links to \(target), which is not there")
    }
    #expect(links > 0)
  }

  @Test func commandsAreProgramsOfTheProject() throws {
    for line in try Self.block(under: "Commands") + Self.block(under: "Two commands") {
      let command = line.prefix { $0 != " " }
      if command.hasPrefix("Tools/") || command.hasPrefix("Benchmarks/") {
        #expect(ProjectTree.isExecutable(String(command)), "README.md names \(command), which cannot be run")
      } else {
        #expect(
          command == "swift" || command.hasPrefix("HEARTH_"), "README.md shows a command that is not ours: \(line)")
      }
    }
  }
}
