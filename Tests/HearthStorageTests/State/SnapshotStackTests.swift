import HearthTestSupport
import Testing

@testable import HearthStorage

/// Layers over trees on disk, read in all ways beside dictionaries.
struct SnapshotStackTests {
  /// With the small cache every page is evicted as soon as another is read.
  @Test(arguments: [1 << 10, 64 << 20], [1, 2, 3, 4, 5, 6] as [UInt64])
  func layersOverATreeAreTheModel(cacheBytes: Int, seed: UInt64) throws {
    let random = SeededRandom(seed: seed)
    let model = try MergedModel(
      seed: seed, pageBytes: [256, 1024, 16 << 10][Int(seed % 3)], cacheBytes: cacheBytes)
    for _ in 0..<6 {
      for _ in 0..<4 { try model.changeAtRandom() }
      _ = try model.merge()
      for layer in 0..<(1 + random.next(below: 3)) {
        if layer > 0 { model.freeze() }
        try model.changeAtRandom()
      }
      try model.check()
      for tree in TreeID.allCases { try walk(model, tree, random) }
    }
  }

  /// Turns and seeks cursors at random beside an index into the expected keys.
  private func walk(_ model: MergedModel, _ tree: TreeID, _ random: SeededRandom) throws {
    let keys = model.keys(tree)
    let table = model.table(tree)
    let view = model.view
    for _ in 0..<4 {
      let range = random.oneIn(3) ? .everything : model.randomRange(keys)
      let (low, high) = model.bounds(range, in: keys)
      let inside = Array(keys[low..<high])
      let cursor = view.cursor(tree, range)
      var run = EntryRun()
      var gap = 0
      for _ in 0..<30 {
        let steps = random.oneIn(4) ? 1 + random.next(below: 120) : 1 + random.next(below: 4)
        switch random.next(below: 8) {
        case 0:
          let key = model.randomBound(inside)
          cursor.seek(key)
          gap = inside.partitionPoint { $0 < key }
        case 1:
          if random.oneIn(2) {
            cursor.seekToStart()
            gap = 0
          } else {
            cursor.seekToEnd()
            gap = inside.count
          }
        case 2...4:
          try cursor.next(&run, entriesMax: steps, bytesMax: .max)
          try #require(run.isEqual(to: inside[gap...].prefix(steps), table), "up from \(gap) of \(inside.count)")
          gap += run.count
        default:
          try cursor.previous(&run, entriesMax: steps, bytesMax: .max)
          try #require(
            run.isEqual(to: inside[..<gap].suffix(steps).reversed(), table), "down from \(gap) of \(inside.count)")
          gap -= run.count
        }
      }
    }
  }

  /// A cursor that is not being moved keeps no page: whatever happens meanwhile, it goes on where it was.
  @Test func aCursorGoesOnWhenItsPagesWereEvicted() throws {
    let model = try MergedModel(seed: 9, pageBytes: 256, cacheBytes: 1 << 10)
    for number in 0..<2000 { try model.set(.documents, [UInt8(number >> 8), UInt8(number & 255)], [1]) }
    _ = try model.merge()
    let view = model.view
    let keys = model.keys(.documents)
    let cursors = (0..<8).map { _ in view.cursor(.documents) }
    for (index, cursor) in cursors.enumerated() { cursor.seek(keys[index * 200]) }
    var run = EntryRun()
    for round in 0..<100 {
      for (index, cursor) in cursors.enumerated() {
        try cursor.next(&run, entriesMax: 2)
        #expect(run.isEqual(to: keys[(index * 200 + 2 * round)...].prefix(2), model.table(.documents)))
      }
    }
  }
}

extension EntryRun {
  fileprivate func isEqual(to keys: some Sequence<[UInt8]>, _ table: MergedModel.Table) -> Bool {
    let keys = Array(keys)
    guard count == keys.count else { return false }
    return keys.enumerated().allSatisfy { index, key in
      Array(self.key(index)) == key && Array(value(index)) == table[key]
    }
  }
}
