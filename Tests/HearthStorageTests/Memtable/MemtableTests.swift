import Testing

@testable import HearthStorage

/// What one layer does with single operations.
struct MemtableTests {
  private let memtable = Memtable(leafSlotsMax: 4, innerSlotsMax: 4)

  private func find(_ key: [UInt8], in roots: Roots) -> Entry? {
    key.withKeyBytes { roots.documents.find($0) }
  }

  // MARK: Composition

  struct Composition: Sendable, CustomTestStringConvertible {
    var first: EntryKind
    var second: EntryKind
    /// `nil`: the pair vanishes.
    var result: EntryKind?
    var oldSize: Int

    var testDescription: String { "\(second) on \(first)" }
  }

  static let compositions = [
    Composition(first: .insert, second: .replace, result: .insert, oldSize: 0),
    Composition(first: .insert, second: .remove, result: nil, oldSize: 0),
    Composition(first: .replace, second: .replace, result: .replace, oldSize: 10),
    Composition(first: .replace, second: .remove, result: .remove, oldSize: 10),
    Composition(first: .remove, second: .insert, result: .replace, oldSize: 10),
  ]

  @Test(arguments: compositions, [false, true])
  func operationsOnOneKeyCompose(_ composition: Composition, isFolded: Bool) throws {
    let upper = Memtable()
    var (roots, upperRoots) = (Roots(), Roots())
    try memtable.apply(composition.first, .documents, [7], [1], oldSize: 10, version: 3, number: 1, to: &roots)
    if isFolded {
      try upper.apply(composition.second, .documents, [7], [2, 2], oldSize: 20, version: 5, number: 1, to: &upperRoots)
      var fold = LayerFold(upper, upperRoots, into: memtable)
      #expect(try fold.step(entriesMax: 10, number: 2, to: &roots))
    } else {
      try memtable.apply(composition.second, .documents, [7], [2, 2], oldSize: 20, version: 5, number: 2, to: &roots)
    }
    let entry = find([7], in: roots)
    #expect(entry?.kind == composition.result)
    #expect(roots.documents.total == (composition.result?.sign ?? 0))
    if let entry, let result = composition.result {
      #expect(entry.version == 5)
      #expect(entry.oldSize == composition.oldSize)
      #expect(Array(entry.value) == (result == .remove ? [] : [2, 2]))
    } else {
      #expect(roots.documents.vanished == 5)
    }
  }

  @Test(arguments: [EntryKind.insert, .replace, .remove])
  func anOperationOnNothingKeepsItsClaim(_ kind: EntryKind) throws {
    var roots = Roots()
    try memtable.apply(kind, .documents, [7], [1, 2], oldSize: 10, version: 3, number: 1, to: &roots)
    let entry = try #require(find([7], in: roots))
    #expect(entry.kind == kind)
    #expect(entry.oldSize == (kind == .insert ? 0 : 10))
    #expect(entry.version == 3)
    #expect(Array(entry.key.bytes) == [7])
    #expect(Array(entry.value) == (kind == .remove ? [] : [1, 2]))
    #expect(roots.documents.total == kind.sign)
  }

  @Test(arguments: [
    (EntryKind.insert, EntryKind.insert), (.replace, .insert), (.remove, .replace), (.remove, .remove),
  ])
  func aWrongClaimIsRefusedBeforeAnythingChanges(_ first: EntryKind, _ second: EntryKind) throws {
    var roots = Roots()
    for key in 0..<40 {
      try memtable.apply(first, .documents, [0xAB, UInt8(key)], [1], oldSize: 1, version: 3, number: 1, to: &roots)
    }
    let before = (roots, memtable.statistics)
    let error = #expect(throws: StorageError.self) {
      try memtable.apply(second, .documents, [0xAB, 9], [2], oldSize: 1, version: 4, number: 2, to: &roots)
    }
    #expect(error?.code == .invalidArgument)
    #expect(error?.message.contains("ab09") == true)
    #expect(roots == before.0)
    #expect(memtable.statistics == before.1)
    memtable.checkInvariants(roots.documents)
  }

  @Test func aKeyOverTheLimitIsRefused() throws {
    var roots = Roots()
    let key = [UInt8](repeating: 1, count: StorageLimits.keyBytesMax)
    try memtable.apply(.insert, .documents, key, version: 1, number: 1, to: &roots)
    let error = #expect(throws: StorageError.self) {
      try memtable.apply(.insert, .documents, key + [1], version: 1, number: 1, to: &roots)
    }
    #expect(error?.code == .invalidArgument)
    #expect(roots.documents.total == 1)
  }

  @Test func aValueLargerThanAChunkIsKeptWhole() throws {
    var roots = Roots()
    let large = (0..<(3 << 20)).map { UInt8(truncatingIfNeeded: $0 / 7) }
    try memtable.apply(.insert, .documents, [1], [1], version: 1, number: 1, to: &roots)
    try memtable.apply(.insert, .documents, [2], large, version: 1, number: 1, to: &roots)
    try memtable.apply(.insert, .documents, [3], [3], version: 1, number: 1, to: &roots)
    #expect(find([2], in: roots).map { Array($0.value) } == large)
    #expect(find([3], in: roots).map { Array($0.value) } == [3])
    // The small entries share one chunk.
    #expect(memtable.statistics.arenaBytes < large.count + LargeBlock.byteCountMin + 4096)
    #expect(memtable.statistics.entryBytes == large.count + 5)
  }

  // MARK: Persistence

  @Test func aRootStaysAsItWas() throws {
    var roots = Roots()
    var history: [Roots] = [roots]
    for key in 0..<200 {
      try memtable.apply(.insert, .documents, [UInt8(key)], [1], version: 1, number: UInt64(key + 1), to: &roots)
      history.append(roots)
    }
    for (count, old) in history.enumerated() {
      #expect(old.documents.total == count)
      #expect(find([UInt8(max(count, 1) - 1)], in: old) != nil || count == 0)
      #expect(find([UInt8(count)], in: old) == nil)
    }
  }

  @Test func oneNumberChangesItsNodesInPlace() throws {
    var roots = Roots()
    for key in 0..<100 { try memtable.apply(.insert, .documents, [UInt8(key)], version: 1, number: 1, to: &roots) }
    #expect(memtable.statistics.nodesRetired == 0)
    try memtable.apply(.replace, .documents, [50], version: 2, number: 2, to: &roots)
    let afterOne = memtable.statistics.nodesRetired
    #expect(afterOne > 1)
    try memtable.apply(.replace, .documents, [50], [1], version: 2, number: 2, to: &roots)
    #expect(memtable.statistics.nodesRetired == afterOne)
  }

  @Test func aHeldRootCostsAtMostOneCopyOfTheNodes() throws {
    var roots = Roots()
    for key in 0..<250 { try memtable.apply(.insert, .documents, [UInt8(key)], version: 1, number: 1, to: &roots) }
    let held = roots
    let nodes = memtable.statistics.nodesLive
    for number in 2...UInt64(2000) {
      let key = UInt8(number % 250)
      try memtable.apply(.replace, .documents, [key], [9], oldSize: 0, version: number, number: number, to: &roots)
      memtable.published(number)
      memtable.reclaim(live: [1, number])
    }
    #expect(memtable.statistics.nodesRetired <= nodes)
    #expect(memtable.statistics.nodesLive == nodes)
    for key in 0..<250 { #expect(find([UInt8(key)], in: held)?.version == 1) }
    memtable.checkInvariants(held.documents)
    memtable.reclaim(live: [2000])
    #expect(memtable.statistics.nodesRetired == 0)
    #expect(memtable.statistics.nodeBytes < 4 * nodes * Node.byteCount)
  }

  @Test func aRollbackReturnsToTheEarlierRoots() throws {
    var roots = Roots()
    for key in 0..<100 { try memtable.apply(.insert, .documents, [UInt8(key)], version: 1, number: 1, to: &roots) }
    memtable.published(1)
    let (published, nodes) = (roots, memtable.statistics.nodesLive)
    for round in UInt64(0)..<50 {
      roots = published
      for number in [round * 2 + 2, round * 2 + 3] {
        for key in 0..<100 where key % 3 == 0 {
          let kind: EntryKind = number % 2 == 0 ? .remove : .insert
          try memtable.apply(kind, .documents, [UInt8(key)], version: number, number: number, to: &roots)
        }
      }
      memtable.rollback(toNumber: 1)
      // A view of a forgotten number is still open: nothing that it shows is reused.
      memtable.reclaim(live: [1, round * 2 + 3])
      memtable.checkInvariants(roots.documents)
      memtable.checkInvariants(published.documents)
      #expect(roots.documents.total == 100)
      #expect(published.documents.newest == 1)
    }
    memtable.reclaim(live: [1])
    #expect(memtable.statistics.nodesLive == nodes)
    #expect(memtable.statistics.nodesRetired == 0)
  }

  // MARK: Vanished pairs

  @Test func aVanishedPairIsRememberedWhereItWas() throws {
    var roots = Roots()
    for key in 0..<100 { try memtable.apply(.insert, .documents, [UInt8(key * 2)], version: 1, number: 1, to: &roots) }
    try memtable.apply(.insert, .documents, [41], version: 5, number: 2, to: &roots)
    try memtable.apply(.remove, .documents, [41], version: 6, number: 3, to: &roots)
    #expect(hasChange(roots, [41], [42], after: 5))
    #expect(!hasChange(roots, [41], [42], after: 6))
    #expect(!hasChange(roots, [160], nil, after: 4), "a leaf far from the pair knows nothing of it")
  }

  @Test func anEmptiedTreeRemembersItsVanishedPairs() throws {
    var roots = Roots()
    for key in 0..<200 {
      try memtable.apply(.insert, .documents, [UInt8(key)], version: 1, number: UInt64(key + 1), to: &roots)
    }
    for key in 0..<200 {
      try memtable.apply(
        .remove, .documents, [UInt8(key)], version: UInt64(key + 2), number: UInt64(key + 300), to: &roots)
      memtable.checkInvariants(roots.documents)
      #expect(hasChange(roots, [UInt8(key)], [UInt8(key), 0], after: UInt64(key + 1)))
      #expect(!hasChange(roots, [], nil, after: UInt64(key + 2)))
    }
    #expect(roots.documents.isEmpty)
    #expect(roots.documents.vanished == 201)
    #expect(memtable.statistics.nodesLive == 0)
    try memtable.apply(.insert, .documents, [3], version: 500, number: 600, to: &roots)
    #expect(roots.documents.vanished == 201)
  }

  @Test func aTreeThatShrinksToOneKeyIsOneNode() throws {
    for survivor in [0, 100, 199] {
      let memtable = Memtable(leafSlotsMax: 4, innerSlotsMax: 8)
      var roots = Roots()
      for key in 0..<200 {
        try memtable.apply(.insert, .documents, [9, UInt8(key)], version: 1, number: 1, to: &roots)
      }
      for key in 0..<200 where key != survivor {
        try memtable.apply(.remove, .documents, [9, UInt8(key)], version: 2, number: 2, to: &roots)
        memtable.checkInvariants(roots.documents)
      }
      #expect(roots.documents.node?.isLeaf == true)
      #expect(memtable.statistics.nodesLive == 1)
      #expect(find([9, UInt8(survivor)], in: roots) != nil)
    }
  }

  private func hasChange(_ roots: Roots, _ lower: [UInt8], _ upper: [UInt8]?, after: UInt64) -> Bool {
    let stack = LayerStack(top: LayerStack.Layer(memtable: memtable, roots: roots))
    return KeyRange(lower: lower, upper: upper).withKeyBytes {
      stack.hasChange(.documents, from: $0, to: $1, after: after)
    }
  }

  // MARK: Folding

  @Test func aFoldSharesBytesAndOutlivesTheFoldedLayer() throws {
    var upper: Memtable? = Memtable()
    var (roots, upperRoots) = (Roots(), Roots())
    let value = [UInt8](repeating: 7, count: 1000)
    for key in 0..<100 {
      try memtable.apply(.insert, .documents, [UInt8(key)], [1], version: 1, number: 1, to: &roots)
      let kind: EntryKind = key % 3 == 0 ? .remove : .replace
      try upper?.apply(kind, .documents, [UInt8(key)], value, oldSize: 1, version: 2, number: 2, to: &upperRoots)
    }
    try upper?.apply(.insert, .indexes, [1], version: 3, number: 3, to: &upperRoots)
    try upper?.apply(.remove, .indexes, [1], version: 4, number: 3, to: &upperRoots)
    let bytes = memtable.statistics.entryBytes
    var steps = 0
    do {
      var fold = LayerFold(try #require(upper), upperRoots, into: memtable)
      while try !fold.step(entriesMax: 7, number: UInt64(10 + steps), to: &roots) { steps += 1 }
    }
    upper = nil
    #expect(steps == 100 / 7)
    #expect(memtable.statistics.entryBytes == bytes, "no key or value was copied")
    #expect(roots.documents.total == 66)
    #expect(roots.indexes.vanished == 4)
    for key in 0..<100 {
      let entry = find([UInt8(key)], in: roots)
      #expect(entry.map { Array($0.value) } == (key % 3 == 0 ? nil : value))
      #expect(entry?.kind == (key % 3 == 0 ? nil : .insert))
    }
    #expect(hasChange(roots, [0], [1], after: 1))
    memtable.checkInvariants(roots.documents)
  }

  @Test func whatVanishedInAFoldedLayerIsAConflictBelow() throws {
    let upper = Memtable()
    var (roots, upperRoots) = (Roots(), Roots())
    for key in 0..<100 { try memtable.apply(.insert, .documents, [UInt8(key)], version: 1, number: 1, to: &roots) }
    try upper.apply(.insert, .documents, [50, 1], version: 8, number: 2, to: &upperRoots)
    try upper.apply(.remove, .documents, [50, 1], version: 9, number: 3, to: &upperRoots)
    var fold = LayerFold(upper, upperRoots, into: memtable)
    #expect(try fold.step(entriesMax: 1, number: 4, to: &roots))
    #expect(hasChange(roots, [50], [51], after: 8))
    #expect(!hasChange(roots, [50], [51], after: 9))
    memtable.checkInvariants(roots.documents)
  }
}
