import HearthTestSupport
import Testing

@testable import HearthStorage

/// Whole trees against the sorted array they were made of.
struct TreeTests {
  static let sizings = [
    PageSizing(targetBytes: 200, grownBytesMax: 4096, countMin: 2),
    PageSizing(targetBytes: 600, grownBytesMax: 16 << 10),
    PageSizing(targetBytes: 4096, fillPercent: 70), PageSizing(),
  ]

  @Test(arguments: PageSamples.Shape.allCases)
  func aTreeAnswersAsTheSortedArray(_ shape: PageSamples.Shape) throws {
    for (number, sizing) in Self.sizings.enumerated() {
      for values in PageSamples.Values.allCases {
        let random = SeededRandom(seed: UInt64(number + 1))
        let count = shape == .huge || values == .large ? 20 : 500
        let entries = SampleTree.entries(shape, values, count: count, random)
        try check(SampleTree(entries, sizing: sizing), shape, random, "\(sizing), \(values)")
      }
    }
  }

  func check(_ tree: SampleTree, _ shape: PageSamples.Shape, _ random: SeededRandom, _ name: String) throws {
    let reader = tree.reader
    let entries = tree.entries
    #expect(reader.entryCount == entries.count, "\(name)")
    #expect(try SampleTree.scan(reader) == entries, "\(name)")
    #expect(try SampleTree.scan(reader, descending: true) == entries.reversed(), "\(name)")
    for _ in 0..<12 {
      let offset = random.next(below: entries.count + 1)
      let entry = try reader.entry(at: offset) { PageSamples.Entry(key: $0.bytes, value: [UInt8]($1)) }
      #expect(entry == (offset < entries.count ? entries[offset] : nil), "\(name)")
      var bounds = (0..<2).map { _ in
        random.oneIn(2) ? PageSamples.key(shape, random) : entries[random.next(below: entries.count)].key
      }
      if random.oneIn(2) { bounds[1] += [0] }
      let expected = entries.first { PageSamples.isSame($0.key, bounds[0]) }?.value
      let value = try bounds[0].withKeyBytes { try reader.get($0) { [UInt8]($0) } }
      #expect((value == nil) == (expected == nil) && PageSamples.isSame(value ?? [], expected ?? []), "\(name)")
      // Also with bounds the wrong way round, and without an upper one.
      for range in [KeyRange(lower: bounds[0], upper: bounds[1]), KeyRange(lower: bounds[1])] {
        let inside = entries.filter { entry in
          !PageSamples.isBelow(entry.key, range.lower) && range.upper.map { PageSamples.isBelow(entry.key, $0) } ?? true
        }
        #expect(try reader.count(range) == inside.count, "\(name)")
        #expect(try SampleTree.scan(reader, range) == inside, "\(name)")
        #expect(try SampleTree.scan(reader, range, descending: true) == inside.reversed(), "\(name)")
      }
    }
  }

  @Test func anEmptyTreeHasNoRoot() throws {
    let tree = try SampleTree([])
    #expect(tree.root == nil && tree.blocks.isEmpty)
    #expect(try tree.reader.count(.everything) == 0)
    #expect(try SampleTree.scan(tree.reader).isEmpty && SampleTree.scan(tree.reader, descending: true).isEmpty)
    #expect(try [].withKeyBytes { try tree.reader.get($0) { _ in 1 } } == nil)
    #expect(try tree.reader.entry(at: 0) { _, _ in 1 } == nil)
  }

  @Test func oneLeafIsTheRoot() throws {
    let tree = try SampleTree([PageSamples.Entry(key: [], value: [7])])
    #expect(tree.root?.level == 0 && tree.blocks.count == 1)
    #expect(try [].withKeyBytes { try tree.reader.get($0) { [UInt8]($0) } } == [7])
  }

  @Test func aScanStopsWhenAsked() throws {
    let entries = (0..<2000).map { PageSamples.Entry(key: [UInt8($0 >> 8), UInt8($0 & 255)], value: []) }
    let tree = try SampleTree(entries, sizing: PageSizing(targetBytes: 256))
    for descending in [false, true] {
      var seen = 0
      try tree.reader.scan(descending: descending) { _, _ in
        seen += 1
        return seen < 700
      }
      #expect(seen == 700)
    }
  }

  @Test func blocksComeBeforeTheirParentsAndLevelsCount() throws {
    let entries = (0..<20_000).map {
      PageSamples.Entry(key: [UInt8]("users/\(1_000_000 + $0)".utf8), value: [UInt8](repeating: 3, count: 100))
    }
    let tree = try SampleTree(entries)
    #expect(tree.root?.level == 2 || tree.root?.level == 1)
    #expect(tree.blocks.last?.level == tree.root?.level && tree.blocks.last?.reference == tree.root?.child.base)
    #expect(tree.blocks.allSatisfy { $0.kind == .page && $0.tree == .documents })
    let leaves = tree.blocks.filter { $0.level == 0 }.count
    #expect((120...200).contains(leaves), "\(leaves) leaves")
  }

  @Test func whatIsOutOfOrderIsRefusedAndTheRestGoesOn() throws {
    let directory = try SegmentSamples.directory()
    let writer = try SegmentWriter(directory, segment: 5, lineage: SegmentSamples.lineage, checkpoint: 3)
    let builder = TreeBuilder(writer, .documents)
    func add(_ key: [UInt8]) throws {
      try key.withKeyBytes { try builder.append($0, UnsafeRawBufferPointer(start: nil, count: 0)) }
    }
    try add([2])
    let error = #expect(throws: StorageError.self) { try add([2]) }
    #expect(error?.code == .invalidArgument)
    try add([3])
    #expect(try builder.finish()?.child.entryCount == 2)
  }
}
