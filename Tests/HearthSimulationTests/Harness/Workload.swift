@testable import HearthStorage
@testable import HearthTestSupport

/// A random life of a database: commits of all kinds, views held, workers stepped, time moved on, faults.
struct Workload {
  let database: SimulatedDatabase
  let random: SeededRandom
  /// Views that were taken earlier, with what they must show for ever.
  private var held: [(view: View, state: ModelState)] = []
  private(set) var operations = 0

  init(_ database: SimulatedDatabase, random: SeededRandom) {
    self.database = database
    self.random = random
  }

  // MARK: - Steps

  /// One of the things that callers do without faults, small.
  mutating func smallStep() throws {
    switch random.next(below: 8) {
    case 0..<3: try commit(durability)
    case 3..<6: try enqueue()
    case 6: database.executor.runOneStep()
    default: try commit(.durable, operations: 20 + random.next(below: 30), valueBytesMax: 300)
    }
  }

  /// Anything.
  mutating func step() throws {
    switch random.next(below: 100) {
    case 0..<22: try commit(durability)
    case 22..<46:
      for _ in 0...random.next(below: 4) { try enqueue() }
    case 46..<66:
      for _ in 0...random.next(below: 3) { database.executor.runOneStep() }
    case 66..<71: database.executor.runUntilIdle()
    case 71..<78: database.executor.advance(nanoseconds: UInt64(random.next(below: 2_000_000_000)))
    case 78..<84: try commit(durability, operations: 10 + random.next(below: 60), valueBytesMax: 600)
    case 84..<86: try enqueue(operations: 10 + random.next(below: 40), valueBytesMax: 600)
    case 86..<91: try holdOrCheck()
    case 91..<94: try transaction()
    case 94: try deriveUnderInterference()
    // Without running what is due, so that a commit finds the sync overdue.
    case 95: database.executor.clock.advance(nanoseconds: 600_000_000)
    case 96..<98: try database.sync()
    default: try checkSettled()
    }
  }

  /// Makes the disk fail or fill up, or puts it right again.
  mutating func mischief() {
    let files = database.files
    database.expectsFaults = true
    switch random.next(below: 6) {
    case 0, 1:
      files.capacityBytes = 1 << 40
      let free = (try? files.availableBytes(at: SimulatedDatabase.folder)) ?? nil
      files.capacityBytes = (1 << 40) - Int(free ?? 0) + random.next(below: 40_000)
    case 2: files.writeBudgetBytes = random.next(below: 80_000)
    case 3:
      files.capacityBytes = nil
      files.writeBudgetBytes = nil
      files.clearFaults()
    default:
      let calls: [SimulatedFault.Call] = [
        .write, .sync, .create, .allocate, .rename, .syncDirectory, .remove, .truncate,
      ]
      let call = calls[random.next(below: calls.count)]
      var effect = SimulatedFault.Effect.fail(random.oneIn(2) ? .io : .resourceExhausted)
      if call == .write, random.oneIn(2) { effect = .short(random.next(below: 9000), .io) }
      if call == .sync, random.oneIn(2) { effect = .loseDirtyPages(.io) }
      let suffixes = ["", "", "", "SUPER", ".new", ".wal"]
      files.inject(
        SimulatedFault(
          call, nth: 1 + random.next(below: 6), times: random.oneIn(5) ? 3 : 1,
          pathSuffix: suffixes[random.next(below: suffixes.count)], effect: effect))
    }
  }

  // MARK: - Callers

  private var durability: Durability { random.oneIn(2) ? .durable : .buffered }

  private mutating func commit(_ durability: Durability, operations: Int = 0, valueBytesMax: Int = 120) throws {
    let count = operations > 0 ? operations : 1 + random.next(below: 4)
    self.operations += count
    let bits = SeededRandom(seed: random.next())
    try database.commit(durability) { batch, _, _ in
      try Workload.fill(&batch, count, valueBytesMax, SeededRandom(seed: bits.seed))
    }
  }

  private mutating func enqueue(operations: Int = 0, valueBytesMax: Int = 120) throws {
    let count = operations > 0 ? operations : 1 + random.next(below: 3)
    self.operations += count
    let seed = random.next()
    try database.enqueue(durability) { batch, _, _ in
      try Workload.fill(&batch, count, valueBytesMax, SeededRandom(seed: seed))
    }
  }

  /// The same operations however often it is derived.
  static func fill(_ batch: inout ModelBatch, _ count: Int, _ valueBytesMax: Int, _ bits: SeededRandom) throws {
    for _ in 0..<count {
      let tree: TreeID = bits.oneIn(2) ? .documents : bits.oneIn(3) ? .catalog : .indexes
      let key = Workload.key(bits)
      if bits.oneIn(3) {
        try batch.delete(tree, key)
      } else {
        let size = bits.oneIn(40) ? bits.next(below: 6000) : bits.next(below: valueBytesMax)
        var value = Workload.value(size, bits)
        let isStamped = bits.oneIn(6)
        if isStamped, value.count < 8 { value += [0, 0, 0, 0, 0, 0, 0, 0] }
        try batch.put(tree, key, value, stamped: isStamped)
      }
    }
  }

  static func key(_ bits: SeededRandom) -> Bytes {
    let number = bits.next(below: 48)
    var key: Bytes = [UInt8(number % 5), UInt8(number)]
    if number % 7 == 0 { key += Bytes(repeating: UInt8(number), count: number) }
    if number == 11 { key = [] }
    return key
  }

  static func value(_ size: Int, _ bits: SeededRandom) -> Bytes {
    let first = bits.next()
    return (0..<size).map { UInt8(truncatingIfNeeded: first >> UInt64($0 % 8 * 8)) }
  }

  // MARK: - Views

  private mutating func holdOrCheck() throws {
    if held.count < 4, !random.oneIn(3), let view = try? database.engine.view() {
      guard let state = database.history.state(at: view.version) else {
        throw SimulationFailure("a view shows version \(view.version), which never was")
      }
      held.append((view, state))
      return
    }
    guard !held.isEmpty else { return }
    let index = random.next(below: held.count)
    let (view, state) = held[index]
    try within("a view held since version \(view.version)") { try state.verify(view, random: random, ranges: 2) }
    if random.oneIn(2) { held.remove(at: index) }
  }

  /// Compares every view held, and the newest, with what they must show.
  mutating func checkAll() throws {
    for (view, state) in held {
      try within("a view held since version \(view.version)") { try state.verify(view, random: random) }
    }
    guard let view = try? database.engine.view() else { return }
    guard let state = database.history.state(at: view.version) else {
      throw SimulationFailure("the newest view shows version \(view.version), which never was")
    }
    try within("the newest view, version \(view.version)") { try state.verify(view, random: random) }
  }

  /// Counts, ranks, cursors both ways, of the newest view and of one held.
  mutating func checkRanges() throws {
    let view = try database.engine.view()
    guard let state = database.history.state(at: view.version) else {
      throw SimulationFailure("the newest view shows version \(view.version), which never was")
    }
    var pairs = [(view, state)]
    if let first = held.first { pairs.append((first.view, first.state)) }
    for (view, state) in pairs {
      let tree = TreeID.allCases[random.next(below: 3)]
      var bounds = [Workload.key(random), Workload.key(random)]
      bounds.sort { ModelState.isBelow($0, $1) }
      let range = KeyRange(lower: bounds[0], upper: random.oneIn(4) ? nil : bounds[1])
      let keys = state[tree].keys.filter { key in
        !ModelState.isBelow(key, range.lower) && (range.upper.map { ModelState.isBelow(key, $0) } ?? true)
      }.sorted { ModelState.isBelow($0, $1) }
      let count = try view.count(tree, range)
      try expect(count == keys.count, "\(tree) counts \(count) in \(range), not \(keys.count)")
      let cursor = view.cursor(tree, range)
      var run = EntryRun()
      var forward: [Bytes] = []
      repeat {
        try cursor.next(&run, entriesMax: 1 + random.next(below: 9))
        forward += (0..<run.count).map { Bytes(run.key($0)) }
      } while !run.isEmpty
      try expect(forward == keys, "\(tree): a cursor over \(range) differs")
      var backward: [Bytes] = []
      repeat {
        try cursor.previous(&run, entriesMax: 1 + random.next(below: 9))
        backward += (0..<run.count).map { Bytes(run.key($0)) }
      } while !run.isEmpty
      try expect(backward == keys.reversed(), "\(tree): a cursor back over \(range) differs")
      operations += 2
    }
  }

  private func checkSettled() throws {
    guard let view = try? database.engine.settledView() else { return }
    let last = database.history.commits.last { $0.fate != .failed }
    let wanted = last?.version ?? database.history.floorVersion
    try expect(
      view.version >= wanted || !database.isWritable, "a settled view shows \(view.version), enqueued was \(wanted)")
  }

  // MARK: - Conditions

  /// A key read in an older view: the commit is refused exactly when the key has changed since.
  private mutating func transaction() throws {
    guard let (view, old) = held.first, database.isWritable else { return }
    let bits = SeededRandom(seed: random.next())
    if bits.oneIn(3) { return try rangeTransaction(view, bits) }
    let tree = TreeID.documents
    let key = Workload.key(bits)
    let wasAbsent = old[tree][key] == nil
    let before = database.conflicts
    var hasChanged = false
    let mine = Workload.key(bits)
    let isDone = try database.commit(.buffered) { batch, _, _ in
      // Nothing else runs between this call and the sequencing.
      let now = self.database.history.lastState[tree][key]
      hasChanged = wasAbsent ? now != nil : now == nil || self.changed(tree, key, since: view.version)
      batch.require(tree, key: key, since: view.version, wasAbsent: wasAbsent)
      try batch.put(.catalog, mine, [1, 2, 3])
    }
    let isConflict = database.conflicts > before
    guard isDone || isConflict else { return }
    try expect(
      isConflict == hasChanged,
      "a condition on \(key) of version \(view.version) was \(isConflict ? "refused" : "taken"), changed: \(hasChanged)"
    )
  }

  /// A range read in an older view: a change in it is never missed. Where nothing near it was touched there is no
  /// conflict either, as long as the memtable remembers.
  private mutating func rangeTransaction(_ view: View, _ bits: SeededRandom) throws {
    var bounds = [Workload.key(bits), Workload.key(bits)]
    bounds.sort { ModelState.isBelow($0, $1) }
    let range = KeyRange(lower: bounds[0], upper: bounds[1])
    let before = database.conflicts
    let mine = Workload.key(bits)
    let isDone = try database.commit(.buffered) { batch, _, _ in
      batch.require(.documents, range: range, since: view.version)
      try batch.put(.catalog, mine, [4])
    }
    let isConflict = database.conflicts > before
    guard isDone || isConflict else { return }
    // The commit itself touches another tree.
    let since = database.history.commits.filter { $0.version > view.version && $0.fate != .failed }
    let touched = since.flatMap(\.changes).filter { $0.tree == .documents }
    // What came and went within one commit was never seen by anyone.
    let isChanged = since.contains { commit in
      commit.changes.contains { change in
        change.tree == .documents && !ModelState.isBelow(change.key, range.lower)
          && range.upper.map { ModelState.isBelow(change.key, $0) } == true
          && commit.state[.documents][change.key] != database.history.state(at: view.version)?[.documents][change.key]
      }
    }
    try expect(isConflict || !isChanged, "a condition on \(range) of version \(view.version) missed a change")
    let isOld = view.version < database.engine.lock.withLock { database.engine.sequencer.validatableFrom }
    try expect(!isConflict || !touched.isEmpty || isOld, "a conflict in \(range) where nothing was touched")
  }

  /// Whether a commit after `version` put or removed the key.
  private func changed(_ tree: TreeID, _ key: Bytes, since version: UInt64) -> Bool {
    database.history.commits.contains { $0.version > version && $0.fate != .failed && $0.touches(tree, key) }
  }

  /// While a batch is derived another one changes the same keys: it is handed back and derived again (E2).
  private mutating func deriveUnderInterference() throws {
    guard database.isWritable else { return }
    let seed = random.next()
    let inner = random.next()
    let bits = SeededRandom(seed: inner)
    try database.commit(durability) { batch, _, attempt in
      if attempt <= 2, bits.oneIn(2) {
        for _ in 0..<bits.next(below: 3) { self.database.executor.runOneStep() }
        try self.database.enqueue(bits.oneIn(2) ? .durable : .buffered) { other, _, _ in
          try Workload.fill(&other, 2, 60, SeededRandom(seed: seed))
        }
        for _ in 0..<bits.next(below: 3) { self.database.executor.runOneStep() }
      }
      try Workload.fill(&batch, 2, 60, SeededRandom(seed: seed))
    }
    operations += 4
  }
}
