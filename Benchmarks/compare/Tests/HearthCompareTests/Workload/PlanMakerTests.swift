import Testing

@testable import HearthCompare

struct PlanMakerTests {
  static let documents = BenchDocuments()

  @Test func theSameRowAndRoundAreTheSameForEveryEngine() throws {
    let row = try #require(Row.named("ycsb-a"))
    func keys(_ round: Int) -> [[UInt8]] {
      PlanMaker(documents: Self.documents, count: 200, round: round).plans(row).flatMap(\.operations).map { operation in
        switch operation {
        case .read(let key): key
        case .update(let change): change.key
        default: []
        }
      }
    }
    #expect(keys(0) == keys(0))
    #expect(keys(0) != keys(1))
    #expect(!keys(0).contains([]))
  }

  @Test func noTwoRowsOrThreadsInsertTheSameDocument() {
    let plans = PlanMaker(documents: Self.documents, count: 300, round: 0)
    var seen: Set<[UInt8]> = Set((0..<300).map { Self.documents.path($0) })
    for row in Row.all {
      for plan in plans.plans(row) {
        for document in plan.documents { #expect(seen.insert(document.key).inserted, "\(row.name)") }
      }
    }
  }

  @Test func theNewestDocumentsExistWhenTheyAreRead() throws {
    let row = try #require(Row.named("ycsb-d-2"))
    let loaded = Set((0..<300).map { Self.documents.path($0) })
    for plan in PlanMaker(documents: Self.documents, count: 300, round: 0).plans(row) {
      var there = loaded
      for operation in plan.operations {
        switch operation {
        case .insert(let place): there.insert(plan.documents[place].key)
        case .read(let key): #expect(there.contains(key))
        default: Issue.record("YCSB D only reads and inserts")
        }
      }
    }
  }

  @Test func bulkOrderIsTheOrderOfTheBytes() {
    let order = BulkOrder(documents: Self.documents, count: 500)
    let keys = (0..<500).map { order.document($0).key }
    #expect(zip(keys, keys.dropFirst()).allSatisfy { $0.lexicographicallyPrecedes($1) })
    for kind in IndexKind.allCases {
      let entries = order.entries(of: kind).map { order.key($0, of: kind) }
      #expect(zip(entries, entries.dropFirst()).allSatisfy { $0.lexicographicallyPrecedes($1) }, "\(kind)")
      #expect(Set(entries) == Set((0..<500).map { order.document($0).stored.indexKeys[kind.rawValue] }))
    }
  }

  @Test func aDigestSeesEveryByteAndThePlace() {
    let bytes = (0..<77).map { UInt8($0) }
    func digest(_ bytes: [UInt8], place: Int = 0) -> UInt64 {
      var digest = AnswerDigest()
      bytes.withUnsafeBytes { digest.add($0, place: place) }
      return digest.value
    }
    var seen: Set<UInt64> = [digest(bytes), digest(bytes, place: 1), digest(bytes.dropLast()), digest(bytes + [0])]
    #expect(seen.count == 4)
    for index in bytes.indices {
      for bit in 0..<8 {
        var changed = bytes
        changed[index] ^= 1 << UInt8(bit)
        #expect(seen.insert(digest(changed)).inserted, "byte \(index), bit \(bit)")
      }
    }
  }
}
