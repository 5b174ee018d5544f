import HearthModel
import HearthTestSupport
import Testing

@Suite struct DocumentCodecTests {
  private static let key = DocumentCodecTests.makeKey("c/d")

  private static func makeKey(_ path: String) -> DocumentKey {
    guard let key = try? DocumentKey(path) else { preconditionFailure(path) }
    return key
  }

  private func document(_ fields: MapValue) -> Document {
    Document(
      key: DocumentCodecTests.key, fields: fields, createTime: -5, updateTime: 1_700_000_000_000_000, version: 77)
  }

  @Test(arguments: 1...8) func decodingGivesBackWhatWasEncoded(seed: Int) throws {
    var random = RandomValues(seed: UInt64(seed))
    for _ in 0..<200 {
      let original = document(random.fields(count: random.below(12)))
      let bytes = DocumentCodec.encode(original)
      let decoded = try DocumentCodec.decode(bytes, key: original.key)
      #expect(decoded == original)
      #expect(DocumentCodec.encode(decoded) == bytes)
    }
  }

  /// Past 65,535 bytes of contents, of names, and of elements, in the document and in maps inside it.
  @Test func largeDocumentsRoundTrip() throws {
    let long = Value.string(String(repeating: "é", count: 40_000))
    let names = MapValue((0..<6000).map { ("field number \($0)", Value.integer(Int64($0))) })
    for fields: MapValue in [
      ["a": long, "b": .integer(1)],
      ["a": .map(["a": long, "b": .null]), "b": .array([long, .boolean(true)])],
      names,
      ["m": .map(names), "z": .array(Array(repeating: .null, count: 70_000))],
      ["v": .vector(Array(repeating: 1.5, count: 10_000)), "w": .bytes(Array(repeating: 7, count: 65_535))],
    ] {
      let original = document(fields)
      let bytes = DocumentCodec.encode(original)
      #expect(try DocumentCodec.decode(bytes, key: original.key) == original)
    }
  }

  @Test(arguments: 1...10) func oneFieldReadsAsInTheWholeDocument(seed: Int) throws {
    var random = RandomValues(seed: UInt64(seed))
    for _ in 0..<200 {
      let fields = random.fields(count: 8)
      let bytes = DocumentCodec.encode(document(fields))
      var paths = (0..<20).map { _ in FieldPath(name: random.name()) }
      paths += paths.map { $0.appending(random.name()) }
      paths += paths.map { $0.appending(random.name()) }
      try bytes.withUnsafeBytes { bytes in
        let encoded = try EncodedDocument(bytes)
        for path in paths { try check(encoded.value(at: path) == fields[path], "\(path)") }
      }
    }
  }

  @Test func theHeaderIsReadAlone() throws {
    try DocumentCodec.encode(document([:])).withUnsafeBytes { bytes in
      let encoded = try EncodedDocument(bytes)
      #expect(encoded.version == 77)
      #expect(encoded.createTime == -5)
      #expect(encoded.updateTime == 1_700_000_000_000_000)
    }
  }

  /// The engine writes 8 bytes at each place it is told; what is read then is what it wrote.
  @Test func placesForTheCommitAreStamped() throws {
    let fields: MapValue = [
      "a": .timestamp(.commitTime), "m": .map(["t": .timestamp(.commitTime), "x": .integer(1)]), "z": .string("z"),
    ]
    var encoded = DocumentCodec.encode(fields, createTime: nil)
    #expect(encoded.timeOffsets.count == 4)
    #expect(Set(encoded.timeOffsets).count == 4)
    let time: Int64 = 1_234_567_890_123_456
    for offset in encoded.timeOffsets { stamp(&encoded.bytes, offset, time.orderedBits) }
    stamp(&encoded.bytes, encoded.versionOffset, 99)
    let decoded = try DocumentCodec.decode(encoded.bytes, key: DocumentCodecTests.key)
    #expect(decoded.fields == fields.stamped(at: time))
    #expect(decoded.fields["a"] == .timestamp(Timestamp(microseconds: time)))
    #expect(decoded.createTime == time)
    #expect(decoded.updateTime == time)
    #expect(decoded.version == 99)

    var replaced = DocumentCodec.encode(["a": .null], createTime: 42)
    #expect(replaced.timeOffsets.count == 1)
    for offset in replaced.timeOffsets { stamp(&replaced.bytes, offset, time.orderedBits) }
    let second = try DocumentCodec.decode(replaced.bytes, key: DocumentCodecTests.key)
    #expect(second.createTime == 42)
    #expect(second.updateTime == time)
  }

  private func stamp(_ bytes: inout [UInt8], _ offset: Int, _ bits: UInt64) {
    withUnsafeBytes(of: bits.bigEndian) { bytes.replaceSubrange(offset..<offset + 8, with: $0) }
  }

  /// On disk since format 0: a change here needs a new format.
  @Test func golden() {
    let fields: MapValue = [
      "b": .boolean(true), "d": .double(1.5), "i": .integer(-2), "l": .array([.null, .integer(300)]),
      "m": .map(["k": .string("v")]), "s": .string("hé"), "t": .timestamp(Timestamp(seconds: 0, nanoseconds: 1000)),
    ]
    let bytes = DocumentCodec.encode(
      Document(key: DocumentCodecTests.key, fields: fields, createTime: 1, updateTime: 2, version: 3))
    let expected = [
      "01",  // format
      "0000000000000003", "8000000000000002", "8000000000000001",  // version, update time, create time
      "00", "0700",  // narrow, 7 fields
      "0100000003", "0200020005", "0300030004", "04000e000b", "050018000d", "06001b0007", "0700230006",
      "62646" + "96c6d7374",  // names
      "3ff8",  // 1.5
      "fe",  // -2
      "000200" + "000001" + "020004" + "2c01",  // [null, 300]
      "000100" + "0100010007" + "6b" + "76",  // {k: "v"}
      "68c3a9",  // "hé"
      "8000000000000001",  // one microsecond
    ].joined()
    #expect(hexText(bytes) == expected)
  }

  @Test func aDocumentWithoutFieldsIsItsHeader() {
    #expect(DocumentCodec.encode([:], createTime: nil).bytes.count == DocumentFormat.headerBytes)
  }

  @Test(arguments: 1...6) func damagedBytesNeverTrap(seed: Int) throws {
    var random = RandomValues(seed: UInt64(seed))
    var refused = 0
    for _ in 0..<100 {
      let original = DocumentCodec.encode(document(random.fields(count: 6)))
      for _ in 0..<10 {
        var bytes = original
        for _ in 0...random.below(3) {
          switch random.below(4) {
          case 0: bytes[random.below(bytes.count)] = UInt8(random.below(256))
          case 1: bytes[random.below(bytes.count)] ^= 1 << random.below(8)
          case 2: if bytes.count > 1 { bytes.removeLast(random.below(bytes.count)) }
          default: bytes.insert(UInt8(random.below(256)), at: random.below(bytes.count))
          }
          if bytes.isEmpty { bytes = [1] }
        }
        switch Result(catching: { () throws(ModelError) in try DocumentCodec.decode(bytes, key: DocumentCodecTests.key)
        })
        {
        case .success(let document):
          // What still decodes is a document like any other.
          let again = try DocumentCodec.decode(DocumentCodec.encode(document), key: document.key)
          check(again == document, "\(hexText(bytes))")
        case .failure(.corruption): refused += 1
        case .failure(let error): Issue.record(error)
        }
        bytes.withUnsafeBytes { bytes in
          for name in ["a", "b", "name"] {
            _ = try? EncodedDocument(bytes).value(at: FieldPath(name: name).appending("a"))
          }
        }
      }
    }
    #expect(refused > 300)
  }

  @Test func deepNestingIsRefusedNotFollowed() {
    // A map whose only field "a" is such a map, 100,000 times: 7 bytes a level, wide.
    var content: [UInt8] = []
    var levels: [[UInt8]] = []
    let depth = 2000
    var size = 0
    for _ in 0..<depth {
      var level: [UInt8] = [1]
      withUnsafeBytes(of: UInt32(1).littleEndian) { level.append(contentsOf: $0) }
      withUnsafeBytes(of: UInt32(1).littleEndian) { level.append(contentsOf: $0) }
      withUnsafeBytes(of: UInt32(size).littleEndian) { level.append(contentsOf: $0) }
      level += [13, UInt8(ascii: "a")]
      size += level.count
      levels.append(level)
    }
    for level in levels.reversed() { content += level }
    let header = Array(DocumentCodec.encode([:], createTime: nil).bytes)
    #expect(throws: ModelError.corruption("an encoded value is nested more than 64 deep")) {
      try DocumentCodec.decode(header + content, key: DocumentCodecTests.key)
    }
  }

  @Test func aHugeCountIsNoHugeAllocation() {
    let header = Array(DocumentCodec.encode([:], createTime: nil).bytes)
    let bytes: [UInt8] = header + [1, 0xFF, 0xFF, 0xFF, 0xFF] + Array(repeating: 0, count: 64)
    #expect(throws: ModelError.corruption("a container of 69 bytes is too short for its table")) {
      try DocumentCodec.decode(bytes, key: DocumentCodecTests.key)
    }
  }
}
