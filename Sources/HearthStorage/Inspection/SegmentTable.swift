/// The segments of a database at a glance, with what is alive in them where a checkpoint tells.
package struct SegmentTable: Sendable {
  package struct Row: Sendable {
    package let path: String
    package let fileBytes: UInt64
    /// From the header.
    package let segment: UInt64?
    package let lineage: UInt64?
    package let checkpoint: UInt64?
    package let blockCount: Int?
    /// Of pages and blobs, which is what usage counts, headers included.
    package let treeBytes: UInt64?
    /// `good`, or what is wrong with the list of blocks; `nil` when the file was not looked into.
    package let footer: String?
    /// What is wrong with the file otherwise.
    package let problem: String?
    /// As the newest checkpoint's usage counts; `nil` when it does not tell of the segment.
    package let liveBytes: UInt64?
    /// Whether the newest checkpoint lists it.
    package let isListed: Bool
  }

  package let rows: [Row]
  /// The checkpoint that `liveBytes` is from.
  package let checkpoint: UInt64?

  /// - Throws: `.notFound` for a folder that is not there, and what reading folders throws.
  package init(_ folder: String, fileSystem: any FileSystem) throws(StorageError) {
    let directory = SegmentDirectory(database: folder, fileSystem: fileSystem)
    guard try fileSystem.kind(of: folder) == .directory else {
      throw StorageError(.notFound, "there is no database here", file: folder)
    }
    guard try fileSystem.kind(of: directory.path) == .directory else {
      (rows, checkpoint) = ([], nil)
      return
    }
    let found = try CheckpointCheck.checkpoint(of: folder, directory)
    let usages = found.map { SegmentTable.usages($0.record, directory) } ?? [:]
    var rows: [Row] = []
    for name in try fileSystem.contents(ofDirectory: directory.path) where SegmentDirectory.number(of: name) != nil {
      let path = directory.path + "/" + name
      do throws(StorageError) {
        rows.append(Row(try SegmentDump(path, fileSystem: fileSystem), name, found?.record, usages))
      } catch {
        // A file that was there a moment ago is one that the writer beside needs no more.
        if error.code != .notFound { rows.append(Row(path, problem: error.description)) }
      }
    }
    self.rows = rows
    checkpoint = found?.record.number
  }

  /// Live bytes by segment, as far as usage can be read.
  private static func usages(_ record: CheckpointRecord, _ directory: SegmentDirectory) -> [UInt64: UInt64] {
    var live: [UInt64: UInt64] = [:]
    func add(_ reference: BlockReference, mayBeIndex: Bool) throws(StorageError) {
      let reader = try SegmentReader.open(directory, segment: reference.place.segment, lineage: record.lineage)
      try reader.withRaw(reference, expecting: .usage) { (header, raw) throws(StorageError) in
        if header.level == 0 {
          for usage in try SegmentUsage.read(raw) { live[usage.segment] = usage.liveBytes }
        } else if mayBeIndex {
          for item in try UsageIndex.read(raw) { try? add(item.reference, mayBeIndex: false) }
        }
      }
    }
    if let root = record.usageRoot { try? add(root, mayBeIndex: true) }
    return live
  }
}

extension SegmentTable.Row {
  init(_ dump: SegmentDump, _ name: String, _ record: CheckpointRecord?, _ usages: [UInt64: UInt64]) {
    path = dump.path
    fileBytes = dump.fileBytes
    let hasHeader = dump.headerProblem == nil
    segment = hasHeader ? dump.segment : nil
    lineage = hasHeader ? dump.lineage : nil
    checkpoint = hasHeader ? dump.checkpoint : nil
    blockCount = dump.blocks.count
    treeBytes = dump.blocks.reduce(0) { $0 + ($1.tree == nil ? 0 : UInt64($1.byteCount)) }
    footer = dump.footerProblem ?? "good"
    let isFresh = name.hasSuffix(SegmentDirectory.freshSuffix)
    let isForeign = record.map { $0.lineage != dump.lineage } ?? false
    problem =
      dump.headerProblem
      ?? (SegmentDirectory.number(of: name) != dump.segment
        ? "it holds segment \(dump.segment)"
        : isForeign ? "it is of another database" : isFresh ? "being written, or left by a crash" : nil)
    isListed = record?.segments.contains { $0.segment == dump.segment } ?? false
    liveBytes = hasHeader && isListed && !isForeign ? usages[dump.segment] : nil
  }

  init(_ path: String, problem: String) {
    self.path = path
    self.problem = problem
    fileBytes = 0
    (segment, lineage, checkpoint, blockCount, treeBytes, footer, liveBytes) = (nil, nil, nil, nil, nil, nil, nil)
    isListed = false
  }
}
