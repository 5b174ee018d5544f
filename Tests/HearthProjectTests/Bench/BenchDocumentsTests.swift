import Testing

@testable import HearthBench

/// The data set is that of the comparison with other databases. The expected values were printed by its C++ generator.
struct BenchDocumentsTests {
  static let documents = BenchDocuments(seed: 42)

  static func line(_ index: UInt64) -> [UInt8] {
    let document = documents.document(index)
    return document.path + [UInt8(ascii: " ")] + document.json + [UInt8(ascii: "\n")]
  }

  /// FNV-1a, 64 bits.
  static func hash(_ bytes: some Sequence<UInt8>, _ start: UInt64 = 0xCBF2_9CE4_8422_2325) -> UInt64 {
    bytes.reduce(start) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }

  @Test func theFirstDocumentsAreThoseOfTheOtherGenerator() throws {
    let golden = try ProjectTree.text("Tests/Goldens/bench-documents.txt").split(separator: "\n")
    #expect(golden.count == 20)
    for (index, line) in golden.enumerated() {
      #expect(String(decoding: Self.line(UInt64(index)).dropLast(), as: UTF8.self) == line)
    }
  }

  @Test func tenThousandDocumentsHaveTheChecksumOfTheOtherGenerator() {
    var json = Self.hash([])
    var binary = Self.hash([])
    for index in 0..<UInt64(10_000) {
      json = Self.hash(Self.line(index), json)
      binary = Self.hash(StoredDocument(Self.documents.document(index)).value, binary)
    }
    #expect(json == 0x85D8_F1F0_6FC0_3388)
    #expect(binary == 0xB929_ED3B_A6DA_961E)
  }

  @Test func skewedChoicesAreThoseOfTheOtherGenerator() {
    let zipf = Zipf(count: 10_000)
    var random = SplitMix(seed: 42, stream: 900, item: 0)
    let ranks = (0..<10).map { _ in zipf.rank(&random) }
    let hashed = (0..<10).map { _ in zipf.hashed(&random) }
    #expect(ranks == [1386, 1328, 0, 1, 262, 77, 0, 84, 0, 826])
    #expect(hashed == [4339, 5955, 545, 6444, 2620, 3984, 8206, 7672, 8651, 4006])
  }

  @Test func indexKeysOrderAsTheirFields() {
    let stored = (0..<200).map { (Self.documents.document($0), StoredDocument(Self.documents.document($0))) }
    func order(_ which: Int) -> [BenchDocument] {
      stored.sorted { $0.1.indexKeys[which].lexicographicallyPrecedes($1.1.indexKeys[which]) }.map(\.0)
    }
    for (before, after) in zip(order(0), order(0).dropFirst()) {
      #expect(!after.city.lexicographicallyPrecedes(before.city))
    }
    for (before, after) in zip(order(1), order(1).dropFirst()) { #expect(before.age <= after.age) }
    for (before, after) in zip(order(2), order(2).dropFirst()) { #expect(before.createdAt <= after.createdAt) }
    for (before, after) in zip(order(3), order(3).dropFirst()) where before.city == after.city {
      #expect(before.createdAt >= after.createdAt)
    }
  }

  @Test func theScoreLiesWhereUpdatesOverwriteIt() {
    let document = Self.documents.document(7)
    let stored = StoredDocument(document)
    let bits = stored.value[stored.scoreOffset..<(stored.scoreOffset + 8)].reversed().reduce(UInt64(0)) {
      $0 << 8 | UInt64($1)
    }
    #expect(Double(bitPattern: bits) == document.score)
  }
}
