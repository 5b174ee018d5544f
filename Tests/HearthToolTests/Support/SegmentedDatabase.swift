@testable import HearthStorage

/// A folder with a checkpoint in one segment and nothing else, always the same; or a real database with its segment.
struct SegmentedDatabase {
  let directory: SegmentDirectory
  let blocks: [SegmentBlock]

  var path: String { directory.filePath(1) }

  init(_ folder: String) throws {
    let fileSystem = POSIXFileSystem()
    _ = try fileSystem.createDirectory(folder)
    _ = try fileSystem.createDirectory(folder + "/segments")
    directory = SegmentDirectory(database: folder, fileSystem: fileSystem)
    let writer = try SegmentWriter(directory, segment: 1, lineage: 0xABCD, checkpoint: 2)
    let sizing = PageSizing(targetBytes: 400, countMin: 3)
    let entries = (0..<40).map { (key: [UInt8]("index\(100 + $0)".utf8), value: [UInt8(7)]) }
    var roots: [TreeRoot?] = []
    for (tree, entries) in [(TreeID.documents, []), (.indexes, entries)] {
      let builder = TreeBuilder(writer, tree, sizing: sizing)
      for (key, value) in entries {
        try key.withKeyBytes { key in try value.withUnsafeBytes { try builder.append(key, $0) } }
      }
      roots.append(try builder.finish())
    }
    let usage = SegmentUsage.encode([SegmentUsage(segment: 1, age: 2, blocks: writer.blocks)])
    let usageRoot = try usage.withUnsafeBytes { try writer.append($0, kind: .usage, tree: nil) }
    let record = CheckpointRecord(
      number: 2, lineage: 0xABCD, commitVersion: 9, commitTime: 0, logPosition: 4096, logGeneration: 1, logChain: 5,
      nextSegment: 2, stateBytes: 360, usageRoot: usageRoot, roots: roots + [nil],
      segments: [.init(segment: 1, fileBytes: 0, checkpoint: 2)])
    _ = try record.encoded().withUnsafeBytes { try writer.append($0, kind: .checkpoint, tree: nil) }
    blocks = writer.blocks
    _ = try writer.finish()
  }

  /// The sample of a tool, whose documents are all in its first segment.
  init(sample tool: Tool) throws {
    try tool.loadSample()
    directory = SegmentDirectory(database: tool.database, fileSystem: POSIXFileSystem())
    blocks = try SegmentReader.open(directory, segment: 1).listBlocks().blocks
  }
}
