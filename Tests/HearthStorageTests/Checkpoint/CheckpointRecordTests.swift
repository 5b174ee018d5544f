import HearthTestSupport
import Testing

@testable import HearthStorage

struct CheckpointRecordTests {
  static func sample(_ random: SeededRandom) -> CheckpointRecord {
    let segments = (1...6).map { number in
      CheckpointRecord.Segment(
        segment: UInt64(number * 2), fileBytes: number == 6 ? 0 : 1 << 20, checkpoint: UInt64(number))
    }
    func reference() -> BlockReference {
      BlockReference(
        place: BlockPlace(segment: UInt64(2 + 2 * random.next(below: 6)), unit: 128 + UInt32(random.next(below: 9000))),
        byteCount: 33 + random.next(below: 9000), check: UInt32(truncatingIfNeeded: random.next()))
    }
    return CheckpointRecord(
      number: 6 + random.next() >> 4, lineage: random.next(), commitVersion: random.next() >> 3,
      commitTime: -77, logPosition: 4096, logGeneration: 3, logChain: .max, nextSegment: 13, stateBytes: 1 << 40,
      usageRoot: random.oneIn(4) ? nil : reference(),
      roots: (0..<3).map { _ in
        random.oneIn(3)
          ? nil
          : TreeRoot(
            child: ChildReference(
              base: reference(), delta: random.oneIn(2) ? reference() : nil, entryCount: 1 + random.next(below: 1 << 40)
            ),
            level: UInt8(random.next(below: 4)))
      }, segments: segments)
  }

  static func read(_ bytes: [UInt8]) throws(StorageError) -> CheckpointRecord {
    try bytes.withUnsafeBufferPointer { (bytes) throws(StorageError) in
      try CheckpointRecord.read(UnsafeRawBufferPointer(bytes))
    }
  }

  @Test func aRecordIsReadBackExactly() throws {
    for seed in 1...50 as ClosedRange<UInt64> {
      let record = Self.sample(SeededRandom(seed: seed))
      #expect(try Self.read(record.encoded()) == record)
    }
  }

  @Test func everyChangedByteIsAnotherRecordOrDamage() {
    for seed in 1...5 as ClosedRange<UInt64> {
      let record = Self.sample(SeededRandom(seed: seed))
      let bytes = record.encoded()
      for place in bytes.indices {
        for change in [1, 0x80, 0xFF] as [UInt8] {
          var damaged = bytes
          damaged[place] ^= change
          if let read = try? Self.read(damaged) { #expect(read != record, "byte \(place)") }
        }
        #expect(throws: StorageError.self) { try Self.read([UInt8](bytes[..<place])) }
      }
      #expect(throws: StorageError.self) { try Self.read(bytes + [0]) }
    }
  }

  @Test func aRecordThatLeadsNowhereIsDamage() throws {
    var record = Self.sample(SeededRandom(seed: 1))
    record.roots[0] = TreeRoot(
      child: ChildReference(
        base: BlockReference(place: BlockPlace(segment: 4, unit: 128), byteCount: 100, check: 1), entryCount: 5),
      level: 0)
    let bytes = record.encoded()
    #expect(try Self.read(bytes) == record)
    typealias Format = CheckpointRecordFormat
    let base = Format.roots + Format.Root.child
    let changes: [(String, Int, UInt8)] = [
      ("a root in a segment that is not listed", base + BlockFormat.Reference.segment, 5),
      ("a root behind the end of its segment", base + BlockFormat.Reference.unit + 2, 0xFF),
      ("a root in front of the blocks", base + BlockFormat.Reference.unit, 127),
      ("a root without entries", Format.roots, 0), ("a level of 32", Format.roots + Format.Root.level, 32),
      ("reserved bytes of a root", Format.roots + Format.Root.reserved, 1),
      ("a commit version of 2^62", Format.commitVersion + 7, 0x40), ("segments out of order", Format.segments, 9),
      ("the next segment's number is taken", Format.nextSegment, 12),
      ("a segment of 2^38 bytes and more", Format.segments + Format.Segment.fileBytes + 7, 1),
      ("a segment of a later checkpoint", Format.segments + Format.Segment.checkpoint + 7, 0x20),
      ("a segment more than there is", Format.segmentCount, 7), ("reserved", Format.reserved, 1),
    ]
    for (name, offset, value) in changes {
      var forged = bytes
      forged[offset] = value
      let error = #expect(throws: StorageError.self, "\(name)") { try Self.read(forged) }
      #expect(error?.code == .corruption)
    }
  }

  @Test func noForgedRecordTraps() async {
    await #expect(processExitsWith: .success) {
      let random = SeededRandom(seed: 5)
      for _ in 0..<10_000 {
        var forged = CheckpointRecordTests.sample(random).encoded()
        for _ in 0...random.next(below: 3) {
          forged[random.next(below: forged.count)] = [0, 1, 0x7F, 0x80, 0xFF][random.next(below: 5)]
        }
        _ = try? CheckpointRecordTests.read(forged)
      }
    }
  }
}
