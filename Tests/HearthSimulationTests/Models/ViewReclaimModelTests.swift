import Testing

@testable import HearthStorage
@testable import HearthTestSupport

/// A small model on the real ``Memtable`` and ``LiveViews``, exhausted: every interleaving of a committer, a reclaimer
/// and two readers. A node that is reused too early shows at once, because the next commit writes into it.
struct ViewReclaimModelTests {
  private enum Mistake {
    case none
    /// Readers' views are not among the live numbers.
    case forgetsReaders
    /// The live numbers are read in one step and used in a later one; the engine does both under the sequencer's lock.
    case usesOldNumbers
  }

  /// One run of the four actors under one schedule.
  private final class World {
    let memtable = Memtable(leafSlotsMax: 4, innerSlotsMax: 4)
    let registry = LiveViews()
    var number: UInt64 = 1
    var roots = Roots()
    /// Sequenced, not yet published.
    var sequenced: View?
    var published: View
    var live: [UInt64] = []
    var pinned: [View?] = [nil, nil]
    var states: [UInt64: [Int: UInt64]] = [1: [:]]
    let mistake: Mistake

    init(mistake: Mistake) {
      self.mistake = mistake
      registry.viewBorn(number: 1)
      published = View(
        number: 1, version: 1, commitTime: 1,
        stack: LayerStack(top: LayerStack.Layer(memtable: memtable, roots: Roots())), registry: registry)
      // Enough keys for inner nodes.
      for _ in 0..<2 {
        sequence()
        publish()
      }
    }

    func sequence() {
      number += 1
      var state = states[number - 1]!
      for index in 0..<6 {
        let key = Int(number) % 2 * 3 + index * 2
        let bytes: Bytes = [UInt8(key)]
        let value: Bytes = [UInt8(number), UInt8(key)]
        let kind: EntryKind = state[key] == nil ? .insert : .replace
        bytes.withUnsafeBytes { keyBytes in
          value.withUnsafeBytes { valueBytes in
            _ = try! memtable.apply(
              kind, .documents, key: keyBytes, value: valueBytes, oldSize: 2, version: number, number: number,
              to: &roots)
          }
        }
        state[key] = number
      }
      states[number] = state
      registry.viewBorn(number: number)
      sequenced = View(
        number: number, version: number, commitTime: 1,
        stack: LayerStack(top: LayerStack.Layer(memtable: memtable, roots: roots)), registry: registry)
    }

    func publish() {
      published = sequenced!
      sequenced = nil
      memtable.published(published.number)
    }

    func readLive() {
      live = mistake == .forgetsReaders ? [published.number] : registry.liveNumbers()
    }

    func reclaim() { memtable.reclaim(live: live) }

    func pin(_ reader: Int) { pinned[reader] = published }

    /// Reads all and lets go.
    func read(_ reader: Int) -> Bool {
      let view = pinned[reader]!
      pinned[reader] = nil
      var found: [Int: UInt64] = [:]
      try! view.scan(.documents) { key, value in
        found[Int(key[0])] = UInt64(value[0])
        return found.count < 100
      }
      return found == states[view.version]! && (try! view.count(.documents)) == found.count
    }
  }

  private enum Actor: Int, CaseIterable { case committer, reclaimer, reader1, reader2 }

  /// - Returns: schedules run, and how many of them showed a wrong state.
  private func explore(steps: [Int], mistake: Mistake) -> (schedules: Int, wrong: Int) {
    var schedules = 0
    var wrong = 0
    var schedule: [Actor] = []
    var rest = steps
    func descend() {
      var isEnd = true
      for actor in Actor.allCases where rest[actor.rawValue] > 0 {
        isEnd = false
        rest[actor.rawValue] -= 1
        schedule.append(actor)
        descend()
        schedule.removeLast()
        rest[actor.rawValue] += 1
      }
      if isEnd {
        schedules += 1
        if !run(schedule, mistake) { wrong += 1 }
      }
    }
    descend()
    return (schedules, wrong)
  }

  private func run(_ schedule: [Actor], _ mistake: Mistake) -> Bool {
    let world = World(mistake: mistake)
    var done = [0, 0, 0, 0]
    var isRight = true
    for actor in schedule {
      let step = done[actor.rawValue]
      done[actor.rawValue] += 1
      switch actor {
      case .committer: if step % 2 == 0 { world.sequence() } else { world.publish() }
      case .reclaimer:
        if mistake != .usesOldNumbers || step % 2 == 0 { world.readLive() }
        if mistake != .usesOldNumbers || step % 2 == 1 { world.reclaim() }
      case .reader1, .reader2:
        let reader = actor == .reader1 ? 0 : 1
        if step % 2 == 0 { world.pin(reader) } else { isRight = world.read(reader) && isRight }
      }
    }
    return isRight
  }

  /// Commits in two steps (sequence, publish), reclaims, and readers in two steps (pin, read).
  @Test func noInterleavingFreesWhatAViewShows() {
    let (schedules, wrong) = explore(steps: [4, 2, 2, 2], mistake: .none)
    #expect(schedules == 18_900)
    #expect(wrong == 0)
    let (more, stillWrong) = explore(steps: [6, 3, 2, 0], mistake: .none)
    #expect(more == 4_620)
    #expect(stillWrong == 0)
    print("views: \(schedules + more) interleavings of commit, publish, reclaim, pin and read exhausted")
  }

  @Test func aReclaimerThatForgetsReadersIsNoticed() {
    let (_, wrong) = explore(steps: [6, 2, 2, 0], mistake: .forgetsReaders)
    #expect(wrong > 0)
  }

  @Test func aReclaimerThatUsesOldNumbersIsNoticed() {
    let (_, wrong) = explore(steps: [6, 4, 2, 0], mistake: .usesOldNumbers)
    #expect(wrong > 0)
  }
}
