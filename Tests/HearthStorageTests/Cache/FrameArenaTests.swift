import HearthTestSupport
import Testing

@testable import HearthStorage

struct FrameArenaTests {
  @Test func framesOfAllSizesKeepTheirBytesAndShareRegions() {
    let arena = FrameArena()
    let random = SeededRandom(seed: 1)
    var frames: [(frame: PageFrame, place: UInt64)] = []
    var live = 0
    var mostRegionBytes = 0
    for step in 1...20_000 {
      if live > 24 << 20 || (!frames.isEmpty && random.oneIn(4)) {
        let (frame, place) = frames.remove(at: random.next(below: frames.count))
        #expect(frame.place == place && frame.bytes.allSatisfy { $0 == UInt8(truncatingIfNeeded: place) })
        live -= frame.cost
        arena.free(frame)
      } else {
        let byteCount = random.oneIn(50) ? 1 + random.next(below: 150 << 10) : 8 << 10 + random.next(below: 12 << 10)
        let frame = arena.allocate(byteCount, place: UInt64(step))
        frame.mutableBytes.initializeMemory(as: UInt8.self, repeating: UInt8(truncatingIfNeeded: step))
        frames.append((frame, UInt64(step)))
        live += frame.cost
      }
      mostRegionBytes = max(mostRegionBytes, arena.regionBytes)
    }
    // 24 MiB live at most, and an eighth for gaps and regions' own units.
    #expect(mostRegionBytes <= 28 << 20)
    for (frame, _) in frames { arena.free(frame) }
    #expect(arena.regionBytes == FrameArena.regionBytes)
  }

  @Test func aFrameTakesTheSmallestNumberOfUnitsAndTheFirstGap() {
    let arena = FrameArena()
    let fitting = FrameArena.unitBytes - PageFrame.headerBytes
    let frames = [fitting, fitting + 1, fitting].map { arena.allocate($0, place: 1) }
    #expect(frames.map(\.units) == [1, 2, 1])
    arena.free(frames[1])
    let large = arena.allocate(2 * FrameArena.unitBytes, place: 2)
    let small = arena.allocate(fitting, place: 3)
    #expect(small == frames[1])
    #expect(large.word > frames[2].word)
    let own = arena.allocate(FrameArena.unitsMax * FrameArena.unitBytes, place: 4)
    #expect(own.units == 0)
    for frame in [frames[0], frames[2], large, small, own] { arena.free(frame) }
  }
}
