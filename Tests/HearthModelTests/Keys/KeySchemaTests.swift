import HearthModel
import HearthTestSupport
import Testing

@Suite struct KeySchemaTests {
  @Test(arguments: [
    ("users/ada", "75736572730001" + "61646100"),
    ("c/__id7__", "630001" + "008000000000000007"),
    ("c/a\0\u{1}", "630001" + "6101010102" + "00"),
    ("c/d/e/f", "630002" + "6400" + "6500" + "01" + "6600"),
  ]) func golden(path: String, hex: String) throws {
    #expect(hexText(KeySchema.key(of: try DocumentKey(path))) == hex)
  }

  @Test func aCatalogKeyHasItsTableFirst() {
    #expect(hexText(KeySchema.catalogKey(.options, "ab")) == "01616200")
    #expect(hexText(KeySchema.catalogKey(.counters, "ab")) == "02616200")
  }

  @Test(arguments: 1...10) func keysDecodeAndKeepTheirPlaces(seed: Int) throws {
    var random = RandomValues(seed: UInt64(seed))
    let keys = (0..<24).map { _ in random.key() }
    for key in keys {
      let bytes = KeySchema.key(of: key)
      #expect(try KeySchema.document(of: bytes) == key)
      let prefix = KeySchema.prefix(of: key.parent)
      #expect(bytes.starts(with: prefix))
      let direct = try bytes.withUnsafeBytes {
        try KeySchema.document(of: $0, in: key.parent, prefixCount: prefix.count)
      }
      #expect(direct == key)
    }
    for key in keys {
      for other in keys {
        let bytes = KeySchema.key(of: other)
        let isBelow = Array(other.path.utf8).starts(with: Array(key.path.utf8) + Array("/".utf8))
        let isIn = Array(other.path.utf8).starts(with: Array(key.parent.path.utf8) + Array("/".utf8))
        check(KeySchema.everything(below: key).contains(bytes) == isBelow, "\(other) below \(key)")
        check(KeySchema.everything(in: key.parent).contains(bytes) == isIn, "\(other) in \(key.parent)")
        check(
          KeySchema.documents(of: key.parent).contains(bytes) == (other.parent == key.parent),
          "\(other) of \(key.parent)")
        check((KeySchema.key(of: key) == bytes) == (key == other), "\(other) and \(key)")
      }
    }
  }

  @Test func documentsOfACollectionComeBeforeAllThatIsBelowThem() throws {
    let paths = ["c/z", "c/a/d/x", "c/z/d/x", "c/a", "c", "cc/a", "c/a/d/x/e/y"].filter { $0 != "c" }
    let sorted = try paths.map { try DocumentKey($0) }
      .sorted { compareBytes(KeySchema.key(of: $0), KeySchema.key(of: $1)) == .less }
    #expect(sorted.map(\.path) == ["c/a", "c/z", "c/a/d/x", "c/a/d/x/e/y", "c/z/d/x", "cc/a"])
  }

  /// Lists collections by seeking alone, over documents whose parents do not exist.
  @Test func collectionsAreListedBySeeking() throws {
    let paths = [
      "a/1", "a/2", "b/none/x/1", "b/none/y/1/deep/2", "b/none/y/3", "b/other/w/1", "c\0/1", "c/__id5__/n/1", "d/1",
    ]
    let keys = try paths.map { KeySchema.key(of: try DocumentKey($0)) }.sorted { $0.lexicographicallyPrecedes($1) }
    func collections(below document: DocumentKey?) throws -> [String] {
      var found: [String] = []
      let interval = KeySchema.everything(below: document)
      var place = interval.lower
      // Bounded, so that a step that does not go on fails instead of hanging.
      while found.count <= keys.count, let key = keys.first(where: { !$0.lexicographicallyPrecedes(place) }),
        interval.contains(key)
      {
        let collection = try key.withUnsafeBytes { try KeySchema.collection(holding: $0, below: document) }
        found.append(collection.path)
        place = KeySchema.keyAfterEverything(in: collection)
      }
      return found
    }
    #expect(try collections(below: nil) == ["a", "b", "c", "c\0", "d"])
    #expect(try collections(below: DocumentKey("b/none")) == ["b/none/x", "b/none/y"])
    #expect(try collections(below: DocumentKey("b/none/y/1")) == ["b/none/y/1/deep"])
    #expect(try collections(below: DocumentKey("c/__id5__")) == ["c/__id5__/n"])
    #expect(try collections(below: DocumentKey("a/1")) == [])
  }

  /// The engine takes keys of at most 16 KiB. Escaping at most doubles a byte, so paths made of the bytes that double,
  /// of the most segments, and of the longest ids bound every other.
  @Test func theLongestPathsFitAKey() throws {
    let nul = "\0"
    // 200 segments, as long as 6 KiB allow: 199 slashes and 29 or 30 bytes each.
    let total = ResourcePath.pathBytesMax - 199
    var many = (0..<200).map { _ in String(repeating: nul, count: total / 200) }
    for index in 0..<total % 200 { many[index] += nul }
    // The longest ids: three of 1,500 bytes and one that takes the rest.
    let long = [1500, 1500, 1500, 1500].map { String(repeating: nul, count: $0) }
    for segments in [many, long] {
      let key = try DocumentKey(segments.joined(separator: "/"))
      let bytes = KeySchema.key(of: key)
      #expect(bytes.count <= 12_588)
      #expect(bytes.count < 16 << 10)
      #expect(try KeySchema.document(of: bytes) == key)
    }
    let most = KeySchema.key(of: try DocumentKey(many.joined(separator: "/")))
    // Exactly what the comment of KeySchema says: two bytes for each of the path's bytes that is no slash, 200 ends,
    // 100 marks.
    #expect(most.count == 2 * total + 200 + 100)
  }

  @Test(arguments: [
    "", "63", "6300", "630001", "63000161", "630003" + "6100", "630001" + "00" + "00", "63000161" + "00ff",
    "000161" + "00",
    "6300" + "01" + "c300", "6300" + "01" + "622f6300", "630001" + "0103" + "00", "6300" + "01" + "5f5f6964375f5f00",
    "63000261006400",
  ]) func whatIsNoKeyIsRefused(hex: String) {
    #expect(throws: ModelError.self) { try KeySchema.document(of: bytesOf(hex: hex)) }
  }

  @Test(arguments: 1...5) func changedKeysNeverTrap(seed: Int) {
    var random = RandomValues(seed: UInt64(seed))
    var decoded = 0
    for _ in 0..<5000 {
      var bytes = KeySchema.key(of: random.key())
      bytes[random.below(bytes.count)] = UInt8(random.below(256))
      if random.below(3) == 0 { bytes.removeLast(random.below(bytes.count)) }
      if let key = try? KeySchema.document(of: bytes) {
        decoded += 1
        #expect(KeySchema.key(of: key) == bytes, "\(hexText(bytes)) is a second key of \(key)")
      }
    }
    #expect(decoded > 0)
  }
}

func bytesOf(hex: String) -> [UInt8] {
  let digits = hex.compactMap(\.hexDigitValue)
  return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
}
