import HearthTestSupport

@testable import HearthStorage

/// Opens a damaged database in each way, reads all of it in each way, and compares: every answer is right or a typed
/// error, and what the damage left alone is answered.
struct DamageJudge {
  /// What became of the openings.
  struct Tally {
    var served = 0
    var refused = 0
    /// Read-only, with the prefix before damage.
    var prefixes = 0
    /// From the checkpoint before the newest.
    var fallbacks = 0
    var answers = 0
    var errors = 0
    var findings = 0
  }

  let sample: DamageSample
  let damage: Damage
  /// Where the damaged files are.
  let folder: String
  private(set) var tally = Tally()

  init(_ sample: DamageSample, _ damage: Damage, folder: String) {
    self.sample = sample
    self.damage = damage
    self.folder = folder
  }

  static var environment: StorageEnvironment {
    let clock = SystemClock()
    return StorageEnvironment(
      fileSystem: POSIXFileSystem(), clock: clock, executor: ThreadExecutor(clock: clock), random: SystemRandom())
  }

  /// What a damaged file may give. A segment that is gone is `.notFound`.
  static let codes: Set<StorageError.Code> = [.corruption, .notFound, .unsupportedFormat]

  private static func check(_ error: StorageError, _ place: String) throws {
    try expect(codes.contains(error.code), "\(place) gives \(error)")
    try expect(!error.message.isEmpty, "\(place) gives an error that says nothing")
  }

  // MARK: - Opening

  private func open(readOnly: Bool) throws(StorageError) -> StorageEngine {
    var options = sample.options
    options.readOnly = readOnly
    // The close of a writer merges, and nothing before.
    options.logBytesMax = 16 << 20
    return try StorageEngine.open(at: folder, options: options, environment: Self.environment)
  }

  mutating func judgeReading(_ random: SeededRandom) throws {
    do {
      let engine = try open(readOnly: true)
      defer { engine.abandon() }
      if engine.openDamage != nil { tally.prefixes += 1 } else { tally.served += 1 }
      try judge(engine, isDamageTold: engine.openDamage != nil, random)
      try checkIntegrity(engine)
    } catch let error as StorageError {
      try Self.check(error, "opening for reading")
      try expect(!mustOpen, "damage that no opening meets keeps it from being opened: \(error)")
      tally.refused += 1
    }
    try checkReports()
  }

  /// Opens for writing, changes a little, and closes, which merges; then all of it is still what it was.
  mutating func judgeWriting(_ random: SeededRandom) throws {
    let before = try DamageFolder.contents(folder)
    let engine: StorageEngine
    do {
      engine = try open(readOnly: false)
    } catch {
      try Self.check(error, "opening for writing")
      let after = try DamageFolder.contents(folder)
      try expect(
        before == after,
        "a refused open changed \(Set(before.keys).symmetricDifference(after.keys).sorted()) or content")
      tally.refused += 1
      return
    }
    tally.served += 1
    try within("opened for writing") { try judge(engine, isDamageTold: false, random) }
    let view = try engine.view()
    guard var state = sample.states[view.version] else { throw SimulationFailure("version \(view.version) never was") }
    let changes = changes(of: state, random)
    var versions = [view.version: state]
    do {
      let receipt = try engine.commit { view in
        var batch = ModelBatch(view)
        for change in changes {
          if let value = change.value {
            try batch.put(change.tree, change.key, value)
          } else {
            try batch.delete(change.tree, change.key)
          }
        }
        return batch.batch
      }
      state.apply(changes, version: receipt.version)
      versions = [receipt.version: state]
    } catch let error as StorageError {
      try Self.check(error, "a commit")
      tally.errors += 1
    }
    do { try engine.close() } catch {
      try Self.check(error, "a close")
      tally.errors += 1
    }
    do {
      let again = try open(readOnly: true)
      defer { again.abandon() }
      let view = try again.view()
      guard let state = versions[view.version] else {
        throw SimulationFailure("after a merge version \(view.version) is there, of \(versions.keys.sorted())")
      }
      try within("after a merge") { try compare(view, state, isNewest: false, random) }
    } catch let error as StorageError {
      throw SimulationFailure("what a writer has closed does not open: \(error)")
    }
  }

  private func changes(of state: ModelState, _ random: SeededRandom) -> [ModelChange] {
    let keys = state[.documents].keys.sorted { ModelState.isBelow($0, $1) }
    var changes = [
      ModelChange(tree: .documents, key: DamageSample.key(5000 + random.next(below: 50)), value: [1, 2, 3])
    ]
    guard !keys.isEmpty else { return changes }
    let first = random.next(below: keys.count)
    for (index, key) in keys[first..<min(first + 6, keys.count)].enumerated() {
      changes.append(ModelChange(tree: .documents, key: key, value: index % 2 == 0 ? nil : random.bytes(50)))
    }
    return changes
  }

  // MARK: - What must be found

  /// Whether no opening for reading reads what is damaged: it looks at SUPER, the record, headers and lengths.
  private var mustOpen: Bool {
    damage.names.allSatisfy { name in
      name.hasPrefix("segments/") && !damage.reshaped.contains(name)
        && !damage.touches(DamageSample.Piece(file: name, range: 0..<Int(SegmentFormat.blocksOffset)))
    } && !(sample.record.map(damage.touches) ?? false)
  }

  private func isCut(_ name: String) -> Bool {
    (damage.files[name]?.count ?? 0) < sample.files[name]?.count ?? 0
  }

  private func isWhole(_ frame: DamageSample.Frame) -> Bool {
    guard !damage.touches(frame.piece) else { return false }
    let headers = WALFormat.headerCopyOffsets.map {
      DamageSample.Piece(file: frame.piece.file, range: Int($0)..<Int($0) + WALFormat.headerBytes)
    }
    return headers.contains { !damage.touches($0) }
  }

  /// The newest commit that is whole with all before it, from the checkpoint of a version on.
  private func versionOfPrefix(from version: UInt64) -> UInt64 {
    var found = version
    var file = ""
    for frame in sample.frames where frame.version > version {
      // Of an old checkpoint the log is gone; nothing is taken from behind a file that was cut, though it were padding.
      guard frame.version <= found + 1, isWhole(frame), file == frame.piece.file || !isCut(file) else { break }
      file = frame.piece.file
      if frame.isLast { found = frame.version }
    }
    return found
  }

  /// The newest commit that something whole proves to have been synced.
  private var versionProven: UInt64 {
    var position: UInt64 = 0
    for frame in sample.frames where isWhole(frame) {
      position = max(position, frame.firstPosition)
      if frame.syncedThrough > frame.firstPosition { position = max(position, frame.syncedThrough) }
    }
    return sample.frames.last { $0.isLast && $0.end <= position }?.version ?? 0
  }

  // MARK: - Reading

  private mutating func judge(_ engine: StorageEngine, isDamageTold: Bool, _ random: SeededRandom) throws {
    let view = try engine.view()
    guard let state = sample.states[view.version] else {
      throw SimulationFailure("version \(view.version) never was")
    }
    let base = view.stack.snapshot?.commitVersion ?? 0
    let isNewest = base == sample.checkpoint?.version ?? 0
    if !isNewest { tally.fallbacks += 1 }
    // Of a file that is there twice, one is taken, and that it is there twice is told.
    let isDoubled = damage.files.keys.contains { $0.hasPrefix("wal/") && sample.files[$0] == nil }
    var required = isDoubled && isDamageTold ? 0 : versionOfPrefix(from: base)
    if !isDamageTold { required = max(required, versionProven, sample.checkpoint?.version ?? 0) }
    if mustOpen { required = sample.lastVersion }
    // Without the newest slot, and what it alone proves, the one before begins the log.
    if damage.touches("SUPER"), !isNewest, !isDamageTold { required = max(versionOfPrefix(from: base), versionProven) }
    try expect(view.version >= required, "found version \(view.version), there is all for \(required)")
    try compare(view, state, isNewest: isNewest, random)
  }

  /// - Parameter isNewest: whether the trees are those whose blocks the sample knows.
  private mutating func compare(
    _ view: View, _ state: ModelState, isNewest: Bool, _ random: SeededRandom
  ) throws {
    for tree in TreeID.allCases {
      try within("\(tree)") {
        let keys = state[tree].keys.sorted { ModelState.isBelow($0, $1) }
        try compareScans(view, tree, keys, state)
        try compareGets(view, tree, keys, state, isNewest: isNewest)
        try compareRanges(view, tree, keys, random)
      }
    }
  }

  private mutating func compareScans(_ view: View, _ tree: TreeID, _ keys: [Bytes], _ state: ModelState) throws {
    for isDescending in [false, true] {
      var count = 0
      do {
        try view.scan(tree, descending: isDescending) { key, value in
          try expect(count < keys.count, "a scan gives more than \(keys.count) entries")
          let wanted = keys[isDescending ? keys.count - 1 - count : count]
          try expect(ModelState.isEqual(key, wanted), "a scan gives \([UInt8](key)) where \(wanted) is")
          try expect(ModelState.isEqual(value, state[tree][wanted] ?? []), "a scan gives another value at \(wanted)")
          count += 1
          return true
        }
        try expect(count == keys.count, "a scan ends after \(count) of \(keys.count) entries")
        tally.answers += 1
      } catch let error as StorageError {
        try Self.check(error, "a scan")
        tally.errors += 1
      }
    }
  }

  private mutating func compareGets(
    _ view: View, _ tree: TreeID, _ keys: [Bytes], _ state: ModelState, isNewest: Bool
  ) throws {
    let harmed: Set<Bytes>? =
      isNewest
      ? Set(sample.entries[Int(tree.rawValue)].filter { $0.path.contains(where: damage.touches) }.map(\.key)) : nil
    // Of a tree whose root is harmed everything is unreadable, what is not in it too.
    for key in keys {
      do {
        let value = try view.get(tree, key)
        try expect(value == state[tree][key], "get of \(key) gives another value")
        tally.answers += 1
      } catch let error as StorageError {
        try Self.check(error, "a get")
        let isHarmed = harmed?.contains(key) ?? true
        try expect(isHarmed || !isInTree(tree, key), "get of \(key), which no damage touches, gives \(error)")
        tally.errors += 1
      }
      guard tally.answers % 3 == 0 else { continue }
      do {
        let absent = key + [0]
        guard state[tree][absent] == nil else { continue }
        try expect(try view.get(tree, absent) == nil, "get gives a value where none is")
      } catch let error as StorageError {
        try Self.check(error, "a get of nothing")
      }
    }
  }

  private func isInTree(_ tree: TreeID, _ key: Bytes) -> Bool {
    let entries = sample.entries[Int(tree.rawValue)]
    var low = 0
    var high = entries.count
    while low < high {
      let half = (low + high) / 2
      if ModelState.isBelow(entries[half].key, key) { low = half + 1 } else { high = half }
    }
    return low < entries.count && entries[low].key == key
  }

  private mutating func compareRanges(
    _ view: View, _ tree: TreeID, _ keys: [Bytes], _ random: SeededRandom
  ) throws {
    guard !keys.isEmpty else { return }
    for _ in 0..<8 {
      let first = random.next(below: keys.count)
      let last = first + random.next(below: keys.count - first)
      let range = KeyRange(lower: keys[first], upper: keys[last])
      do {
        let count = try view.count(tree, range)
        try expect(count == last - first, "\(range) counts \(count), not \(last - first)")
        let offset = random.next(below: last - first + 1)
        let entry = try view.entry(at: offset, in: range, tree)
        try expect(entry?.key == (first + offset < last ? keys[first + offset] : nil), "another entry at \(offset)")
        tally.answers += 2
      } catch let error as StorageError {
        try Self.check(error, "a count")
        tally.errors += 1
      }
    }
  }

  // MARK: - Checks and reports

  private mutating func checkIntegrity(_ engine: StorageEngine) throws {
    let errors = tally.errors
    let check = try IntegrityCheck(engine) { _, _, _ in nil }
    try expect(
      errors == 0 || !check.problems.isEmpty, "\(errors) reads fail, and the check of the open database finds nothing")
  }

  /// What the tool shows of files in any state.
  private mutating func checkReports() throws {
    do throws(StorageError) {
      _ = try DatabaseReport(folder, fileSystem: POSIXFileSystem())
      _ = try SegmentTable(folder, fileSystem: POSIXFileSystem())
    } catch {
      do { try Self.check(error, "a report") } catch { throw error }
    }
    for depth in [CheckReport.Depth.quick, .full] {
      let report = try CheckpointCheck.run(folder, fileSystem: POSIXFileSystem(), depth: depth)
      guard let report else { continue }
      try expect(report.isComplete, "a \(depth) check ended early")
      tally.findings += report.findings.items.count
      guard report.checkpoint == sample.checkpoint?.number else { continue }
      let isHarmed = sample.live.contains(where: damage.touches) || (sample.record.map(damage.touches) ?? false)
      let isSegment = damage.names.contains { $0.hasPrefix("segments/") }
      if depth == .full {
        try expect(!isHarmed || !report.findings.isEmpty, "a full check overlooks a damaged block")
      }
      try expect(isSegment || report.findings.isEmpty, "a check finds \(report.findings.items.map(\.description))")
    }
  }
}
