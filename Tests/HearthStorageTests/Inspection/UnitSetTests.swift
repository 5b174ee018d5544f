import HearthTestSupport
import Testing

@testable import HearthStorage

struct UnitSetTests {
  @Test func coverIsThatOfASet() {
    let random = SeededRandom(seed: 3)
    let units = 200_000
    var set = UnitSet(byteCount: UInt64(units) * 64 - 13)
    var model: Set<Int> = []
    for _ in 0..<400 {
      let start = random.oneIn(3) ? (1 << 16) - 100 + random.next(below: 150) : random.next(below: 3000)
      let range = start..<start + 1 + random.next(below: random.oneIn(9) ? 5000 : 90)
      let inside = range.count(where: model.contains)
      #expect(set.cover(range) == (inside == 0 ? .none : inside == range.count ? .all : .part), "\(range)")
      if random.oneIn(3) {
        set.insert(range)
        model.formUnion(range)
      }
    }
    #expect(set.count == model.count)
    set.insert(units - 1..<units)
    #expect(set.cover(units - 70..<units) == .part)
  }

  @Test func unitsOfABlockHoldItsPadding() {
    let place = BlockPlace(segment: 1, unit: 128)
    #expect(UnitSet.units(of: place, byteCount: 33) == 128..<129)
    #expect(UnitSet.units(of: place, byteCount: 64) == 128..<129)
    #expect(UnitSet.units(of: place, byteCount: 65) == 128..<130)
  }

  /// A file of holes as long as files can be costs nothing before something leads into it.
  @Test func aFileOfHolesCostsNothing() {
    var set = UnitSet(byteCount: .max)
    set.insert(Int(UInt32.max)..<Int(UInt32.max) + 1)
    #expect(set.count == 1)
  }
}
