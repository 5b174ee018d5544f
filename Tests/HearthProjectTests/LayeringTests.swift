import Testing

/// Holds the code to the tables of Sources/ARCHITECTURE.md. The compiler alone does not: an import reached through
/// another target passes silently.
struct LayeringTests {
  static let tables = MarkdownTable.all(in: (try? ProjectTree.text("Sources/ARCHITECTURE.md")) ?? "")

  static func table(_ heading: String) throws -> MarkdownTable {
    try #require(
      tables.first { $0.heading == heading }, "Sources/ARCHITECTURE.md has no table under a heading \"\(heading)\"")
  }

  struct Layer {
    var name: String
    var folder: String
    var mayImport: Set<String>
  }

  static func layers() throws -> [Layer] {
    let table = try table("Layers")
    let (names, folders) = (try #require(table.column("target")), try #require(table.column("folder")))
    let imports = try #require(table.column("may import"))
    return try names.indices.map { row in
      Layer(
        name: try #require(MarkdownTable.names(in: names[row]).first),
        folder: try #require(MarkdownTable.names(in: folders[row]).first),
        mayImport: Set(MarkdownTable.names(in: imports[row])))
    }
  }

  /// Module to the layers it is open to; "everything" opens it to all.
  static func systemModules() throws -> [String: Set<String>] {
    let table = try table("System modules")
    let (modules, layers) = (try #require(table.column("module")), try #require(table.column("open to")))
    var open: [String: Set<String>] = [:]
    for row in modules.indices {
      let names = layers[row] == "everything" ? ["*"] : MarkdownTable.names(in: layers[row])
      for module in MarkdownTable.names(in: modules[row]) { open[module, default: []].formUnion(names) }
    }
    return open
  }

  @Test func everyTargetButTestsHasARowAndTheSameFolder() throws {
    let rows = try Self.layers().map { "\($0.name) in \($0.folder)" }
    let targets = PackageTarget.all.filter { !$0.isTest }.map { "\($0.name) in \($0.folder)" }
    #expect(!targets.isEmpty)
    for target in targets where !rows.contains(target) {
      Issue.record("Package.swift has \(target), the table \"Layers\" does not: add a row or mend the folder")
    }
    for row in rows where !targets.contains(row) {
      Issue.record("The table \"Layers\" has \(row), Package.swift does not: remove the row or mend the folder")
    }
  }

  @Test func rowsImportOnlyRowsAbove() throws {
    var above: Set<String> = []
    for layer in try Self.layers() {
      let below = layer.mayImport.subtracting(above)
      #expect(below.isEmpty, "\(layer.name) may import \(below.sorted()), which have no row above it")
      above.insert(layer.name)
    }
  }

  @Test func everyImportIsAllowed() throws {
    let layers = try Self.layers()
    let system = try Self.systemModules()
    var files = 0
    for file in ProjectTree.swiftFiles {
      guard let layer = layers.first(where: { file.hasPrefix($0.folder + "/") }) else { continue }
      files += 1
      for module in SwiftSource(try ProjectTree.text(file)).imports {
        let open = system[module, default: []]
        let isAllowed = layer.mayImport.contains(module) || open.contains("*") || open.contains(layer.name)
        if !isAllowed {
          Issue.record(
            "\(file) imports \(module), which \(layer.name) may not: move the code, or change the table on purpose")
        }
      }
    }
    #expect(files > 0)
  }

  @Test func storageFoldersUseOnlyWhatTheirRowNames() throws {
    let table = try Self.table("Storage folders")
    let folders = try #require(table.column("folder")).compactMap { MarkdownTable.names(in: $0).first }
    let mayUse = try #require(table.column("may use")).map { Set(MarkdownTable.names(in: $0)) }
    let storage = "Sources/HearthStorage/"
    var sources: [(folder: String, file: String, source: SwiftSource)] = []
    var homes: [String: (folder: String, file: String)] = [:]
    for path in ProjectTree.swiftFiles where path.hasPrefix(storage) {
      let parts = path.dropFirst(storage.count).split(separator: "/").map(String.init)
      guard parts.count == 2 else {
        Issue.record("\(path): files of HearthStorage live in one folder each, one level deep")
        continue
      }
      let source = SwiftSource(try ProjectTree.text(path))
      let stem = String(parts[1].dropLast(".swift".count).prefix { $0 != "+" })
      sources.append((parts[0], parts[1], source))
      for type in source.topLevelTypes { homes[type] = (parts[0], "\(parts[0])/\(stem)") }
    }
    #expect(!sources.isEmpty)
    for (folder, file, source) in sources {
      guard let row = folders.firstIndex(of: folder) else {
        Issue.record("\(storage)\(folder) has no row in the table \"Storage folders\": add one")
        continue
      }
      // A nested type hides one of the same name elsewhere.
      for word in source.words.subtracting(source.nestedTypes) {
        guard let home = homes[word], home.folder != folder else { continue }
        if !mayUse[row].contains(home.folder), !mayUse[row].contains(home.file) {
          Issue.record(
            "\(folder)/\(file) uses \(word) of \(home.file), which its row does not name: move one of them, or change the table on purpose"
          )
        }
      }
    }
  }
}
