import HearthTestSupport
import Testing

@testable import HearthStorage

/// Random damage and forgeries: the check ends, traps nowhere, and overlooks nothing that has a meaning.
struct HostileCheckTests {
  /// Bytes that nothing reads: behind each copy of the header, and between a block's end and the next.
  static func padding(_ sample: CheckpointSample, _ segment: UInt64) -> Set<Int> {
    var padding = Set(SegmentFormat.headerBytes..<4096)
    padding.formUnion(4096 + SegmentFormat.headerBytes..<8192)
    for block in sample.blocks[segment] ?? [] {
      padding.formUnion(Int(block.reference.place.offset) + block.reference.byteCount..<Int(block.end))
    }
    return padding
  }

  /// In a process of its own: nothing here may trap.
  @Test func everyChangedBitWithAMeaningIsFound() async {
    await #expect(processExitsWith: .success) {
      let sample = try CheckpointSample()
      let random = SeededRandom(seed: 31)
      for segment in [5, 6] as [UInt64] {
        let bytes = try sample.bytes(segment: segment)
        let padding = HostileCheckTests.padding(sample, segment)
        for round in 0..<700 {
          // The headers' sectors are nearly all padding.
          let place =
            round % 10 == 0
            ? random.next(below: 128) + [0, 4096][random.next(below: 2)]
            : 8192 + random.next(below: bytes.count - 8192)
          var damaged = bytes
          damaged[place] ^= 1 << UInt8(random.next(below: 8))
          try sample.put(damaged, segment: segment)
          let report = sample.check()
          precondition(report.isComplete && (!report.findings.isEmpty || padding.contains(place)), "byte \(place)")
          precondition(report.findings.items.allSatisfy { $0.file != nil }, "byte \(place)")
          _ = sample.check(.quick)
          if random.oneIn(20) {
            _ = try CheckpointCheck.run("/db", fileSystem: sample.directory.fileSystem, depth: .quick)
          }
        }
        try sample.put(bytes, segment: segment)
      }
    }
  }

  /// A list that says it has as many blocks as fit into a file of holes is not read into memory.
  @Test func aLongFileOfHolesIsMet() throws {
    let sample = try CheckpointSample()
    let file = try sample.directory.fileSystem.open(sample.directory.filePath(5), .readWrite)
    let blockCount = 1 << 30
    let byteCount = UInt64(1) << 36
    var trailer = [UInt8](repeating: 0, count: SegmentFormat.trailerBytes)
    trailer.withUnsafeMutableBytes { buffer in
      let p = buffer.baseAddress!
      p.store(u64: SegmentFormat.trailerMagic, at: SegmentFormat.Trailer.magic)
      p.store(u64: 5, at: SegmentFormat.Trailer.segment)
      p.store(
        u64: byteCount - SegmentFormat.footerBytes(blockCount: blockCount), at: SegmentFormat.Trailer.footerOffset)
      p.store(u64: byteCount, at: SegmentFormat.Trailer.fileBytes)
      p.store(u32: UInt32(blockCount), at: SegmentFormat.Trailer.blockCount)
    }
    try file.write(bytes: trailer, at: byteCount - UInt64(trailer.count))
    #expect(sample.kinds() == [.segmentLength, .segmentFooter])
  }

  @Test func noForgedPageTrapsOrKeepsTheCheck() async {
    await #expect(processExitsWith: .success) {
      let random = SeededRandom(seed: 32)
      let numbers: [UInt32] = [0, 1, 7, 0xFF, 0x8000, 0xFFFF, 1 << 17, .max - 1, .max, 1 << 31]
      for _ in 0..<150 {
        let victim = random.next(below: 40)
        var changes = CheckpointSample.Changes()
        changes.page = { index, page, moved in
          guard index == victim || index > 40 && random.oneIn(4) else { return }
          for _ in 0...random.next(below: 2) {
            if random.oneIn(3), let other = moved.randomElement(), page[8] > 0 {
              page.withUnsafeMutableBytes { buffer in
                let reader = PageReader(unchecked: UnsafeRawPointer(buffer.baseAddress!))
                let at = CheckpointSample.childOffset(reader, random.next(below: Int(buffer[4])))
                if at + 20 <= buffer.count { other.encode(to: buffer.baseAddress! + at) }
              }
            } else {
              let number = random.oneIn(2) ? numbers[random.next(below: 10)] : UInt32(random.next(below: page.count))
              let length = [1, 2, 4][random.next(below: 3)]
              let place = random.next(below: (random.oneIn(2) ? 64 : page.count) - length)
              // The count of children is read above.
              for byte in 0..<length where !(4..<8).contains(place + byte) {
                page[place + byte] = UInt8(truncatingIfNeeded: number >> (8 * UInt32(byte)))
              }
            }
          }
        }
        let sample = try CheckpointSample(changing: changes)
        _ = sample.check(.quick)
        let report = sample.check()
        precondition(report.isComplete && report.pageCount < 400)
      }
    }
  }
}
