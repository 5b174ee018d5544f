import HearthTestSupport
import Testing

@testable import HearthStorage

/// Checkpoints with one thing wrong, mostly with every checksum right: the check says which.
struct TreeCheckTests {
  typealias Sample = CheckpointSample

  /// A sample whose raw pages of one level are changed.
  static func pages(
    level: UInt8, of index: Int, _ change: @escaping (UnsafeMutableRawPointer, PageReader) -> Void
  ) throws -> Sample {
    var changes = Sample.Changes()
    var seen = 0
    changes.page = { _, page, _ in
      page.withUnsafeMutableBytes { buffer in
        let reader = PageReader(unchecked: UnsafeRawPointer(buffer.baseAddress!))
        guard reader.level == level else { return }
        if seen == index { change(buffer.baseAddress!, reader) }
        seen += 1
      }
    }
    return try Sample(changing: changes)
  }

  static func with(_ set: (inout Sample.Changes) -> Void) throws -> Sample {
    var changes = Sample.Changes()
    set(&changes)
    return try Sample(changing: changes)
  }

  @Test(arguments: [0, 1, 40, 300, 3000]) func aWholeCheckpointHasNoFindings(_ count: Int) throws {
    let sample = try Sample(count: count)
    for depth in [CheckReport.Depth.quick, .full] {
      let report = sample.check(depth)
      #expect(report.findings.items.map(\.description) == [] && report.isGood)
      #expect(report.entryCounts == [count, 100, 0])
      #expect(report.entriesRead == (depth == .full ? count + 100 : 0))
      #expect(report.segments.map(\.segment) == [5, 6])
      let pages = sample.blocks.mapValues { $0.filter { $0.kind == .page } }
      #expect(report.pageCount == pages[5]!.count + pages[6]!.count - 1)
      #expect(report.segments[0].liveBytes == pages[5]!.reduce(0) { $0 + UInt64($1.reference.byteCount) })
      #expect(report.segments[0].deadBytes == 0 && report.segments[0].liveCount == pages[5]!.count)
      #expect(report.segments[1].deadBytes == pages[6]!.last.map { UInt64($0.reference.byteCount) })
    }
  }

  @Test func theNewestRecordIsFoundByTheSegments() throws {
    let sample = try Sample()
    let report = try CheckpointCheck.run("/db", fileSystem: sample.directory.fileSystem, depth: .full)
    #expect(report?.isGood == true && report?.checkpoint == 4 && report?.commitVersion == 77)
    #expect(try CheckpointCheck.run("/", fileSystem: MemoryFileSystem(), depth: .full) == nil)
  }

  // MARK: Trees

  @Test func aSharedChildIsAFinding() throws {
    let sample = try Self.pages(level: 2, of: 0) { p, page in
      (p + Sample.childOffset(page, 1)).copyMemory(from: p + Sample.childOffset(page, 0), byteCount: 20)
    }
    for depth in [CheckReport.Depth.quick, .full] {
      let findings = sample.check(depth).findings.items
      #expect(findings.map(\.kind) == [.sharedBlock])
      #expect(findings.first?.tree == .documents && findings.first?.level == 1)
      #expect(findings.first?.file == "/db/segments/000005.seg" && findings.first?.offset != nil)
      #expect(findings.first?.keyPrefix?.starts(with: [UInt8]("key1".utf8)) == true)
    }
  }

  @Test func exchangedChildrenAreFindings() throws {
    let sample = try Self.pages(level: 1, of: 0) { p, page in
      let (a, b) = (p + Sample.childOffset(page, 0), p + Sample.childOffset(page, 1))
      for byte in 0..<20 {
        let kept = a.load(fromByteOffset: byte, as: UInt8.self)
        a.storeBytes(of: b.load(fromByteOffset: byte, as: UInt8.self), toByteOffset: byte, as: UInt8.self)
        b.storeBytes(of: kept, toByteOffset: byte, as: UInt8.self)
      }
    }
    #expect(sample.kinds().contains(.fences) && sample.kinds().isSubset(of: [.fences, .count]))
    // Leaves are not read.
    #expect(sample.kinds(.quick) == [])
  }

  /// A page that leads to itself, with every checksum right: only that a block is entered once ends it.
  @Test func aCycleIsAFindingAndEnds() throws {
    let directory = try SegmentSamples.directory()
    let writer = try SegmentWriter(directory, segment: 5, lineage: SegmentSamples.lineage, checkpoint: 4)
    let place = BlockPlace(segment: 5, unit: 128)
    func page(check: UInt32, byteCount: Int) throws -> [UInt8] {
      let child = ChildReference(
        base: BlockReference(place: place, byteCount: byteCount, check: check), entryCount: 7)
      let children = ["", "m"].map { PageSamples.Child(separator: [UInt8]($0.utf8), reference: child) }
      return try PageSamples.inner(children, level: 2)[0].bytes
    }
    let length = BlockFormat.headerBytes + (try page(check: 1, byteCount: 100)).count
    func crc(_ check: UInt32) throws -> UInt32 {
      let buffer = ByteBuffer()
      return try page(check: check, byteCount: length).withUnsafeBytes {
        BlockWriter.append(
          $0, kind: .page, tree: .documents, level: 2, checkpoint: 4, at: place, compresses: false, to: buffer
        ).check
      }
    }
    // A checksum is affine in the bits below it: solve crc(x) = x over the field of two elements.
    let zero = try crc(0)
    var rows: [(left: UInt32, right: Bool)] = []
    let columns = try (0..<32).map { try crc(1 << UInt32($0)) ^ zero ^ 1 << UInt32($0) }
    for bit in 0..<32 as Range<UInt32> {
      var left: UInt32 = 0
      for column in 0..<32 where columns[column] >> bit & 1 == 1 { left |= 1 << UInt32(column) }
      rows.append((left, zero >> bit & 1 == 1))
    }
    var check: UInt32 = 0
    var pivots: [(row: Int, column: UInt32)] = []
    for column in 0..<32 as Range<UInt32> {
      guard let row = (pivots.count..<32).first(where: { rows[$0].left >> column & 1 == 1 }) else { continue }
      rows.swapAt(pivots.count, row)
      let pivot = rows[pivots.count]
      for other in rows.indices where other != pivots.count && rows[other].left >> column & 1 == 1 {
        rows[other] = (rows[other].left ^ pivot.left, rows[other].right != pivot.right)
      }
      pivots.append((pivots.count, column))
    }
    for pivot in pivots where rows[pivot.row].right { check |= 1 << pivot.column }
    try #require(try crc(check) == check)

    let reference = try page(check: check, byteCount: length).withUnsafeBytes {
      try writer.append($0, kind: .page, tree: .documents, level: 2, compresses: false)
    }
    #expect(reference == BlockReference(place: place, byteCount: length, check: check))
    var record = CheckpointRecord(
      number: 4, lineage: SegmentSamples.lineage, commitVersion: 1, commitTime: 1, logPosition: 0, logGeneration: 1,
      logChain: 0, nextSegment: 9, stateBytes: 1, usageRoot: nil,
      roots: [TreeRoot(child: ChildReference(base: reference, entryCount: 14), level: 2), nil, nil],
      segments: [.init(segment: 5, fileBytes: 0, checkpoint: 4)])
    record.segments[0].fileBytes = try writer.finish().fileBytes
    let check2 = TreeCheck(record, at: nil, [try SegmentSamples.open(directory)], depth: .full)
    let findings = check2.run().findings.items
    #expect(findings.map(\.kind) == [.sharedBlock, .sharedBlock, .usageTooLow])
  }

  @Test func aWrongCountIsAFinding() throws {
    for level in [1, 2] as [UInt8] {
      let sample = try Self.pages(level: level, of: 0) { p, page in
        let first = Sample.countsOffset(page) + PageFormat.countBytes
        p.store(u64: UInt64(page.entriesBefore(child: 1) + 1), at: first)
      }
      let findings = sample.check().findings.items
      #expect(findings.map(\.kind) == [.count, .count], "level \(level)")
      #expect(findings.allSatisfy { $0.level == level - 1 })
    }
    let sample = try Self.with { $0.record = { $0.roots[0]?.child.entryCount += 1 } }
    #expect(sample.kinds(.quick) == [.count])
  }

  @Test func aPageOutOfOrderIsAFinding() throws {
    let sample = try Self.pages(level: 0, of: 7) { p, page in
      let (a, b) = (page.suffix(1), page.suffix(2))
      let (x, y) = (a.start.u8(a.count - 1), b.start.u8(b.count - 1))
      (p + (a.start - page.start)).storeBytes(of: y, toByteOffset: a.count - 1, as: UInt8.self)
      (p + (b.start - page.start)).storeBytes(of: x, toByteOffset: b.count - 1, as: UInt8.self)
      for (index, suffix) in [(1, page.suffix(1)), (2, page.suffix(2))] {
        p.store(u32: suffix.shortHead, at: (page.slots - page.start) + index * PageFormat.slotBytes)
      }
    }
    let findings = sample.check().findings.items
    #expect(findings.map(\.kind) == [.page])
    #expect(findings.first?.message.hasSuffix("is not above the one before") == true)
    #expect(findings.first?.offset == sample.blocks[5]?.filter { $0.level == 0 }[7].reference.place.offset)
  }

  /// What is left of a neighbour that is gone stays as it is.
  @Test func aPageMayBeNarrowerThanItsBounds() throws {
    let directory = try SegmentSamples.directory()
    let writer = try SegmentWriter(directory, segment: 5, lineage: SegmentSamples.lineage, checkpoint: 4)
    let leaves = try PageSamples.leaves(CheckpointSample.entries(60), sizing: CheckpointSample.sizing)
    #expect(leaves.count > 4)
    var children: [PageSamples.Child] = []
    for leaf in leaves {
      let block = try leaf.bytes.withUnsafeBytes { try writer.append($0, kind: .page, tree: .documents) }
      children.append(.init(separator: leaf.lower, reference: .init(base: block, entryCount: leaf.entryCount)))
    }
    children.remove(at: 2)
    children.removeLast()
    let inner = try PageSamples.inner(children)
    #expect(inner.count == 1)
    let root = try inner[0].bytes.withUnsafeBytes { try writer.append($0, kind: .page, tree: .documents, level: 1) }
    var usage = SegmentUsage(segment: 5, age: 4, blocks: writer.blocks)
    for gone in [2, leaves.count - 1] { usage.kill(gone, byteCount: writer.blocks[gone].reference.byteCount) }
    let usageRoot = try SegmentSamples.append(SegmentUsage.encode([usage]), .usage, to: writer)
    let record = CheckpointRecord(
      number: 4, lineage: SegmentSamples.lineage, commitVersion: 1, commitTime: 1, logPosition: 0, logGeneration: 1,
      logChain: 0, nextSegment: 9, stateBytes: 1, usageRoot: usageRoot,
      roots: [TreeRoot(child: ChildReference(base: root, entryCount: inner[0].entryCount), level: 1), nil, nil],
      segments: [.init(segment: 5, fileBytes: try writer.finish().fileBytes, checkpoint: 4)])
    let report = TreeCheck(record, at: nil, [try SegmentSamples.open(directory)], depth: .full).run()
    #expect(report.findings.items.map(\.description) == [])
    #expect(report.segments[0].deadBytes > 0)
  }

  @Test func anotherLevelOrTreeIsAFinding() throws {
    var sample = try Self.with { $0.record = { $0.roots[0]?.level += 1 } }
    #expect(sample.kinds(.quick) == [.level])
    sample = try Self.with { $0.record = { $0.roots.swapAt(0, 1) } }
    #expect(sample.kinds() == [.level])
    // The block says one level and the page in it another.
    sample = try Self.pages(level: 0, of: 3) { p, _ in p.store(u8: 1, at: PageFormat.Header.level) }
    #expect(sample.kinds() == [.page])
  }

  @Test func whatAReferenceSaysBesidesIsChecked() throws {
    func changed(_ set: @escaping (UnsafeMutableRawPointer) -> Void) throws -> Set<Finding.Kind> {
      try Self.pages(level: 1, of: 0) { p, page in set(p + Sample.childOffset(page, 1)) }.kinds()
    }
    #expect(try changed { $0.store(u32: 40, at: ChildFormat.deadBytes) } == [.deadBytes])
    #expect(try changed { $0.store(u8: 1, at: ChildFormat.flags) } == [.blobFlag])
    #expect(try changed { ($0 + ChildFormat.delta).copyMemory(from: $0, byteCount: 20) } == [.unsupported])
    #expect(try changed { $0.store(u64: 9, at: 0) } == [.reference])
    #expect(try changed { $0.store(u32: 1 << 30, at: BlockFormat.Reference.unit) } == [.reference])
    #expect(try changed { $0.store(u32: 40, at: BlockFormat.Reference.byteCount) } == [.block])
    #expect(try changed { $0.store(u32: 40, at: BlockFormat.Reference.check) } == [.block])
  }

  /// A block inside another one, which no list of blocks has: its checksum is that of its place.
  @Test func aBlockThatIsNotListedIsAFinding() throws {
    let directory = try SegmentSamples.directory()
    let writer = try SegmentWriter(directory, segment: 5, lineage: SegmentSamples.lineage, checkpoint: 4)
    let leaf = try PageSamples.leaves(CheckpointSample.entries(3))[0]
    let hidden = ByteBuffer()
    let reference = leaf.bytes.withUnsafeBytes {
      BlockWriter.append(
        $0, kind: .page, tree: .documents, checkpoint: 4, at: BlockPlace(segment: 5, unit: 129), to: hidden)
    }
    let outer = [UInt8](repeating: 0, count: 32) + [UInt8](hidden.bytes) + [0]
    _ = try outer.withUnsafeBytes { try writer.append($0, kind: .page, tree: .documents, compresses: false) }
    let record = CheckpointRecord(
      number: 4, lineage: SegmentSamples.lineage, commitVersion: 1, commitTime: 1, logPosition: 0, logGeneration: 1,
      logChain: 0, nextSegment: 9, stateBytes: 1, usageRoot: nil,
      roots: [TreeRoot(child: ChildReference(base: reference, entryCount: 3), level: 0), nil, nil],
      segments: [.init(segment: 5, fileBytes: try writer.finish().fileBytes, checkpoint: 4)])
    let report = TreeCheck(record, at: nil, [try SegmentSamples.open(directory)], depth: .full).run()
    #expect(report.findings.items.map(\.kind) == [.unlistedBlock, .usageTooLow])
  }

  // MARK: Usage

  @Test func usageIsCountedAnew() throws {
    typealias Usages = [SegmentUsage]
    func kinds(_ change: @escaping (inout Usages, [UInt64: [SegmentBlock]]) -> Void) throws -> [Finding.Kind] {
      let sample = try Self.with { $0.usages = change }
      let kinds = sample.check().findings.items.map(\.kind)
      #expect(sample.check(.quick).findings.items.map(\.kind) == kinds)
      return kinds
    }
    #expect(try kinds { $0[0].kill(3, byteCount: $1[5]![3].reference.byteCount) } == [.usageTooLow])
    // The dead page counts as alive.
    #expect(try kinds { $0[1] = SegmentUsage(segment: 6, age: 4, blocks: $1[6]!) } == [.usageTooHigh])
    #expect(try kinds { usages, _ in usages.removeFirst() } == [.usageTooLow])
    #expect(try kinds { $0.append(SegmentUsage(segment: 8, age: 4, blocks: Array($1[6]![..<2]))) } == [.usageTooHigh])
    #expect(try kinds { $0.insert(SegmentUsage(segment: 4, age: 4, blocks: $1[6]!), at: 0) } == [.usageTooHigh])
    #expect(try kinds { $0[0] = SegmentUsage(segment: 5, age: 9, blocks: $1[5]!) } == [.usageTooHigh])
    #expect(try kinds { $0[0] = SegmentUsage(segment: 5, age: 3, blocks: Array($1[5]![..<9])) } == [.usageTooLow])
    #expect(try kinds { $0[0] = SegmentUsage(segment: 5, age: 3, blocks: $1[5]! + $1[5]!) } == [.usageTooHigh])
  }

  @Test func wrongSumsOfUsageAreFindings() throws {
    let at = UsageFormat.headerBytes + UsageFormat.Segment.liveBytes
    for (change, kind) in [(1, Finding.Kind.usageTooHigh), (-1, .usageTooLow)] {
      let sample = try Self.with {
        $0.usageBytes = { $0[at + 1] = UInt8(truncatingIfNeeded: Int($0[at + 1]) + change) }
      }
      #expect(sample.kinds() == [kind])
    }
    let sample = try Self.with { $0.usageBytes = { $0[0] = 9 } }
    let findings = sample.check().findings.items
    #expect(findings.map(\.kind) == [.usage] && findings.first?.severity == .risk)
    #expect(try Self.with { $0.record = { $0.usageRoot = nil } }.kinds() == [.usageTooLow])
  }

  // MARK: Files

  @Test func missingCutForeignAndSwappedSegmentsAreFindings() throws {
    for depth in [CheckReport.Depth.quick, .full] {
      var sample = try Sample()
      let (five, six) = (try sample.bytes(segment: 5), try sample.bytes(segment: 6))
      try sample.put(nil, segment: 5)
      #expect(sample.kinds(depth) == [.segmentMissing, .block])
      try sample.put(five, segment: 6)
      #expect(sample.kinds(depth).isSuperset(of: [.segmentMissing, .segmentUnusable]))
      try sample.directory.fileSystem.open(sample.directory.filePath(5), .create).write(bytes: six, at: 0)
      #expect(sample.kinds(depth).contains(.segmentUnusable))
      try sample.put(five, segment: 5)
      try sample.put(six, segment: 6)
      #expect(sample.kinds(depth) == [])
      for cut in [1, 64, 2000, five.count - 9000, five.count - 100, five.count] {
        try sample.put([UInt8](five.dropLast(cut)), segment: 5)
        let kinds = sample.kinds(depth)
        #expect(kinds.contains(.segmentLength) || kinds.contains(.segmentUnusable), "\(cut)")
        try sample.put(five + [UInt8](repeating: 0, count: cut), segment: 5)
        #expect(sample.kinds(depth).isSuperset(of: [.segmentLength, .segmentFooter]), "\(cut)")
      }
      try sample.put(five, segment: 5)
      sample.record.lineage = 8
      #expect(sample.kinds(depth).contains(.segmentUnusable))
    }
  }

  @Test func aLyingStoredLengthIsAFinding() throws {
    let sample = try Sample()
    var bytes = try sample.bytes(segment: 5)
    let block = try #require(sample.blocks[5]?[4])
    for length in [0, 1, 63, 1 << 17, UInt32.max] as [UInt32] {
      bytes.withUnsafeMutableBytes { ($0.baseAddress! + Int(block.reference.place.offset)).store(u32: length, at: 4) }
      try sample.put(bytes, segment: 5)
      for depth in [CheckReport.Depth.quick, .full] {
        let findings = sample.check(depth).findings.items
        #expect(findings.first?.kind == .block && findings.first?.offset == block.reference.place.offset)
      }
    }
  }

  @Test func anotherRecordThanTheBlockHoldsIsAFinding() throws {
    var sample = try Sample()
    sample.record.commitVersion += 1
    #expect(sample.kinds(.quick) == [.record])
    sample.place.check ^= 1
    #expect(sample.kinds(.quick) == [.record])
  }

  // MARK: Bounds

  @Test func findingsAreBoundedAndTheRestIsCounted() throws {
    let sample = try Sample(count: 3000)
    try sample.put(nil, segment: 5)
    #expect(sample.check(findingsMax: 1).findings.count == 2)
    let lost = try Sample(count: 3000)
    var bytes = try lost.bytes(segment: 5)
    for block in lost.blocks[5]! where block.level == 0 { bytes[Int(block.reference.place.offset) + 40] ^= 1 }
    try lost.put(bytes, segment: 5)
    let report = lost.check(findingsMax: 10)
    let leaves = lost.blocks[5]!.count { $0.level == 0 }
    #expect(report.findings.items.count == 10 && report.findings.hasDamage)
    #expect(report.findings.furtherCount == leaves - 10)
  }

  @Test func progressIsToldAndMayEndIt() throws {
    let sample = try Sample(count: 6000)
    var told: [CheckReport.Progress] = []
    #expect(
      sample.check(onProgress: {
        told.append($0)
        return true
      }).isGood)
    #expect(told.count > 1 && told.allSatisfy { $0.bytes <= $0.bytesInAll })
    let report = sample.check(onProgress: { _ in false })
    #expect(!report.isComplete && !report.isGood && report.findings.isEmpty)
  }

  @Test func descriptionsSayWhatWhereAndWhatItMeans() {
    var finding = Finding(kind: .count, message: "a page of 7 entries where 8 belong")
    #expect(finding.description == "count: a page of 7 entries where 8 belong: counts and offsets come out wrong")
    finding.file = "/db/segments/000005.seg"
    (finding.offset, finding.block, finding.tree, finding.level) = (8192, 0, .documents, 1)
    finding.keyPrefix = [0x61, 0]
    #expect(
      finding.description
        == "count: a page of 7 entries where 8 belong (/db/segments/000005.seg, offset 8192, block 0, documents, level 1,"
        + " keys from 6100): counts and offsets come out wrong")
  }
}
