import HearthTestSupport
import Testing

@testable import HearthStorage

struct TreeMergeTests {
  private func key(_ number: Int) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 255)] }

  /// `count` entries of some twenty bytes, merged.
  private func model(_ count: Int, pageBytes: Int = 256) throws -> MergedModel {
    let model = try MergedModel(seed: 1, pageBytes: pageBytes)
    for number in 0..<count { try model.set(.documents, key(number), [UInt8](repeating: 1, count: 16)) }
    _ = try model.merge()
    return model
  }

  @Test(arguments: [256, 1024, 16 << 10], [1, 2, 62] as [UInt64])
  func whateverChangesTheTreesAreTheModel(pageBytes: Int, seed: UInt64) throws {
    let model = try MergedModel(seed: seed * 1000 + UInt64(pageBytes), pageBytes: pageBytes)
    let random = SeededRandom(seed: seed)
    var levels: Set<UInt8> = []
    for _ in 0..<30 {
      for layer in 0..<(1 + random.next(below: 3)) {
        if layer > 0 { model.freeze() }
        for _ in 0..<(1 + random.next(below: 2)) { try model.changeAtRandom() }
      }
      if random.oneIn(3) { try model.check() }
      let merged = try model.merge(rewritesAll: random.oneIn(8))
      try model.check()
      try model.checkFiles()
      if let root = model.snapshot?.root(.documents) { levels.insert(root.level) }
      try checkKilled(merged, model)
    }
    // Enough happened for the test to mean something.
    #expect(levels.count > 1, "\(levels)")
  }

  /// Only leaves that changes touch go, and one right of a leaf that goes, to be joined with what is left of it.
  private func checkKilled(_ merged: MergedModel.Merged, _ model: MergedModel) throws {
    guard let before = merged.before, let after = model.snapshot else { return }
    let killed = Set(merged.killed)
    #expect(killed.count == merged.killed.count, "a block was killed twice")
    for tree in TreeID.allCases {
      let changed = merged.changed[Int(tree.rawValue)].sorted(by: <)
      let kept = Set(try after.leaves(tree).map(\.block))
      var mayGo = merged.rewritesAll
      for (index, leaf) in try before.leaves(tree).enumerated() {
        let isKilled = killed.contains(leaf.block)
        #expect(kept.contains(leaf.block) != isKilled)
        let range = KeyRange(lower: index == 0 ? [] : leaf.lower, upper: leaf.upper)
        let (low, high) = model.bounds(range, in: changed)
        #expect(!isKilled || low < high || mayGo, "leaf \(index) of \(tree) is written anew without a reason")
        mayGo = isKilled || merged.rewritesAll
      }
    }
  }

  @Test func aMergeWithoutChangesWritesNoPage() throws {
    let model = try model(1000)
    let before = model.snapshot
    let merged = try model.merge()
    #expect(merged.written.isEmpty && merged.killed.isEmpty)
    #expect(model.snapshot?.roots == before?.roots)
    // Nor does one whose changes came to nothing.
    try model.set(.documents, [200], [1])
    try model.set(.documents, [200], nil)
    #expect(try model.merge().written.isEmpty)
    #expect(model.snapshot?.roots == before?.roots)
    try model.check()
    try model.checkFiles()
  }

  @Test func oneChangeWritesOnePath() throws {
    let model = try model(2000)
    let before = try model.snapshot.unwrapped()
    let height = Int(try before.root(.documents).unwrapped().level) + 1
    #expect(height >= 3)
    let leaves = try before.leaves(.documents)
    for number in [0, 777, 1998] {
      try model.set(.documents, key(number), [UInt8](repeating: 2, count: 16))
      let merged = try model.merge()
      #expect(merged.killed.count == height && merged.written.count == height, "key \(number)")
    }
    let after = try model.snapshot.unwrapped().leaves(.documents)
    #expect(after.count == leaves.count)
    let kept = Set(after.map(\.block))
    for leaf in leaves {
      let isTouched = [0, 777, 1998].contains { number in
        !(key(number) < leaf.lower) && leaf.upper.map { key(number) < $0 } ?? true
      }
      #expect(kept.contains(leaf.block) != isTouched)
    }
    try model.check()
    try model.checkFiles()
  }

  /// What is left of the first pages has no parent yet when a subtree of a higher level comes next.
  @Test func whatIsLeftBeforeAWholeSubtreeStays() throws {
    for end in stride(from: 12, to: 400, by: 11) {
      for left in [1, 4, 7] {
        let model = try model(400)
        for number in left..<end { try model.set(.documents, key(number), nil) }
        _ = try model.merge()
        try model.checkFiles()
        #expect(try model.view.count(.documents) == left + 400 - end)
      }
    }
  }

  @Test func rewritingAllLeavesNothingInOldSegments() throws {
    let model = try model(2000)
    // Long values have blocks of their own, which must move too.
    for number in [5, 500, 1500] { try model.set(.documents, key(number), model.random.bytes(100_000)) }
    _ = try model.merge()
    let merged = try model.merge(rewritesAll: true)
    let numbers = try model.checkpoint.unwrapped().segmentNumbers
    #expect(numbers.allSatisfy { $0 >= merged.firstSegment }, "\(numbers.sorted()), new from \(merged.firstSegment)")
    try model.check()
    try model.checkFiles()
  }

  @Test func theHeightGoesUpAndDown() throws {
    let model = try MergedModel(seed: 2, pageBytes: 256)
    var levels: [UInt8?] = []
    func merge() throws {
      _ = try model.merge()
      try model.checkFiles()
      levels.append(model.snapshot?.root(.documents)?.level)
    }
    for _ in 0..<2 {
      for count in [1, 30, 300, 3000] {
        for number in 0..<count { try model.set(.documents, key(number), [UInt8](repeating: 3, count: 12)) }
        try merge()
      }
      try model.check()
      for count in [300, 30, 1, 0] {
        // From the front and scattered, so that every page shrinks.
        for (index, key) in model.keys(.documents).enumerated().reversed() where index % 3 == 1 {
          if model.table(.documents).count > count { try model.set(.documents, key, nil) }
        }
        for key in model.keys(.documents) where model.table(.documents).count > count {
          try model.set(.documents, key, nil)
        }
        try merge()
      }
      try model.check()
    }
    let up = levels[0...3].map { $0.map(Int.init) ?? -1 }
    let down = levels[4...7].map { $0.map(Int.init) ?? -1 }
    #expect(up == up.sorted() && up[0] == 0 && up[3] >= 2, "\(levels)")
    #expect(down == [up[2], up[1], up[0], -1], "\(levels)")
    #expect(levels[8...] == levels[..<8], "\(levels)")
  }
}
