import Dispatch
import HearthTestSupport
import Synchronization
import Testing

@testable import HearthStorage

struct PageCacheTests {
  private static func frame(_ place: UInt64) -> PageFrame {
    let frame = PageFrame.allocate(100, place: place)
    frame.mutableBytes.initializeMemory(as: UInt8.self, repeating: UInt8(truncatingIfNeeded: place))
    return frame
  }

  private static func isWhole(_ frame: PageFrame, _ place: UInt64) -> Bool {
    frame.place == place && frame.bytes.allSatisfy { $0 == UInt8(truncatingIfNeeded: place) }
  }

  /// A cache for so many pages of `frame(_:_:)`.
  private static func cache(pages: Int) -> PageCache {
    PageCache(budgetBytes: pages * (100 + PageFrame.headerBytes), epochs: EpochDomain())
  }

  /// Reads a page and returns whether it had to be loaded.
  @discardableResult
  private static func read(_ cache: PageCache, _ place: UInt64, _ weight: PageCache.Weight = .leaf) -> Bool {
    cache.epochs.withPin {
      var isLoaded = false
      let frame = cache.page(place, weight) {
        isLoaded = true
        return PageCacheTests.frame(place)
      }
      #expect(isWhole(frame, place))
      return isLoaded
    }
  }

  @Test func aPageIsLoadedOnceWhileThereIsRoom() {
    let cache = Self.cache(pages: 100)
    for round in 0..<3 {
      for place in 1...100 { #expect(Self.read(cache, UInt64(place)) == (round == 0)) }
    }
    #expect(cache.statistics == PageCache.Statistics(pages: 100, bytes: 100 * 164, loads: 100))
  }

  @Test func theBudgetHoldsAndReadersGetWhatTheyAskFor() {
    let cache = Self.cache(pages: 10)
    let random = SeededRandom(seed: 1)
    var loads = 0
    for _ in 0..<5_000 where Self.read(cache, UInt64(1 + random.next(below: 40))) { loads += 1 }
    let statistics = cache.statistics
    #expect(statistics.pages == 10)
    #expect(statistics.bytes <= cache.budgetBytes)
    #expect(statistics.loads == loads)
    #expect((2_500..<5_000).contains(loads))
  }

  @Test func aPageLargerThanTheBudgetIsServedAndGoes() {
    let cache = PageCache(budgetBytes: 50, epochs: EpochDomain())
    #expect(Self.read(cache, 1))
    #expect(Self.read(cache, 2))
    #expect(cache.statistics.pages == 0)
    #expect(Self.read(cache, 1))
  }

  @Test func scansPassThroughWithoutTakingThePlaceOfWhatIsUsed() {
    let cache = Self.cache(pages: 20)
    for _ in 0..<2 { for place in 1...10 { Self.read(cache, UInt64(place)) } }
    var again = 0
    for place in 100..<1_000 {
      #expect(Self.read(cache, UInt64(place), .passing))
      // The ten in use come by now and then.
      if place % 10 == 0, Self.read(cache, UInt64(1 + place / 10 % 10)) { again += 1 }
    }
    #expect(again == 0)
    #expect(cache.statistics.pages == 20)
  }

  @Test func innerPagesOutliveLeaves() {
    let cache = Self.cache(pages: 20)
    for place in 1...5 { Self.read(cache, UInt64(place), .inner) }
    var again = 0
    for place in 100..<600 {
      Self.read(cache, UInt64(place))
      if Self.read(cache, UInt64(1 + place % 5), .inner) { again += 1 }
    }
    #expect(again == 0)
  }

  @Test func aFailedLoadLeavesNothingAndIsTriedAgain() {
    let cache = Self.cache(pages: 10)
    var code: StorageError.Code?
    cache.epochs.withPin {
      do throws(StorageError) {
        _ = try cache.page(7, .leaf) { () throws(StorageError) in throw StorageError(.io, "a bad sector") }
      } catch {
        code = error.code
      }
      #expect(cache.resident(7) == nil)
    }
    #expect(code == .io)
    #expect(cache.statistics == PageCache.Statistics(pages: 0, bytes: 0, loads: 0))
    #expect(Self.read(cache, 7))
  }

  @Test func whoeverHoldsAFrameUnderAPinReadsItThoughItWasEvicted() {
    let cache = Self.cache(pages: 1)
    let pin = cache.epochs.pin()
    let frame = cache.page(1, .leaf) { PageCacheTests.frame(1) }
    for place: UInt64 in 2...200 { _ = cache.page(place, .leaf) { PageCacheTests.frame(place) } }
    #expect(cache.resident(1) == nil)
    #expect(Self.isWhole(frame, 1))
    #expect(cache.epochs.waiting >= 199)
    cache.epochs.unpin(pin)
    cache.epochs.collect()
    #expect(cache.epochs.waiting == 0)
  }

  /// Every interleaving of two readers that hold a page each and one that evicts both.
  @Test func noInterleavingTakesAPageFromItsReader() {
    var orders = 0
    func run(_ order: [Int]) {
      orders += 1
      let cache = Self.cache(pages: 1)
      var steps = [0, 0, 0]
      var pins: [EpochDomain.Pin?] = [nil, nil]
      var held: [PageFrame?] = [nil, nil]
      for actor in order {
        let step = steps[actor]
        steps[actor] += 1
        if actor == 2 {
          if step == 2 { cache.epochs.collect() } else { Self.read(cache, UInt64(3 + step)) }
          continue
        }
        switch step {
        case 0: pins[actor] = cache.epochs.pin()
        case 1: held[actor] = cache.page(UInt64(1 + actor), .leaf) { PageCacheTests.frame(UInt64(1 + actor)) }
        case 2: #expect(held[actor].map { Self.isWhole($0, UInt64(1 + actor)) } == true, "\(order)")
        default: pins[actor].map { cache.epochs.unpin($0) }
        }
      }
      cache.epochs.collect()
      #expect(cache.epochs.waiting == 0, "\(order)")
    }
    func descend(_ order: [Int], _ left: [Int]) {
      guard left.contains(where: { $0 > 0 }) else { return run(order) }
      for actor in left.indices where left[actor] > 0 {
        var rest = left
        rest[actor] -= 1
        descend(order + [actor], rest)
      }
    }
    descend([], [4, 4, 3])
    #expect(orders == 11_550)
  }

  @Test func manyThreadsLoadAPageOnceAndNeverSeeAnother() {
    let cache = Self.cache(pages: 64)
    let mistakes = Atomic<Int>(0)
    let loads = Atomic<Int>(0)
    /// Loads of one page that are under way.
    final class Flight: Sendable {
      let count = Atomic<Int>(0)
    }
    let inFlight = (0..<256).map { _ in Flight() }
    DispatchQueue.concurrentPerform(iterations: 8) { worker in
      let random = SeededRandom(seed: UInt64(worker))
      for _ in 0..<4_000 {
        // Mostly few pages, so that threads meet.
        let place = UInt64(1 + (random.oneIn(4) ? random.next(below: 256) : random.next(below: 40)))
        cache.epochs.withPin {
          let frame = cache.page(place, random.oneIn(8) ? .passing : .leaf) {
            if inFlight[Int(place - 1)].count.wrappingAdd(1, ordering: .relaxed).oldValue != 0 {
              mistakes.wrappingAdd(1, ordering: .relaxed)
            }
            loads.wrappingAdd(1, ordering: .relaxed)
            let frame = PageCacheTests.frame(place)
            inFlight[Int(place - 1)].count.wrappingSubtract(1, ordering: .relaxed)
            return frame
          }
          if !PageCacheTests.isWhole(frame, place) { mistakes.wrappingAdd(1, ordering: .relaxed) }
        }
      }
    }
    #expect(mistakes.load(ordering: .relaxed) == 0)
    let statistics = cache.statistics
    #expect(statistics.loads == loads.load(ordering: .relaxed))
    #expect(statistics.bytes <= cache.budgetBytes)
    cache.epochs.collect()
    #expect(cache.epochs.waiting == 0)
  }
}
