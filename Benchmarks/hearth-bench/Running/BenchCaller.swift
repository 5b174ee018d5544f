/// One caller's part of one slice.
struct BenchCaller<Target: BenchTarget>: Sendable {
  let target: Target
  /// Done in order until the deadline; what is left is done in the next slice.
  let operations: [BenchOperation<Target>]
  let deadline: UInt64
  /// Of how many operations one has its latency taken; more than one where the clock's own cost would show.
  let sampling: Int
  /// What a whole scan must find.
  let expected: BenchDigest?

  struct Outcome: Sendable {
    var latencies = LatencyHistogram()
    /// How many of the operations were done.
    var done = 0
    /// Documents inserted, read, updated or scanned.
    var documents: UInt64 = 0
    var end: UInt64 = 0
    /// Sum over what was read, so that reading cannot be left out.
    var sum: UInt64 = 0
  }

  /// Runs on the calling thread, blocking.
  func run() throws -> Outcome {
    var outcome = Outcome()
    while outcome.done < operations.count {
      let start = Ticks.now()
      if start >= deadline { break }
      try perform(operations[outcome.done], &outcome)
      outcome.latencies.add(Ticks.now() - start)
      outcome.done += 1
      var unsampled = sampling - 1
      while unsampled > 0, outcome.done < operations.count {
        try perform(operations[outcome.done], &outcome)
        outcome.done += 1
        unsampled -= 1
      }
    }
    outcome.end = Ticks.now()
    return outcome
  }

  /// Runs as a task that awaits.
  func run() async throws -> Outcome {
    var outcome = Outcome()
    while outcome.done < operations.count {
      let start = Ticks.now()
      if start >= deadline { break }
      try await performAwaiting(operations[outcome.done], &outcome)
      outcome.latencies.add(Ticks.now() - start)
      outcome.done += 1
      var unsampled = sampling - 1
      while unsampled > 0, outcome.done < operations.count {
        try await performAwaiting(operations[outcome.done], &outcome)
        outcome.done += 1
        unsampled -= 1
      }
    }
    outcome.end = Ticks.now()
    return outcome
  }

  @inline(__always)
  private func perform(_ operation: BenchOperation<Target>, _ outcome: inout Outcome) throws {
    switch operation {
    case .insert(let items, _):
      try target.insert(items)
      outcome.documents += UInt64(items.count)
    case .read(let key):
      outcome.sum &+= try target.read(key)
      outcome.documents += 1
    case .update(let key, let score):
      try target.update(key, score: score)
      outcome.documents += 1
    case .scan(let key, let count):
      outcome.documents += UInt64(try checked(target.scan(from: key, count: count), of: count))
    case .scanAll:
      outcome.documents += UInt64(try checked(target.scanAll()))
    }
  }

  private func performAwaiting(_ operation: BenchOperation<Target>, _ outcome: inout Outcome) async throws {
    switch operation {
    case .insert(let items, _):
      try await target.insert(items)
      outcome.documents += UInt64(items.count)
    case .read(let key):
      outcome.sum &+= try await target.read(key)
      outcome.documents += 1
    case .update(let key, let score):
      try await target.update(key, score: score)
      outcome.documents += 1
    case .scan(let key, let count):
      outcome.documents += UInt64(try checked(await target.scan(from: key, count: count), of: count))
    case .scanAll:
      outcome.documents += UInt64(try checked(await target.scanAll()))
    }
  }

  private func checked(_ found: Int, of wanted: Int) throws -> Int {
    try BenchError.expect((1...wanted).contains(found), "a scan for \(wanted) documents found \(found)")
    return found
  }

  private func checked(_ digest: BenchDigest) throws -> Int {
    try BenchError.expect(
      expected == nil || digest == expected,
      "a scan found \(digest.count) documents with sum \(digest.sum), the data set has \(expected?.count ?? 0) with \(expected?.sum ?? 0)"
    )
    return digest.count
  }
}
