import HearthTestSupport

@testable import HearthStorage

/// A checkpoint of two segments: documents in segment 5; in segment 6 index entries, a dead page, usage of two levels and
/// the record. All of it can be changed before it is written, so that every checksum is right.
struct CheckpointSample {
  /// What a test changes; each is called when its part is made, before it is written.
  struct Changes {
    /// A raw page of the documents, leaves first; `moved` are the references to those that are written already.
    var page: (_ index: Int, _ page: inout [UInt8], _ moved: [BlockReference]) -> Void = { _, _, _ in }
    var usages: (inout [SegmentUsage], _ blocks: [UInt64: [SegmentBlock]]) -> Void = { _, _ in }
    var usageBytes: (inout [UInt8]) -> Void = { _ in }
    var record: (inout CheckpointRecord) -> Void = { _ in }
  }

  var directory: SegmentDirectory
  var record: CheckpointRecord
  var place: BlockReference
  /// By segment.
  var blocks: [UInt64: [SegmentBlock]]

  static let sizing = PageSizing(targetBytes: 400, grownBytesMax: 16 << 10, countMin: 3)

  static func entries(_ count: Int) -> [PageSamples.Entry] {
    (0..<count).map {
      PageSamples.Entry(key: [UInt8]("key\(1000 + $0)".utf8), value: [UInt8](repeating: UInt8($0 & 255), count: 9))
    }
  }

  init(count: Int = 300, changing changes: Changes = Changes()) throws {
    let tree = try SampleTree(Self.entries(count), sizing: Self.sizing)
    directory = try SegmentSamples.directory()
    let documents = try SegmentWriter(directory, segment: 5, lineage: SegmentSamples.lineage, checkpoint: 3)
    let root = try Self.rewrite(tree, into: documents, changes.page)
    var blocks = [5 as UInt64: documents.blocks]
    let documentsFile = try documents.finish()

    let rest = try SegmentWriter(directory, segment: 6, lineage: SegmentSamples.lineage, checkpoint: 4)
    let indexes = TreeBuilder(rest, .indexes, sizing: Self.sizing)
    for entry in Self.entries(100) {
      try entry.key.withKeyBytes { try indexes.append($0, UnsafeRawBufferPointer(start: nil, count: 0)) }
    }
    let indexRoot = try indexes.finish()
    let dead = try SegmentSamples.append([UInt8](repeating: 9, count: 200), to: rest)
    blocks[6] = rest.blocks
    var usages = [5, 6 as UInt64].map { SegmentUsage(segment: $0, age: $0 - 2, blocks: blocks[$0]!) }
    usages[1].kill(rest.blocks.count - 1, byteCount: dead.byteCount)
    changes.usages(&usages, blocks)
    var usageBytes = SegmentUsage.encode(usages)
    changes.usageBytes(&usageBytes)
    let first = try SegmentSamples.append(usageBytes, .usage, to: rest)
    let index = UsageIndex.encode([UsageIndex.Item(firstSegment: usages.first?.segment ?? 5, reference: first)])
    let usageRoot = try index.withUnsafeBytes { try rest.append($0, kind: .usage, tree: nil, level: 1) }
    record = CheckpointRecord(
      number: 4, lineage: SegmentSamples.lineage, commitVersion: 77, commitTime: 1, logPosition: 4096, logGeneration: 1,
      logChain: 5, nextSegment: 7, stateBytes: 4800, usageRoot: usageRoot, roots: [root, indexRoot, nil],
      segments: [
        .init(segment: 5, fileBytes: documentsFile.fileBytes, checkpoint: 3),
        .init(segment: 6, fileBytes: 0, checkpoint: 4),
      ])
    changes.record(&record)
    place = try SegmentSamples.append(record.encoded(), .checkpoint, to: rest)
    blocks[6] = rest.blocks
    self.blocks = blocks
    _ = try rest.finish()
  }

  /// Writes a tree's pages anew, from the leaves up, each with the new references to those below.
  private static func rewrite(
    _ tree: SampleTree, into writer: SegmentWriter, _ change: (Int, inout [UInt8], [BlockReference]) -> Void
  ) throws -> TreeRoot? {
    let source = try SegmentSamples.open(tree.directory)
    var moved: [BlockReference: BlockReference] = [:]
    var order: [BlockReference] = []
    for (index, block) in tree.blocks.enumerated() {
      var page = try SegmentSamples.read(source, block.reference)
      page.withUnsafeMutableBytes { buffer in
        let reader = PageReader(unchecked: UnsafeRawPointer(buffer.baseAddress!))
        guard !reader.isLeaf else { return }
        for child in 0..<reader.count {
          moved[reader.child(child).base]?.encode(to: buffer.baseAddress! + childOffset(reader, child))
        }
      }
      change(index, &page, order)
      let reference = try page.withUnsafeBytes {
        try writer.append($0, kind: .page, tree: .documents, level: block.level)
      }
      moved[block.reference] = reference
      order.append(reference)
    }
    guard var root = tree.root else { return nil }
    root.child.base = try moved[root.child.base].unwrapped()
    return root
  }

  static func childOffset(_ page: PageReader, _ child: Int) -> Int {
    (page.slots - page.start) + (page.count + 1) * (PageFormat.slotBytes + PageFormat.countBytes)
      + child * ChildFormat.byteCount
  }

  static func countsOffset(_ page: PageReader) -> Int {
    (page.slots - page.start) + (page.count + 1) * PageFormat.slotBytes
  }

  func check(
    _ depth: CheckReport.Depth = .full, findingsMax: Int = 200,
    onProgress: @escaping (CheckReport.Progress) -> Bool = { _ in true }
  ) -> CheckReport {
    let (readers, failures) = CheckpointCheck.open(record, directory)
    return TreeCheck(
      record, at: place, readers, failures: failures, depth: depth, findingsMax: findingsMax, onProgress: onProgress
    ).run()
  }

  func kinds(_ depth: CheckReport.Depth = .full) -> Set<Finding.Kind> { Set(check(depth).findings.items.map(\.kind)) }

  /// Replaces a segment's file.
  func put(_ bytes: [UInt8]?, segment: UInt64) throws {
    try directory.fileSystem.remove(directory.filePath(segment))
    if let bytes { try directory.fileSystem.open(directory.filePath(segment), .create).write(bytes, at: 0) }
  }

  func bytes(segment: UInt64) throws -> [UInt8] { try SegmentSamples.bytes(directory, segment: segment) }
}

extension Optional {
  struct Missing: Error {}

  func unwrapped() throws -> Wrapped {
    guard let self else { throw Missing() }
    return self
  }
}
