import HearthTestSupport
import Testing

@testable import HearthStorage

/// Trees whose blocks check but which nobody built: each read gives a typed error or entries, and ends.
struct HostileTreeTests {
  static func sample() throws -> SampleTree {
    let entries = (0..<300).map {
      PageSamples.Entry(key: [UInt8]("key\(1000 + $0)".utf8), value: [UInt8](repeating: UInt8($0 & 255), count: 9))
    }
    return try SampleTree(entries, sizing: PageSizing(targetBytes: 400, grownBytesMax: 16 << 10, countMin: 3))
  }

  /// Reads everything in every way.
  static func use(_ reader: TreeReader) throws(StorageError) {
    var seen = 0
    try reader.scan { _, _ in
      seen += 1
      return true
    }
    try reader.scan(descending: true) { _, _ in
      seen -= 1
      return true
    }
    guard seen == 0 else { throw StorageError(.corruption, "the directions differ by \(seen)") }
    for offset in [0, 77, 299] { _ = try reader.entry(at: offset) { _, _ in 0 } }
    let inside = try reader.count(KeyRange(lower: [UInt8]("key1100".utf8), upper: [UInt8]("key1200".utf8)))
    guard inside == 100 else { throw StorageError(.corruption, "\(inside) keys of 100") }
  }

  static func reader(_ root: TreeRoot, _ bytes: [UInt8]) throws -> TreeReader {
    let directory = try SegmentSamples.directory(holding: bytes)
    return TreeReader(root, .documents, SegmentSet([try SegmentSamples.open(directory)]))
  }

  /// The raw pages of a tree can be changed and written anew, from the leaves up, so that all references check.
  static func rebuilt(
    _ tree: SampleTree, _ change: (_ index: Int, _ page: inout [UInt8], _ references: [BlockReference]) -> Void
  ) throws -> TreeReader {
    let source = try SegmentSamples.open(tree.directory)
    let directory = try SegmentSamples.directory()
    let writer = try SegmentWriter(directory, segment: 5, lineage: SegmentSamples.lineage, checkpoint: 3)
    var moved: [BlockReference: BlockReference] = [:]
    for (index, block) in tree.blocks.enumerated() {
      var page = try SegmentSamples.read(source, block.reference)
      page.withUnsafeMutableBytes { buffer in
        let p = buffer.baseAddress!
        let reader = PageReader(unchecked: UnsafeRawPointer(p))
        guard !reader.isLeaf else { return }
        let references = p + (reader.slots - reader.start) + (reader.count + 1) * 16
        for child in 0..<reader.count {
          let old = BlockReference(unchecked: UnsafeRawPointer(references + child * ChildFormat.byteCount))
          moved[old]?.encode(to: references + child * ChildFormat.byteCount)
        }
      }
      change(index, &page, Array(moved.values))
      moved[block.reference] = try page.withUnsafeBytes {
        try writer.append($0, kind: .page, tree: .documents, level: block.level)
      }
    }
    _ = try writer.finish()
    var root = try #require(tree.root)
    root.child.base = try #require(moved[root.child.base])
    return TreeReader(root, .documents, SegmentSet([try SegmentSamples.open(directory)]))
  }

  static func childOffset(_ page: [UInt8], _ child: Int) -> Int {
    page.withUnsafeBytes { buffer in
      let reader = PageReader(unchecked: buffer.baseAddress!)
      return (reader.slots - reader.start) + (reader.count + 1) * 16 + child * ChildFormat.byteCount
    }
  }

  @Test func anUnchangedTreeReadsWell() throws {
    let tree = try Self.sample()
    #expect(tree.root?.level ?? 0 >= 2)
    try Self.use(Self.rebuilt(tree) { _, _, _ in })
  }

  @Test func sharedAndExchangedChildrenAreDamage() throws {
    let tree = try Self.sample()
    let last = tree.blocks.count - 1
    for (first, second) in [(0, 1), (1, 0)] {
      let reader = try Self.rebuilt(tree) { index, page, _ in
        guard index == last else { return }
        let from = Self.childOffset(page, first)
        let to = Self.childOffset(page, second)
        for byte in 0..<20 { page[to + byte] = page[from + byte] }
      }
      let error = #expect(throws: StorageError.self) { try Self.use(reader) }
      #expect(error?.code == .corruption && error?.place?.offset != nil)
    }
  }

  @Test func aPageOfAnotherLevelTreeOrCountIsDamage() throws {
    let tree = try Self.sample()
    let segments = tree.segments
    let root = try #require(tree.root)
    var wrong = root
    wrong.level += 1
    #expect(throws: StorageError.self) { try Self.use(TreeReader(wrong, .documents, segments)) }
    wrong = root
    wrong.child.entryCount += 1
    #expect(throws: StorageError.self) { try Self.use(TreeReader(wrong, .documents, segments)) }
    #expect(throws: StorageError.self) { try Self.use(TreeReader(root, .indexes, segments)) }
    wrong = root
    wrong.child.base.place.segment = 6
    let error = #expect(throws: StorageError.self) { try Self.use(TreeReader(wrong, .documents, segments)) }
    #expect(error?.code == .corruption)
    wrong = root
    wrong.child.delta = root.child.base
    #expect(throws: StorageError.self) { try Self.use(TreeReader(wrong, .documents, segments)) }
  }

  /// In a process of its own: no page that checks may trap the reader or keep it for ever.
  @Test func noForgedPageTraps() async {
    await #expect(processExitsWith: .success) {
      let tree = try HostileTreeTests.sample()
      let random = SeededRandom(seed: 21)
      let numbers: [UInt32] = [0, 1, 7, 0xFF, 0x8000, 0xFFFF, 1 << 17, .max - 1, .max, 1 << 31]
      for _ in 0..<400 {
        let victim = random.oneIn(2) ? tree.blocks.count - 1 : random.next(below: tree.blocks.count)
        let reader = try HostileTreeTests.rebuilt(tree) { index, page, references in
          guard index == victim else { return }
          for _ in 0...random.next(below: 2) {
            // What was forged before may have left no child, or children outside of the page.
            let at = HostileTreeTests.childOffset(page, random.next(below: max(1, Int(page[4]))))
            if random.oneIn(4), let other = references.randomElement(), page[8] > 0, at + 20 <= page.count {
              page.withUnsafeMutableBytes { other.encode(to: $0.baseAddress! + at) }
            } else {
              let number = random.oneIn(2) ? numbers[random.next(below: 10)] : UInt32(random.next(below: page.count))
              let length = [1, 2, 4][random.next(below: 3)]
              let place = random.next(below: (random.oneIn(2) ? 64 : page.count) - length)
              for byte in 0..<length { page[place + byte] = UInt8(truncatingIfNeeded: number >> (8 * UInt32(byte))) }
            }
          }
        }
        do throws(StorageError) { try HostileTreeTests.use(reader) } catch {}
      }
    }
  }

  /// Bits of the file itself: the blocks don't check, and what lies elsewhere reads right.
  @Test func everyDamagedBlockIsAnErrorWithItsPlace() throws {
    let tree = try Self.sample()
    let bytes = try SegmentSamples.bytes(tree.directory)
    for block in tree.blocks {
      var damaged = bytes
      damaged[Int(block.reference.place.offset) + block.reference.byteCount / 2] ^= 16
      let reader = try Self.reader(try #require(tree.root), damaged)
      let error = #expect(throws: StorageError.self) { try Self.use(reader) }
      #expect(error?.code == .corruption && error?.place?.offset == block.reference.place.offset)
      let path = tree.entries.filter { entry in
        (try? entry.key.withKeyBytes { try reader.get($0) { PageSamples.isSame([UInt8]($0), entry.value) } }) == true
      }
      #expect(block.level == 0 ? path.count > 250 && path.count < 300 : path.count < 300)
    }
  }
}
