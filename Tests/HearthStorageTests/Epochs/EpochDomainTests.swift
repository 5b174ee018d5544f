import Dispatch
import Synchronization
import Testing

@testable import HearthStorage

struct EpochDomainTests {
  /// A pointer that a writer replaces, and what has been freed.
  private final class World: @unchecked Sendable {
    let domain = EpochDomain()
    var current = 0
    var freed = Set<Int>()

    func replace() {
      let old = current
      current += 1
      domain.retire { self.freed.insert(old) }
    }
  }

  @Test func whatNobodyPinsIsFreedAtOnce() {
    let world = World()
    world.replace()
    #expect(world.domain.waiting == 1)
    #expect(world.domain.collect() == 1)
    #expect(world.freed == [0])
    #expect(world.domain.waiting == 0)
  }

  @Test func aPinHoldsWhatWasRetiredSinceAndNothingElse() {
    let world = World()
    world.replace()
    let pin = world.domain.pin()
    world.replace()
    world.domain.collect()
    #expect(world.freed == [0])
    let later = world.domain.pin()
    world.domain.unpin(pin)
    world.domain.collect()
    #expect(world.freed == [0, 1])
    world.domain.unpin(later)
  }

  @Test func anAbandonedDomainFreesWhatIsLeft() {
    var freed = 0
    do {
      let domain = EpochDomain()
      for _ in 0..<10 { domain.retire { freed += 1 } }
    }
    #expect(freed == 10)
  }

  @Test func aThrowGivesThePinBack() {
    struct Failure: Error {}
    let world = World()
    #expect(throws: Failure.self) { try world.domain.withPin { throw Failure() } }
    world.replace()
    #expect(world.domain.collect() == 1)
  }

  /// Every interleaving of two readers and a writer: what a reader holds is never freed, and in the end all is.
  @Test func noInterleavingFreesWhatAReaderHolds() {
    // Each reader: pin, load, look, unpin. The writer: replace and collect, twice.
    let programs = [4, 4, 4]
    var orders = 0
    func run(_ order: [Int]) {
      orders += 1
      let world = World()
      var steps = [0, 0, 0]
      var pins: [EpochDomain.Pin?] = [nil, nil]
      var held: [Int?] = [nil, nil]
      for actor in order {
        let step = steps[actor]
        steps[actor] += 1
        if actor == 2 {
          if step % 2 == 0 { world.replace() } else { world.domain.collect() }
          continue
        }
        switch step {
        case 0: pins[actor] = world.domain.pin()
        case 1: held[actor] = world.current
        case 2: #expect(held[actor].map { !world.freed.contains($0) } == true, "\(order)")
        default:
          held[actor] = nil
          pins[actor].map { world.domain.unpin($0) }
        }
        for case let object? in held { #expect(!world.freed.contains(object), "\(order)") }
      }
      world.domain.collect()
      #expect(world.freed == [0, 1])
    }
    func descend(_ order: [Int], _ left: [Int]) {
      if left.allSatisfy({ $0 == 0 }) {
        run(order)
        return
      }
      for actor in left.indices where left[actor] > 0 {
        var rest = left
        rest[actor] -= 1
        descend(order + [actor], rest)
      }
    }
    descend([], programs)
    #expect(orders == 34_650)
  }

  /// Real threads: objects are overwritten when they are freed, so that a reader that still looks sees it.
  @Test func readersNeverSeeWhatWasFreed() {
    final class Shared: @unchecked Sendable {
      let domain = EpochDomain()
      let current = Atomic<UInt>(0)
      let isDone = Atomic<Bool>(false)
      let mistakes = Atomic<Int>(0)
      let reads = Atomic<Int>(0)
    }
    @Sendable func make(_ value: Int) -> UInt {
      let memory = UnsafeMutablePointer<Int>.allocate(capacity: 2)
      memory[0] = value
      memory[1] = ~value
      return UInt(bitPattern: memory)
    }
    let shared = Shared()
    shared.current.store(make(0), ordering: .sequentiallyConsistent)
    DispatchQueue.concurrentPerform(iterations: 4) { worker in
      if worker == 0 {
        for round in 1...20_000 {
          let old = shared.current.exchange(make(round), ordering: .sequentiallyConsistent)
          nonisolated(unsafe) let memory = UnsafeMutablePointer<Int>(bitPattern: old)!
          shared.domain.retire {
            memory[0] = 7
            memory[1] = 7
            memory.deallocate()
          }
          // On one core the readers would otherwise never come between.
          while round % 1000 == 0, shared.reads.load(ordering: .relaxed) < round / 1000 {}
        }
        shared.isDone.store(true, ordering: .sequentiallyConsistent)
        return
      }
      while !shared.isDone.load(ordering: .sequentiallyConsistent) {
        shared.domain.withPin {
          let memory = UnsafePointer<Int>(bitPattern: shared.current.load(ordering: .sequentiallyConsistent))!
          if memory[0] != ~memory[1] { shared.mistakes.wrappingAdd(1, ordering: .relaxed) }
        }
        shared.reads.wrappingAdd(1, ordering: .relaxed)
      }
    }
    #expect(shared.mistakes.load(ordering: .relaxed) == 0)
    shared.domain.collect()
    #expect(shared.domain.waiting == 0)
    UnsafeMutablePointer<Int>(bitPattern: shared.current.load(ordering: .relaxed))?.deallocate()
  }
}
