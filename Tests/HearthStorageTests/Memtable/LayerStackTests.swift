import Synchronization
import Testing

@testable import HearthStorage

struct LayerStackTests {
  private let key: @Sendable (Int) -> [UInt8] = { number in
    [UInt8(number >> 16), UInt8(number >> 8 & 255), UInt8(number & 255)]
  }

  /// A base with `count` keys below a layer that removed all of `removed`.
  private func view(count: Int, removed: Range<Int>) throws -> View {
    let (base, top) = (Memtable(), Memtable())
    var (baseRoots, topRoots) = (Roots(), Roots())
    for number in 0..<count {
      try base.apply(.insert, .documents, key(number), [1], version: 1, number: 1, to: &baseRoots)
    }
    for number in removed {
      try top.apply(.remove, .documents, key(number), oldSize: 1, version: 2, number: 2, to: &topRoots)
    }
    let stack = LayerStack(
      top: LayerStack.Layer(memtable: top, roots: topRoots),
      below: [LayerStack.Layer(memtable: base, roots: baseRoots)])
    return View(number: 2, version: 2, commitTime: 0, stack: stack, registry: nil)
  }

  @Test func aCursorCrossesALongRunOfRemovedKeys() throws {
    for removed in [0..<4990, 10..<5000, 100..<4900, 0..<5000] {
      let view = try view(count: 5000, removed: removed)
      let expected = (0..<5000).filter { !removed.contains($0) }.map(key)
      for isDescending in [false, true] {
        var seen: [[UInt8]] = []
        try view.scan(.documents, descending: isDescending) { key, _ in
          seen.append(Array(key))
          return true
        }
        #expect(seen == (isDescending ? expected.reversed() : expected))
      }
      #expect(try view.count(.documents) == expected.count)
      if let last = expected.last {
        #expect(try view.entry(at: expected.count - 1, in: .everything, .documents)?.key == last)
      }
      #expect(try view.entry(at: expected.count, in: .everything, .documents) == nil)
      let (run, cursor) = (EntryRun(), view.cursor(.documents))
      var turned = run
      try cursor.next(&turned)
      try cursor.previous(&turned, entriesMax: 5000)
      #expect((0..<turned.count).map { Array(turned.key($0)) } == expected.prefix(turned.count).reversed())
      #expect(turned.count == min(expected.count, 256))
    }
  }

  @Test func aRunEndsAtItsLimits() throws {
    let view = try view(count: 100, removed: 0..<0)
    let cursor = view.cursor(.documents, KeyRange(lower: key(10), upper: key(90)))
    var run = EntryRun()
    try cursor.next(&run, entriesMax: 3)
    #expect((0..<run.count).map { Array(run.key($0)) } == [10, 11, 12].map(key))
    try cursor.next(&run, bytesMax: 7)
    #expect((0..<run.count).map { Array(run.key($0)) } == [13, 14].map(key), "four bytes an entry")
    run.withEntry(1) { key, value in
      #expect(Array(key) == self.key(14))
      #expect(Array(value) == [1])
    }
    #expect(Array(run.value(0)) == [1])
    cursor.seek(key(88))
    try cursor.next(&run)
    #expect(run.count == 2)
    try cursor.next(&run)
    #expect(run.isEmpty)
    cursor.seek(key(95))
    try cursor.previous(&run, entriesMax: 1)
    #expect(Array(run.key(0)) == key(89), "a seek does not leave the range")
  }

  @Test func aScanStopsWhenToldAndPassesErrorsOn() throws {
    struct Stop: Error {}
    let view = try view(count: 10, removed: 0..<0)
    var seen = 0
    try view.scan(.documents) { _, _ in
      seen += 1
      return seen < 3
    }
    #expect(seen == 3)
    #expect(throws: Stop.self) { try view.scan(.documents) { _, _ in throw Stop() } }
    #expect(throws: Stop.self) { try view.withValue(.documents, key(1)) { _ in throw Stop() } }
  }

  @Test func emptyAndReversedRangesHoldNothing() throws {
    let view = try view(count: 10, removed: 0..<0)
    for range in [KeyRange(lower: key(5), upper: key(5)), KeyRange(lower: key(6), upper: key(5)), KeyRange(upper: [])] {
      #expect(try view.count(.documents, range) == 0)
      #expect(try view.entry(at: 0, in: range, .documents) == nil)
      try view.scan(.documents, range) { _, _ in
        Issue.record("an entry in an empty range")
        return true
      }
      try view.scan(.documents, range, descending: true) { _, _ in
        Issue.record("an entry in an empty range")
        return true
      }
    }
    #expect(try view.count(.indexes) == 0)
    #expect(try view.entry(at: -1, in: .everything, .documents) == nil)
    #expect(try view.entry(at: .max, in: KeyRange(lower: key(3)), .documents) == nil)
  }

  @Test func theRegistryLearnsOnceThatAViewDied() throws {
    let registry = LayeredModel.Registry()
    let stack = LayerStack(top: LayerStack.Layer(memtable: Memtable(), roots: Roots()))
    var view: View? = View(number: 42, version: 1, commitTime: 0, stack: stack, registry: registry)
    let cursor = view?.cursor(.documents)
    view = nil
    #expect(registry.deaths.isEmpty, "the cursor still reads it")
    withExtendedLifetime(cursor) {}
    _ = consume cursor
    #expect(registry.deaths == [42])
  }

  // MARK: Concurrency

  /// Live numbers under a lock, as an engine keeps them.
  private final class Published: ViewRegistry, @unchecked Sendable {
    private let state = Mutex<(newest: View?, live: [UInt64: Int])>((nil, [:]))

    func viewDied(number: UInt64) {
      state.withLock { state in
        let count = (state.live[number] ?? 0) - 1
        state.live[number] = count == 0 ? nil : count
      }
    }

    func publish(_ number: UInt64, _ stack: LayerStack) {
      let view = View(number: number, version: number, commitTime: 0, stack: stack, registry: self)
      // The view before dies outside the lock that its death takes.
      var former: View?
      state.withLock { state in
        state.live[number, default: 0] += 1
        former = state.newest
        state.newest = view
      }
      withExtendedLifetime(former) {}
    }

    var newest: View? { state.withLock { $0.newest } }
    var live: [UInt64] { state.withLock { $0.live.keys.sorted() } }
  }

  private final class Done: Sendable {
    let flag = Atomic<Bool>(false)
  }

  /// Each commit moves one unit from one key to another, so every view has the same sum, and as many keys as its
  /// number says.
  @Test func readersOfHeldViewsSeeThemUnchangedBesideAWriter() async throws {
    let commits = 3000
    let memtable = Memtable(leafSlotsMax: 4, innerSlotsMax: 4)
    var roots = Roots()
    let accounts = 64
    func account(_ number: Int) -> [UInt8] { Array("account/".utf8) + [UInt8(number)] }
    var balances = [UInt8](repeating: 100, count: accounts)
    for number in 0..<accounts {
      try memtable.apply(.insert, .documents, account(number), [100], version: 1, number: 1, to: &roots)
    }
    memtable.published(1)
    let published = Published()
    published.publish(1, LayerStack(top: LayerStack.Layer(memtable: memtable, roots: roots)))
    let done = Done()

    try await withThrowingTaskGroup(of: Int.self) { group in
      for reader in 0..<2 {
        group.addTask { [key] in
          var bits = SeededBits(seed: UInt64(reader))
          var held: [View] = []
          var checks = 0
          while !done.flag.load(ordering: .acquiring) || checks < 20 {
            if let view = published.newest { held.append(view) }
            if held.count > 8 { held.remove(at: bits.below(held.count)) }
            let view = held[bits.below(held.count)]
            var (sum, keys) = (0, 0)
            try view.scan(.documents) { _, value in
              sum += Int(value[0])
              keys += 1
              return true
            }
            #expect(sum == accounts * 100 && keys == accounts)
            #expect(try view.count(.documents) == accounts)
            #expect(try view.count(.indexes) == Int(view.number) - 1)
            let probe = Int(view.number) - 2
            if probe >= 0 {
              #expect(try view.get(.indexes, key(probe)) != nil)
              #expect(try view.entry(at: probe, in: .everything, .indexes)?.key == key(probe))
            }
            #expect(try view.get(.indexes, key(probe + 1)) == nil)
            checks += 1
          }
          return checks
        }
      }
      var bits = SeededBits(seed: 99)
      for commit in 0..<commits {
        let number = UInt64(commit + 2)
        let (from, to) = (bits.below(accounts), bits.below(accounts))
        if balances[from] > 0, balances[to] < 255 {
          balances[from] -= 1
          balances[to] += 1
          for place in [from, to] {
            try memtable.apply(
              .replace, .documents, account(place), [balances[place]], version: number, number: number, to: &roots)
          }
        }
        try memtable.apply(.insert, .indexes, key(commit), version: number, number: number, to: &roots)
        memtable.published(number)
        published.publish(number, LayerStack(top: LayerStack.Layer(memtable: memtable, roots: roots)))
        if commit % 8 == 0 { memtable.reclaim(live: published.live) }
      }
      done.flag.store(true, ordering: .releasing)
      var checks = 0
      for try await count in group { checks += count }
      #expect(checks >= 40)
    }
    memtable.checkInvariants(roots.indexes)
  }
}
