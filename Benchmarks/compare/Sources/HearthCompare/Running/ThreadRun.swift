/// One thread's share of a row while the clock runs.
struct ThreadRun {
  /// When to stop.
  struct Limit {
    /// Nanoseconds after the start.
    var time: UInt64
    /// Begin the operations again when they are through, until the time is up.
    var repeats: Bool
  }

  static let chunkCount = 64

  private(set) var operations = 0
  /// Documents or other items that the operations returned.
  private(set) var items = 0
  private(set) var latency = LatencyHistogram()
  /// The digest after each chunk of the first pass: those of two engines are equal as far as both came.
  private(set) var digests: [UInt64] = []
  /// Whether every operation was done at least once.
  private(set) var isComplete = false
  private(set) var end: UInt64 = 0

  /// - Parameter timedEvery: 1 times each operation, 8 every eighth.
  mutating func run(
    _ plan: ThreadPlan, _ session: any Session, start: UInt64, limit: Limit, timedEvery: Int
  ) throws {
    let chunk = max(1, (plan.operations.count + Self.chunkCount - 1) / Self.chunkCount)
    var digest = AnswerDigest()
    var at = 0
    let deadline = start + limit.time
    var now = Ticks.now()
    while true {
      let isTimed = at % timedEvery == 0
      if isTimed { now = Ticks.now() }
      items += try perform(plan.operations[at], plan, session, &digest)
      operations += 1
      at += 1
      if isTimed {
        let after = Ticks.now()
        latency.add(after - now)
        now = after
      }
      if !isComplete, at % chunk == 0 || at == plan.operations.count { digests.append(digest.value) }
      if at == plan.operations.count {
        isComplete = true
        guard limit.repeats else { break }
        at = 0
      }
      if isTimed, now >= deadline { break }
    }
    end = Ticks.now()
  }

  @inline(__always)
  private func perform(
    _ operation: Operation, _ plan: ThreadPlan, _ session: any Session, _ digest: inout AnswerDigest
  ) throws -> Int {
    switch operation {
    case .read(let key):
      guard try session.read(key, &digest) else { throw CompareError.missing(key) }
    case .miss(let key):
      if try session.read(key, &digest) {
        throw CompareError("\(String(decoding: key, as: UTF8.self)) was never written", kind: .wrongAnswer)
      }
    case .update(let change): try session.update(change)
    case .readModifyWrite(let change): try session.readModifyWrite(change, &digest)
    case .insert(let place): try session.insert(plan.documents[place...place])
    case .scan(let key, let limit): return try session.scan(from: key, limit: limit, &digest)
    case .newest(let query): return try session.newest(query, limit: Operation.newestLimit, &digest)
    case .byAge(let query): return try session.byAge(query, limit: Operation.byAgeLimit, &digest)
    case .count(let query):
      let count = try session.count(query)
      digest.add(number: UInt64(count))
      return 1
    case .scanAll:
      let count = try session.scanAll(&digest)
      digest.add(number: UInt64(count))
      return count
    }
    return 1
  }
}
