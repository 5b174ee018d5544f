import HearthTestSupport
import Testing

@testable import HearthStorage

struct SegmentTests {
  typealias Samples = SegmentSamples

  @Test func everyBlockIsReadByItsReferenceAndListed() throws {
    let random = SeededRandom(seed: 1)
    let directory = try Samples.directory()
    // More than one buffer full.
    let payloads = (0..<60).map { index in
      index % 3 == 0
        ? random.bytes(1 + random.next(below: 128_000))
        : [UInt8](repeating: UInt8(index), count: 1 + random.next(below: 50_000))
    }
    let (summary, references, blocks) = try Samples.write(payloads, directory)
    #expect(try directory.fileSystem.contents(ofDirectory: directory.path) == ["000005.seg"])
    let reader = try Samples.open(directory)
    #expect(reader.fileBytes > UInt64(SegmentWriter.bufferBytes))
    #expect(summary == .init(segment: 5, fileBytes: reader.fileBytes, blockCount: 60))
    #expect(reader.header == SegmentHeader(lineage: Samples.lineage, segment: 5, checkpoint: 3))
    for (payload, reference) in zip(payloads, references) {
      #expect(try Samples.read(reader, reference) == payload)
      #expect(reference.place.offset % 64 == 0)
    }
    let listing = try reader.listBlocks()
    #expect(listing.blocks == blocks && listing.footerDamage == nil)
    #expect(listing.blocks.map(\.reference) == references)
  }

  @Test func anEmptySegmentIsOne() throws {
    let directory = try Samples.directory()
    try Samples.write([], directory)
    #expect(try Samples.open(directory).listBlocks().blocks.isEmpty)
  }

  @Test func namesAreNumbersOfAtMost18Digits() {
    #expect(SegmentDirectory.number(of: "000017.seg") == 17)
    #expect(SegmentDirectory.number(of: "1234567.new") == 1_234_567)
    for name in ["17", "x.seg", "-1.seg", "18446744073709551615.seg", "000017.wal"] {
      #expect(SegmentDirectory.number(of: name) == nil)
    }
  }

  @Test func withoutAFooterTheBlocksAreFoundByWalking() throws {
    let directory = try Samples.directory()
    let (_, _, blocks) = try Samples.write(Samples.small, directory)
    let bytes = try Samples.bytes(directory)
    for cut in [bytes.count - 1, bytes.count - 64, bytes.count - 128] {
      let listing = try Samples.open(try Samples.directory(holding: [UInt8](bytes[..<cut]))).listBlocks()
      #expect(listing.blocks == blocks && listing.end == blocks.last?.end)
      #expect(listing.footerDamage?.code == .corruption)
    }
    var damaged = bytes
    damaged[Int(blocks[1].reference.place.offset) + 40] ^= 1
    damaged[bytes.count - 1] ^= 1
    let listing = try Samples.open(try Samples.directory(holding: damaged)).listBlocks()
    #expect(listing.blocks == [blocks[0]] && listing.end == blocks[1].reference.place.offset)
  }

  @Test func aForeignOrOtherwiseWrittenSegmentIsRefused() throws {
    let directory = try Samples.directory()
    let (_, references, _) = try Samples.write(Samples.small, directory)
    try directory.fileSystem.rename(directory.filePath(5), to: directory.filePath(6))
    var error = #expect(throws: StorageError.self) { try Samples.open(directory, segment: 6) }
    #expect(error?.code == .corruption)
    try directory.fileSystem.rename(directory.filePath(6), to: directory.filePath(5))
    error = #expect(throws: StorageError.self) {
      try SegmentReader.open(directory, segment: 5, lineage: Samples.lineage + 1)
    }
    #expect(error?.code == .corruption)
    var bytes = try Samples.bytes(directory)
    for copy in [0, 4096] { bytes[copy + SegmentFormat.Header.version] = 9 }
    error = #expect(throws: StorageError.self) { try Samples.open(try Samples.directory(holding: bytes)) }
    #expect(error?.code == .unsupportedFormat && error?.message.contains("format 9") == true)
    let reader = try Samples.open(directory)
    // Right place and length, but of another block; another kind; past the end.
    var stale = references[1]
    stale.check ^= 1
    error = #expect(throws: StorageError.self) { try Samples.read(reader, stale) }
    #expect(error?.place == .init(file: directory.filePath(5), offset: stale.place.offset))
    #expect(throws: StorageError.self) { try Samples.read(reader, references[1], .usage) }
    stale = references[1]
    stale.byteCount -= 1
    #expect(throws: StorageError.self) { try Samples.read(reader, stale) }
    for unit in [0, 127, UInt32(reader.fileBytes / 64), .max] {
      stale.place.unit = unit
      error = #expect(throws: StorageError.self) { try Samples.read(reader, stale) }
      #expect(error?.code == .corruption)
    }
  }

  /// Gives its bytes changed a number of times, then right.
  final class UnsureFile: File, @unchecked Sendable {
    let base: any File
    var wrongReads = 0

    init(_ base: any File) { self.base = base }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(StorageError) -> Int {
      let count = try base.read(into: buffer, at: offset)
      if wrongReads > 0, count > 0 {
        wrongReads -= 1
        buffer[count - 1] ^= 1
      }
      return count
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(StorageError) {}
    func allocate(_ byteCount: UInt64) throws(StorageError) {}
    func truncate(to byteCount: UInt64) throws(StorageError) {}
    func size() throws(StorageError) -> UInt64 { try base.size() }
    func sync() throws(StorageError) {}
    func close() { base.close() }
  }

  @Test func whatDoesNotAgreeIsReadASecondTime() throws {
    let directory = try Samples.directory()
    let (_, references, _) = try Samples.write(Samples.small, directory)
    let path = directory.filePath(5)
    let file = UnsureFile(try directory.fileSystem.open(path, .read))
    let reader = try SegmentReader(file, path: path, segment: 5, lineage: Samples.lineage)
    file.wrongReads = 1
    #expect(try Samples.read(reader, references[1]) == Samples.small[1])
    file.wrongReads = 2
    let error = #expect(throws: StorageError.self) { try Samples.read(reader, references[1]) }
    #expect(error?.code == .corruption)
    #expect(error?.place == .init(file: path, offset: references[1].place.offset))
  }

  /// Opens, lists and reads what a damaged segment has: whatever is not where the damage is must be right.
  static func check(
    _ bytes: [UInt8], damaged: Range<Int>?, _ references: [BlockReference], _ blocks: [SegmentBlock]
  ) throws {
    let directory = try SegmentSamples.directory(holding: bytes)
    let reader: SegmentReader
    do throws(StorageError) { reader = try SegmentSamples.open(directory) } catch {
      // One damaged copy of the header does not matter.
      precondition(damaged == nil || bytes.count < 4096 + 128, "\(error)")
      return
    }
    let listing = try reader.listBlocks()
    precondition(listing.blocks == [SegmentBlock](blocks.prefix(listing.blocks.count)))
    for (index, reference) in references.enumerated() {
      let own = Int(reference.place.offset)..<Int(reference.place.offset) + reference.byteCount
      let isHit = own.upperBound > bytes.count || damaged.map { $0.overlaps(own) } ?? false
      do throws(StorageError) {
        let raw = try SegmentSamples.read(reader, reference)
        precondition(!isHit && raw == SegmentSamples.small[index], "a damaged block was taken")
      } catch {
        precondition(isHit && error.place?.offset == reference.place.offset, "\(error)")
      }
    }
    if damaged.map({ $0.lowerBound >= Int(blocks.last!.end) || $0.upperBound <= 8192 }) ?? false {
      precondition(listing.blocks == blocks)
    }
  }

  /// In a process of its own: nothing here may trap.
  @Test func everyByteChangedAndEveryCutIsMet() async {
    await #expect(processExitsWith: .success) {
      let directory = try SegmentSamples.directory()
      let (_, references, blocks) = try SegmentSamples.write(SegmentSamples.small, directory)
      let bytes = try SegmentSamples.bytes(directory)
      let places = Array(0..<200) + Array(4090..<4300) + Array(8000..<bytes.count)
      for place in places {
        for change in [1, 0x80, 0xFF] as [UInt8] {
          var damaged = bytes
          damaged[place] ^= change
          try SegmentTests.check(damaged, damaged: place..<place + 1, references, blocks)
        }
        try SegmentTests.check([UInt8](bytes[..<place]), damaged: nil, references, blocks)
      }
    }
  }

  @Test func noForgedHeaderFooterOrBlockTraps() async {
    await #expect(processExitsWith: .success) {
      let directory = try SegmentSamples.directory()
      let (_, references, blocks) = try SegmentSamples.write(SegmentSamples.small, directory)
      let bytes = try SegmentSamples.bytes(directory)
      let footer = Int(blocks.last!.end)
      let random = SeededRandom(seed: 12)
      let numbers: [UInt64] = [0, 1, 63, 64, 8192, 1 << 31, 1 << 32, 1 << 38, 1 << 62, 1 << 63, .max, .max - 63]
      for _ in 0..<6000 {
        var forged = bytes
        let area = [0..<128, footer..<bytes.count, 8192..<footer][random.next(below: 3)]
        for _ in 0...random.next(below: 2) {
          let number = random.oneIn(2) ? numbers[random.next(below: 12)] : UInt64(random.next(below: bytes.count + 65))
          let length = [1, 2, 4, 8][random.next(below: 4)]
          let place = area.lowerBound + random.next(below: area.count - length)
          for index in 0..<length { forged[place + index] = UInt8(truncatingIfNeeded: number >> (8 * UInt64(index))) }
        }
        forged.withUnsafeMutableBytes { buffer in
          let p = buffer.baseAddress!
          if area.lowerBound == 0 {
            p.store(u32: SegmentHeader.checksum(UnsafeRawPointer(p), copyOffset: 0), at: SegmentFormat.Header.crc)
          } else if area.lowerBound == footer {
            let whole = UnsafeRawBufferPointer(rebasing: buffer[footer...])
            let crc = SegmentFooter.checksum(whole, segment: 5, offset: UInt64(footer))
            p.store(u32: crc, at: bytes.count - SegmentFormat.trailerBytes + SegmentFormat.Trailer.crc)
          } else {
            for reference in references {
              let at = p + Int(reference.place.offset)
              let crc = BlockHeader.checksum(
                UnsafeRawPointer(at), reference.place, storedLength: reference.byteCount - BlockFormat.headerBytes)
              at.store(u32: crc, at: BlockFormat.Header.crc)
            }
          }
        }
        guard let reader = try? SegmentSamples.open(try SegmentSamples.directory(holding: forged)) else { continue }
        let listing = try reader.listBlocks()
        for reference in references + listing.blocks.map(\.reference) {
          _ = try? SegmentSamples.read(reader, reference)
        }
      }
    }
  }

  @Test func theBytesOfAFooterAreThoseOfTheGolden() throws {
    let directory = try Samples.directory()
    let (_, _, blocks) = try Samples.write(Samples.small, directory)
    let bytes = try Samples.bytes(directory)
    let text =
      "The header of segment 5\n"
      + Golden.dump(
        [UInt8](bytes[..<128]),
        [
          ("magic", 8), ("version", 4), ("crc", 4), ("lineage", 8), ("segment", 8), ("checkpoint", 8), ("features", 8),
          ("reserved", 80),
        ]) + "\nIts footer, of three blocks, at offset \(blocks[2].end)\n"
      + Golden.dump(
        [UInt8](bytes[Int(blocks[2].end)...]),
        (0..<3).flatMap {
          [("block \($0): unit", 4), ("byteCount", 4), ("check", 4), ("kind, tree, level, reserved", 4)]
        } + [
          ("filled up", 16), ("magic", 8), ("version", 4), ("crc", 4), ("segment", 8), ("footerOffset", 8),
          ("fileBytes", 8), ("blockCount", 4), ("reserved", 20),
        ])
    #expect(try Golden.difference("segment.txt", text) == nil)
  }
}
