import HearthTestSupport

@testable import HearthStorage

extension DamageSample {
  /// Databases of several shapes, the same in each run.
  static func all() throws -> [DamageSample] {
    [
      try make("a deep tree, closed", deep) { life in
        for round in 0..<4 {
          try life.fill(.documents, 400, from: round * 300, bytes: 10...60)
          try life.fill(.indexes, 200, from: round * 100, bytes: 0...9)
          try life.fill(.catalog, 3, from: round, bytes: 20...40)
          try life.remove(.documents, every: 7)
          try life.reopen()
        }
      },
      try make("a deep tree, killed", deep) { life in
        for round in 0..<3 {
          try life.fill(.documents, 500, from: round * 300, bytes: 10...60)
          try life.work()
        }
        for number in 0..<6 { try life.fill(.documents, 4, from: number * 200, bytes: 30...90) }
        try life.remove(.documents, every: 50)
      },
      try make("long values, killed", { $0.pageBytes = 1 << 10 }) { life in
        try life.fill(.documents, 6, from: 0, bytes: 66_000...180_000)
        try life.fill(.documents, 150, from: 100, bytes: 20...900)
        try life.reopen()
        try life.fill(.documents, 3, from: 2, bytes: 70_000...90_000)
        try life.fill(.catalog, 2, from: 0, bytes: 66_000...70_000)
        try life.remove(.documents, every: 4)
        try life.close(opensAgain: true)
        try life.fill(.documents, 1, from: 1, bytes: 68_000...69_000)
        try life.fill(.documents, 5, from: 300, bytes: 20...900)
      },
      try make("many segments, killed", segments) { life in
        for round in 0..<6 {
          try life.fill(.documents, 120, from: round * 60, bytes: 80...200)
          try life.work()
        }
        for number in 0..<5 { try life.fill(.documents, 3, from: number, bytes: 50...200) }
      },
      try make("a log alone", { $0.logBytesMax = 16 << 20 }) { life in
        for number in 0..<20 { try life.fill(.documents, 4, from: number * 3, bytes: 50...700) }
        try life.fill(.documents, 60, from: 0, bytes: 100...300)
        for number in 0..<4 { try life.fill(.indexes, 2, from: number, bytes: 5...9, .buffered) }
      },
      try make("pages of the usual size, closed", { $0.pageBytes = 16 << 10 }) { life in
        try life.fill(.documents, 1000, from: 0, bytes: 80...300)
        try life.reopen()
        try life.fill(.documents, 100, from: 400, bytes: 80...300)
        try life.close(opensAgain: false)
      },
      try make("killed in a merge", segments) { life in
        for round in 0..<3 {
          try life.fill(.documents, 150, from: round * 100, bytes: 80...200)
          try life.work()
        }
        try life.fill(.documents, 150, from: 50, bytes: 80...200)
        try life.dieBeforeSlot()
      },
    ]
  }

  @Sendable private static func deep(_ options: inout StorageOptions) { options.pageBytes = 256 }
  @Sendable private static func segments(_ options: inout StorageOptions) {
    options.pageBytes = 512
    options.segmentBytesMin = 14 << 10
  }

  /// Lives one life on a simulated disk, and takes what is on it then.
  private static func make(
    _ name: String, _ change: (inout StorageOptions) -> Void, _ live: (inout Life) throws -> Void
  ) throws -> DamageSample {
    var options = StorageOptions()
    options.logFileBytesMin = 16 << 10
    options.logFileBytesMax = 64 << 10
    options.largeBatchBytesMax = 16 << 10
    options.pageCacheBytes = 64 << 10
    options.logBytesMax = 1 << 10
    change(&options)
    var life = Life(options)
    try within(name) {
      try life.database.open(required: 0, random: life.random)
      try live(&life)
    }
    let prefix = SimulatedDatabase.folder + "/"
    var files: [String: Bytes] = [:]
    for (path, bytes) in life.database.files.killedProcess().snapshotLive() where path.hasPrefix(prefix) {
      files[String(path.dropFirst(prefix.count))] = bytes
    }
    files["LOCK"] = nil
    return try DamageSample(name, options: options, files: files, states: life.states)
  }

  /// What a sample goes through.
  private struct Life {
    let database: SimulatedDatabase
    let random = SeededRandom(seed: 11)
    var states: [UInt64: ModelState] = [0: ModelState()]

    init(_ options: StorageOptions) {
      database = SimulatedDatabase(
        on: SimulatedDatabase.disk(), setup: SimulatedDatabase.Setup(options: options, seed: 5))
    }

    private mutating func commit(_ durability: Durability = .durable, _ fill: (inout ModelBatch) throws -> Void) throws
    {
      try database.commit(durability) { batch, _, _ in try fill(&batch) }
      states[database.history.lastVersion] = database.history.lastState
    }

    mutating func fill(
      _ tree: TreeID, _ count: Int, from first: Int, bytes: ClosedRange<Int>, _ durability: Durability = .durable
    ) throws {
      let random = random
      try commit(durability) { batch in
        for number in first..<first + count {
          let byteCount = bytes.lowerBound + random.next(below: bytes.count)
          // Half of a value compresses.
          let value =
            random.bytes(byteCount / 2) + Bytes(repeating: UInt8(number & 255), count: byteCount - byteCount / 2)
          try batch.put(tree, DamageSample.key(number), value)
        }
      }
    }

    mutating func remove(_ tree: TreeID, every step: Int) throws {
      let keys = database.history.lastState[tree].keys.sorted { ModelState.isBelow($0, $1) }
      try commit { batch in
        for (index, key) in keys.enumerated() where index % step == 0 { try batch.delete(tree, key) }
      }
    }

    func work() throws { database.executor.runUntilIdle() }
    func reopen() throws { try database.reopen(random: random) }
    func close(opensAgain: Bool) throws {
      if opensAgain { try reopen() } else { try database.close() }
    }

    /// The segments of a merge are there, the slot that would name them is not.
    func dieBeforeSlot() throws {
      let files = database.files
      database.beforeOperation = { line in
        if line.hasPrefix("write "), line.contains("/SUPER ") { files.stopAfter(files.operationCount) }
      }
      database.executor.runUntilIdle()
      try expect(files.isStopped, "no slot was written")
    }
  }

  /// Keys share beginnings of several lengths.
  static func key(_ number: Int) -> Bytes { Bytes("users/\(number / 40)/posts/\(number)".utf8) }
}
