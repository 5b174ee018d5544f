import Testing

/// The part of the style that a machine can check. Each finding names its remedy.
struct TidyTests {
  static let textFiles = ProjectTree.files.filter { path in
    let name = path.split(separator: "/").last.map(String.init) ?? path
    let textual = [".swift", ".md", ".c", ".h", ".json", ".modulemap", ".txt", ".jsonl"]
    return !name.contains(".") || name.hasPrefix(".") || textual.contains { name.hasSuffix($0) }
  }

  @Test func nothingIsLeftToFix() throws {
    let mark = "FIX" + "ME"
    for file in Self.textFiles where try ProjectTree.text(file).contains(mark) {
      Issue.record("\(file) holds a \(mark): do it, or say in a comment what would trigger doing it")
    }
  }

  /// Paths of one machine and addresses of registries make files that work, or make sense, in one place alone.
  @Test func nothingNamesOneMachine() throws {
    let marks = [
      "/work" + "/", "/tmp" + "/", "/ho" + "me/", "/Us" + "ers/", "deb.deb" + "ian.org", "py" + "pi.org",
      "registry.np" + "mjs",
    ]
    for file in Self.textFiles where !file.hasPrefix("Tests/") {
      let text = try ProjectTree.text(file)
      for mark in marks where text.contains(mark) {
        Issue.record("\(file) names \(mark): use a relative path, an option, or a package's plain name")
      }
    }
  }

  @Test func everySwiftFileBelongsToATarget() {
    #expect(!ProjectTree.swiftFiles.isEmpty)
    let own = ProjectTree.swiftFiles.filter { $0 != "Package.swift" && !ProjectTree.isInNestedPackage($0) }
    for file in own where PackageTarget.owner(of: file) == nil {
      Issue.record("\(file) is in no target's folder: move it, or add the target to Package.swift")
    }
  }

  @Test func everyTargetHasFiles() {
    for target in PackageTarget.all {
      #expect(
        ProjectTree.files.contains { $0.hasPrefix(target.folder + "/") },
        "\(target.name) has no file in \(target.folder): remove it from Package.swift")
    }
  }

  /// The library must not end its user's process by a shortcut; `precondition` with a message is for broken invariants.
  @Test func theLibraryHasNoTraps() throws {
    for file in ProjectTree.swiftFiles where file.hasPrefix("Sources/") {
      let code = SwiftSource(try ProjectTree.text(file)).code
      if code.contains("try!") || code.contains("fatalError(") {
        Issue.record("\(file) uses try! or fatalError: throw a typed error, or check an invariant with precondition")
      }
    }
  }
}
