import HearthTestSupport
import Testing

@testable import HearthStorage

struct BlockTests {
  static let place = BlockPlace(segment: 7, unit: 129)

  static func encode(
    _ raw: [UInt8], kind: BlockKind = .page, level: UInt8 = 0, checkpoint: UInt64 = 3, at place: BlockPlace = place,
    compresses: Bool = true
  ) -> (bytes: [UInt8], reference: BlockReference) {
    let buffer = ByteBuffer()
    let reference = raw.withUnsafeBytes {
      BlockWriter.append(
        $0, kind: kind, tree: kind.belongsToTree ? .indexes : nil, level: level, checkpoint: checkpoint, at: place,
        compresses: compresses, to: buffer)
    }
    return ([UInt8](buffer.bytes), reference)
  }

  static func decode(_ bytes: [UInt8], at place: BlockPlace = place) throws(StorageError) -> [UInt8] {
    try bytes.withUnsafeBufferPointer { (bytes) throws(StorageError) -> [UInt8] in
      let view = try BlockView(UnsafeRawBufferPointer(bytes), at: place)
      let raw = UnsafeMutableRawBufferPointer.allocate(byteCount: view.header.rawLength, alignment: 16)
      defer { raw.deallocate() }
      try view.decode(into: raw)
      return [UInt8](raw)
    }
  }

  static func header(_ bytes: [UInt8]) throws(StorageError) -> BlockHeader {
    try bytes.withUnsafeBufferPointer { (bytes) throws(StorageError) -> BlockHeader in
      try BlockHeader.read(UnsafeRawPointer(bytes.baseAddress!))
    }
  }

  /// Makes the checksum right again after a change.
  static func reseal(_ bytes: inout [UInt8], at place: BlockPlace = place) {
    let storedLength = bytes.count - BlockFormat.headerBytes
    bytes.withUnsafeMutableBytes { buffer in
      let p = buffer.baseAddress!
      p.store(u32: BlockHeader.checksum(UnsafeRawPointer(p), place, storedLength: storedLength), at: 0)
    }
  }

  static func compressible(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 / 7) } }

  @Test func whatGoesInComesOut() throws {
    let random = SeededRandom(seed: 1)
    for _ in 0..<300 {
      let kind = BlockKind.allCases[random.next(below: BlockKind.allCases.count)]
      let count = 1 + random.next(below: random.oneIn(4) ? 40 : 40_000)
      let noise = random.next(below: count + 1)
      let raw = random.bytes(noise) + Self.compressible(count - noise)
      let place = BlockPlace(segment: 1 + random.next() >> 3, unit: UInt32(truncatingIfNeeded: random.next()))
      let (bytes, reference) = Self.encode(raw, kind: kind, level: 31, checkpoint: 1 << 61, at: place)
      #expect(try Self.decode(bytes, at: place) == raw)
      let header = try Self.header(bytes)
      #expect(header.kind == kind && header.level == 31 && header.checkpoint == 1 << 61)
      #expect(header.tree == (kind.belongsToTree ? .indexes : nil))
      #expect(reference == BlockReference(place: place, byteCount: bytes.count, check: header.crc))
    }
  }

  @Test func blocksFollowOneAnotherInOneBuffer() throws {
    let buffer = ByteBuffer(capacity: 4096)
    let payloads = [Self.compressible(9000), SeededRandom(seed: 2).bytes(5000), [1]]
    var ends: [Int] = []
    for raw in payloads {
      raw.withUnsafeBytes {
        _ = BlockWriter.append($0, kind: .page, tree: .documents, checkpoint: 1, at: Self.place, to: buffer)
      }
      ends.append(buffer.count)
    }
    var start = 0
    for (raw, end) in zip(payloads, ends) {
      #expect(try Self.decode([UInt8](buffer.bytes[start..<end])) == raw)
      start = end
    }
  }

  @Test func aPayloadIsCompressedOnlyWhereThatSavesEnough() throws {
    let (bytes, _) = Self.encode(Self.compressible(10_000))
    #expect(try Self.header(bytes).codec == .lz4)
    #expect(bytes.count < 5000)
    #expect(try Self.header(Self.encode(Self.compressible(10_000), compresses: false).bytes).codec == .raw)
    // LZ4 takes some 40 bytes to say that 10,000 are noise, and the run behind it costs next to nothing.
    let noise = SeededRandom(seed: 3).bytes(10_000)
    for (run, codec) in [(0, BlockCodec.raw), (600, .raw), (800, .lz4)] {
      let raw = noise + [UInt8](repeating: 0, count: run)
      let (bytes, _) = Self.encode(raw)
      #expect(try Self.header(bytes).codec == codec, "a run of \(run)")
      #expect(try Self.decode(bytes) == raw)
    }
  }

  @Test func aBlockOfAnotherPlaceIsNotTaken() {
    let (bytes, _) = Self.encode([1, 2, 3])
    for place in [BlockPlace(segment: 7, unit: 130), BlockPlace(segment: 8, unit: 129)] {
      #expect(throws: StorageError.self) { try Self.decode(bytes, at: place) }
    }
  }

  @Test func everyFlippedBitAndEveryCutIsNoticed() {
    for raw in [Self.compressible(400), SeededRandom(seed: 4).bytes(90)] {
      let (bytes, _) = Self.encode(raw)
      for place in bytes.indices {
        for bit in 0..<8 {
          var damaged = bytes
          damaged[place] ^= 1 << UInt8(bit)
          #expect(throws: StorageError.self, "byte \(place), bit \(bit)") { try Self.decode(damaged) }
        }
        #expect(throws: StorageError.self, "cut at \(place)") { try Self.decode([UInt8](bytes[..<place])) }
      }
    }
  }

  @Test func aHeaderThatCannotBeIsRefusedThoughItChecks() {
    let (bytes, _) = Self.encode(Self.compressible(400))
    let changes: [(offset: Int, value: [UInt8], code: StorageError.Code)] = [
      (BlockFormat.Header.kind, [0], .corruption), (BlockFormat.Header.kind, [7], .corruption),
      (BlockFormat.Header.kind, [5], .corruption), (BlockFormat.Header.codec, [2], .corruption),
      (BlockFormat.Header.codec, [0], .corruption), (BlockFormat.Header.tree, [3], .corruption),
      (BlockFormat.Header.tree, [255], .corruption), (BlockFormat.Header.level, [32], .corruption),
      (BlockFormat.Header.reserved, [0, 1], .corruption), (BlockFormat.Header.dictionary, [1], .unsupportedFormat),
      (BlockFormat.Header.keyEpoch, [0, 0, 0, 1], .unsupportedFormat),
      (BlockFormat.Header.checkpoint + 7, [0x40], .corruption),
      (BlockFormat.Header.rawLength, [1, 0, 2, 0], .corruption), (BlockFormat.Header.rawLength, [0, 0], .corruption),
      (BlockFormat.Header.rawLength, [0x8F, 1], .corruption), (BlockFormat.Header.rawLength, [0x91, 1], .corruption),
    ]
    for (offset, value, code) in changes {
      var forged = bytes
      forged.replaceSubrange(offset..<(offset + value.count), with: value)
      Self.reseal(&forged)
      let error = #expect(throws: StorageError.self, "\(value) at \(offset)") { try Self.decode(forged) }
      #expect(error?.code == code, "\(value) at \(offset)")
    }
    var same = bytes
    Self.reseal(&same)
    #expect(same == bytes)
  }

  /// Lengths that lie must neither trap nor be allocated: in a process of its own.
  @Test func noForgedHeaderOrPayloadTraps() async {
    await #expect(processExitsWith: .success) {
      let random = SeededRandom(seed: 5)
      let (bytes, _) = BlockTests.encode(BlockTests.compressible(400))
      for _ in 0..<20_000 {
        var forged = bytes
        for _ in 0...random.next(below: 3) {
          forged[4 + random.next(below: random.oneIn(2) ? 28 : bytes.count - 4)] = UInt8(
            truncatingIfNeeded: random.next())
        }
        BlockTests.reseal(&forged)
        _ = try? BlockTests.decode(forged)
      }
    }
  }

  @Test func aReferenceIsReadBackOrRefused() throws {
    func read(_ bytes: [UInt8], _ kind: BlockKind = .page) throws -> BlockReference? {
      try bytes.withUnsafeBytes { try BlockReference.read($0.baseAddress!, kind: kind) }
    }
    func encoded(_ reference: BlockReference) -> [UInt8] {
      var bytes = [UInt8](repeating: 0xEE, count: BlockFormat.referenceBytes)
      bytes.withUnsafeMutableBytes { reference.encode(to: $0.baseAddress!) }
      return bytes
    }
    let largest = BlockFormat.headerBytes + BlockKind.page.rawBytesMax
    let good = BlockReference(place: BlockPlace(segment: 9, unit: .max), byteCount: largest, check: 0xFFFF_FFFF)
    #expect(try read(encoded(good)) == good)
    #expect(good.place.offset == (1 << 38) - 64)
    #expect(try read([UInt8](repeating: 0, count: 20)) == nil)
    for place in 8..<20 {
      var bytes = [UInt8](repeating: 0, count: 20)
      bytes[place] = 1
      #expect(throws: StorageError.self) { try read(bytes) }
    }
    for change in [
      { $0.place.segment = 1 << 63 }, { $0.byteCount = 32 }, { $0.byteCount = largest + 1 },
    ] as [(inout BlockReference) -> Void] {
      var bad = good
      change(&bad)
      #expect(throws: StorageError.self) { try read(encoded(bad)) }
    }
    var blob = good
    blob.byteCount = largest + 1
    #expect(try read(encoded(blob), .blob) == blob)
  }

  @Test func theBytesOfABlockAreThoseOfTheGolden() throws {
    let raw = [UInt8]("the same words, the same words, the same words again and again".utf8)
    let (bytes, reference) = Self.encode(raw, level: 1, checkpoint: 0x1122_3344)
    var named = [UInt8](repeating: 0, count: BlockFormat.referenceBytes)
    named.withUnsafeMutableBytes { reference.encode(to: $0.baseAddress!) }
    let text =
      "A page block at segment 7, offset 8256\n"
      + Golden.dump(
        bytes,
        [
          ("crc", 4), ("storedLength", 4), ("rawLength", 4), ("kind", 1), ("codec", 1), ("tree", 1), ("level", 1),
          ("dictionary", 2), ("reserved", 2), ("keyEpoch", 4), ("checkpoint", 8),
          ("payload", bytes.count - BlockFormat.headerBytes),
        ]) + "\nThe reference to it\n"
      + Golden.dump(named, [("segment", 8), ("unit", 4), ("byteCount", 4), ("check", 4)])
    #expect(try Golden.difference("block.txt", text) == nil)
  }
}
