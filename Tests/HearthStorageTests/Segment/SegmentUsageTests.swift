import HearthTestSupport
import Testing

@testable import HearthStorage

struct SegmentUsageTests {
  static func blocks(_ count: Int, segment: UInt64, _ random: SeededRandom) -> [SegmentBlock] {
    (0..<count).map { index in
      SegmentBlock(
        reference: BlockReference(
          place: BlockPlace(segment: segment, unit: UInt32(128 + index)), byteCount: 33 + random.next(below: 5000),
          check: 0), kind: .page, tree: .documents, level: 0)
    }
  }

  static func sample(_ random: SeededRandom) -> [SegmentUsage] {
    (1..<12).map { number in
      let segment = UInt64(number * 3)
      let blocks = blocks([0, 1, 63, 64, 65, 200][number % 6], segment: segment, random)
      var usage = SegmentUsage(segment: segment, age: UInt64(number), blocks: blocks)
      for (ordinal, block) in blocks.enumerated() where random.oneIn(number % 5 + 1) {
        usage.kill(ordinal, byteCount: block.reference.byteCount)
      }
      return usage
    }
  }

  static func read(_ bytes: [UInt8]) throws(StorageError) -> [SegmentUsage] {
    try bytes.withUnsafeBufferPointer { (bytes) throws(StorageError) in
      try SegmentUsage.read(UnsafeRawBufferPointer(bytes))
    }
  }

  @Test func usageCountsWhatIsAlive() {
    let random = SeededRandom(seed: 1)
    let blocks = Self.blocks(130, segment: 4, random)
    var usage = SegmentUsage(segment: 4, age: 9, blocks: blocks)
    var alive = Set(blocks.indices)
    for _ in 0..<90 {
      let ordinal = random.next(below: 130)
      guard alive.remove(ordinal) != nil else { continue }
      usage.kill(ordinal, byteCount: blocks[ordinal].reference.byteCount)
      #expect(usage.liveCount == alive.count)
      #expect(usage.liveBytes == alive.reduce(0) { $0 + UInt64(blocks[$1].reference.byteCount) })
      #expect(blocks.indices.allSatisfy { usage.isLive($0) == alive.contains($0) })
    }
  }

  @Test func aBlockDiesOnlyOnce() async {
    await #expect(processExitsWith: .failure) {
      var usage = SegmentUsage(
        segment: 4, age: 9, blocks: SegmentUsageTests.blocks(3, segment: 4, SeededRandom(seed: 1)))
      usage.kill(1, byteCount: 33)
      usage.kill(1, byteCount: 33)
    }
  }

  @Test func usageIsReadBackExactly() throws {
    for seed in 1...20 as ClosedRange<UInt64> {
      let usages = Self.sample(SeededRandom(seed: seed))
      #expect(try Self.read(SegmentUsage.encode(usages)) == usages)
    }
    #expect(try Self.read(SegmentUsage.encode([])).isEmpty)
  }

  @Test func anythingNotExactIsDamage() throws {
    let usages = Self.sample(SeededRandom(seed: 3))
    let bytes = SegmentUsage.encode(usages)
    for place in bytes.indices {
      for bit in 0..<8 {
        var damaged = bytes
        damaged[place] ^= 1 << UInt8(bit)
        // Numbers without a partner cannot be told from others; bits and counts can.
        if let read = try? Self.read(damaged) { #expect(read != usages) }
      }
      #expect(throws: StorageError.self) { try Self.read([UInt8](bytes[..<place])) }
    }
    #expect(throws: StorageError.self) { try Self.read(bytes + [0]) }
    var swapped = usages
    swapped.swapAt(0, 1)
    let first = SegmentUsage.encode([usages[0]]).dropFirst(8)
    let second = SegmentUsage.encode([usages[1]]).dropFirst(8)
    #expect(throws: StorageError.self) { try Self.read([2, 0, 0, 0, 0, 0, 0, 0] + second + first) }
    #expect(try Self.read([2, 0, 0, 0, 0, 0, 0, 0] + first + second) == [usages[0], usages[1]])
  }

  @Test func theIndexIsReadBackOrRefused() throws {
    let items = (1..<9).map { number in
      UsageIndex.Item(
        firstSegment: UInt64(number * 5),
        reference: BlockReference(
          place: BlockPlace(segment: UInt64(number), unit: 200), byteCount: 99, check: UInt32(number)))
    }
    func read(_ bytes: [UInt8]) throws(StorageError) -> [UsageIndex.Item] {
      try bytes.withUnsafeBufferPointer { (bytes) throws(StorageError) in
        try UsageIndex.read(UnsafeRawBufferPointer(bytes))
      }
    }
    let bytes = UsageIndex.encode(items)
    #expect(try read(bytes) == items)
    for place in bytes.indices {
      #expect(throws: StorageError.self) { try read([UInt8](bytes[..<place])) }
      var damaged = bytes
      damaged[place] ^= 0x80
      if let other = try? read(damaged) { #expect(other != items) }
    }
    let exchanged = bytes[..<8] + bytes[40..<72] + bytes[8..<40] + bytes[72...]
    #expect(throws: StorageError.self) { try read([UInt8](exchanged)) }
  }

  @Test func noForgedUsageTraps() async {
    await #expect(processExitsWith: .success) {
      let random = SeededRandom(seed: 5)
      let bytes = SegmentUsage.encode(SegmentUsageTests.sample(random))
      for _ in 0..<20_000 {
        var forged = bytes
        for _ in 0...random.next(below: 3) {
          forged[random.next(below: random.oneIn(2) ? 48 : bytes.count)] =
            [0, 1, 0x7F, 0x80, 0xFF][
              random.next(below: 5)]
        }
        _ = try? SegmentUsageTests.read(forged)
      }
    }
  }
}
