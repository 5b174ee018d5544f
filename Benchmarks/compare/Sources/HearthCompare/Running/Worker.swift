import Foundation

/// A process that runs the rows of one stage on one engine and prints a line of JSON for each.
struct Worker {
  let job: WorkerJob
  let documents = BenchDocuments()

  /// Returns the process's exit status.
  static func main(_ text: String) -> Int32 {
    do {
      let job = try JSONDecoder().decode(WorkerJob.self, from: Data(text.utf8))
      if let group = job.memoryGroup { try MemoryLimit.join(group) }
      try Worker(job: job).run()
      return 0
    } catch let error as CompareError {
      print(.failure(error.description, isWrongAnswer: error.kind == .wrongAnswer))
    } catch {
      print(.failure("\(error)", isWrongAnswer: false))
    }
    return 1
  }

  private static func print(_ line: WorkerLine) {
    guard var data = try? JSONEncoder().encode(line) else { return }
    data.append(0x0A)
    FileHandle.standardOutput.write(data)
  }

  private var settings: EngineSettings {
    EngineSettings(
      isDurable: job.stage == .durable, cacheBytes: job.cacheBytes, isCold: job.stage == .cold,
      usesDirectIO: job.usesDirectIO)
  }

  private func report(_ result: RowResult) {
    var result = result
    result.peakMemory = Double(ProcessFigures.peakMemoryBytes()) / Double(1 << 20)
    Self.print(.result(result))
  }

  private func run() throws {
    let rows = try job.rows.map { name in
      guard let row = Row.named(name) else { throw CompareError("no row \(name)") }
      return row
    }
    switch job.stage {
    case .load: try load(rows)
    case .bulk: try bulkLoad()
    case .open: try open()
    case .cold: try cold(rows)
    case .hot, .durable: try measure(rows)
    }
  }

  // MARK: - Loading

  private static let batch = 500

  private func load(_ rows: [Row]) throws {
    let engine = try job.engine.open(job.folder, settings)
    Self.print(.about(engine.about))
    var busy: UInt64 = 0
    var latency = LatencyHistogram()
    do {
      let session = try engine.session()
      var first = 0
      while first < job.documents {
        let last = min(first + Self.batch, job.documents)
        let batch = (first..<last).map { CompareDocument(documents.document(UInt64($0))) }
        let start = Ticks.now()
        try session.insert(batch[...])
        let time = Ticks.now() - start
        busy += time
        latency.add(time)
        first = last
      }
      Quiet.wait()
      try checkLoaded(session)
    }
    if rows.contains(where: { $0.work == .load }) {
      var result = RowResult(row: "load", value: Double(job.documents) / (Double(busy) / 1e9))
      result.operations = job.documents
      result.seconds = Double(busy) / 1e9
      result.setLatency(latency)
      result.state = job.loadedState
      report(result)
    }
    try engine.close()
    if rows.contains(where: { $0.work == .size }) {
      let bytes = DataFolder(job.folder).diskBytes()
      report(RowResult(row: "size", value: Double(bytes) / Double(1 << 20)))
    }
  }

  /// Every document is there, byte by byte, and every index has an entry for each.
  private func checkLoaded(_ session: any Session) throws {
    var digest = AnswerDigest()
    let found = try session.scanAll(&digest)
    guard found == job.documents, digest.value == job.loadedState else {
      throw CompareError("\(found) documents after loading, or wrong ones", kind: .wrongAnswer)
    }
    let counted = try session.count(Query.created(from: 0, before: .max))
    guard counted == job.documents else {
      throw CompareError("\(counted) index entries instead of \(job.documents)", kind: .wrongAnswer)
    }
  }

  private func bulkLoad() throws {
    guard let loader = try job.engine.bulkLoader(job.folder, settings) else {
      report(RowResult(row: "bulk", absence: RowResult.notOffered))
      return
    }
    let order = BulkOrder(documents: documents, count: job.documents)
    var busy: UInt64 = 0
    func timed(_ body: () throws -> Void) rethrows {
      let start = Ticks.now()
      try body()
      busy += Ticks.now() - start
    }
    let chunk = 4096
    for first in stride(from: 0, to: job.documents, by: chunk) {
      let batch = (first..<min(first + chunk, job.documents)).map { order.document($0) }
      try timed { try loader.append(batch[...]) }
    }
    for kind in IndexKind.inKeyOrder {
      let sorted = order.entries(of: kind)
      for first in stride(from: 0, to: job.documents, by: chunk) {
        let keys = (first..<min(first + chunk, job.documents)).map { order.key(sorted[$0], of: kind) }
        try timed { try loader.append(keys[...], to: kind) }
      }
    }
    try timed { try loader.finish() }
    let engine = try job.engine.open(job.folder, settings)
    Self.print(.about(engine.about))
    do { try checkLoaded(try engine.session()) }
    try engine.close()
    var result = RowResult(row: "bulk", value: Double(job.documents) / (Double(busy) / 1e9))
    result.operations = job.documents
    result.seconds = Double(busy) / 1e9
    result.state = job.loadedState
    report(result)
  }

  // MARK: - Opening

  private func open() throws {
    let key = documents.path(0)
    var digest = AnswerDigest()
    let start = Ticks.now()
    let engine = try job.engine.open(job.folder, settings)
    do {
      let session = try engine.session()
      guard try session.read(key, &digest) else { throw CompareError.missing(key) }
    }
    let time = Ticks.now() - start
    Quiet.wait()
    try engine.close()
    var result = RowResult(row: "open", value: Double(time) / 1e6)
    result.operations = 1
    result.seconds = Double(time) / 1e9
    result.digests = [[digest.value]]
    report(result)
  }

  // MARK: - Measuring

  private func limit(_ row: Row, repeats: Bool) -> ThreadRun.Limit {
    let seconds = repeats || row.work == .commit ? job.seconds : job.secondsMax
    return ThreadRun.Limit(time: UInt64(seconds * 1e9), repeats: repeats)
  }

  private func result(_ row: Row, _ outcome: RowRunner.Outcome) -> RowResult {
    // Scans count documents, everything else operations.
    let count = row.work == .scanAll ? outcome.items : outcome.operations
    var result = RowResult(row: row.name, value: Double(count) / outcome.seconds)
    result.operations = outcome.operations
    result.seconds = outcome.seconds
    // Rows that go on for a time, as durable commits and those that only read, are never cut short.
    result.isComplete = outcome.isComplete || !row.isMutating || row.work == .commit
    result.setLatency(outcome.latency)
    // Threads that write race for what the others read.
    if !row.isMutating || row.threads == 1 { result.digests = outcome.digests }
    return result
  }

  /// Before each row nothing of the data is in memory: files are dropped from the system's cache, the database is opened
  /// anew.
  private func cold(_ rows: [Row]) throws {
    let plans = PlanMaker(documents: documents, count: job.documents, round: job.round)
    for row in rows {
      let plan = plans.plans(row)
      DataFolder(job.folder).dropFromCache()
      let engine = try job.engine.open(job.folder, settings)
      if row == rows.first { Self.print(.about(engine.about)) }
      let outcome = try RowRunner.run(
        plan, on: engine, limit: limit(row, repeats: false), timedEvery: 1)
      try engine.close()
      report(result(row, outcome))
    }
  }

  private func measure(_ rows: [Row]) throws {
    let engine = try job.engine.open(job.folder, settings)
    Self.print(.about(engine.about))
    let plans = PlanMaker(documents: documents, count: job.documents, round: job.round)
    if job.stage == .hot {
      // Everything is in memory once; each row warms what it touches besides.
      var digest = AnswerDigest()
      let session = try engine.session()
      _ = try session.scanAll(&digest)
      _ = try session.count(Query.created(from: 0, before: .max))
      Quiet.wait()
    }
    var isStateExact = true
    for row in rows {
      let threads = plans.plans(row)
      if !row.isMutating {
        let warm = ThreadRun.Limit(time: UInt64(job.seconds * 0.25e9), repeats: true)
        _ = try RowRunner.run(threads, on: engine, limit: warm, timedEvery: row.timesEach ? 1 : 8)
      }
      let outcome = try RowRunner.run(
        threads, on: engine, limit: limit(row, repeats: !row.isMutating), timedEvery: row.timesEach ? 1 : 8)
      var result = result(row, outcome)
      if row.work == .commit {
        result.digests = []
        try checkCommits(engine, plans.firstInsert(row), row, outcome.operations)
      } else if row.isMutating {
        result.isStateExact = isStateExact
        var digest = AnswerDigest()
        digest.add(number: UInt64(try engine.session().scanAll(&digest)))
        result.state = digest.value
        isStateExact = isStateExact && outcome.isComplete
      }
      report(result)
    }
    try engine.close()
  }

  /// As many index entries of this row's documents as commits were acknowledged.
  private func checkCommits(_ engine: any Engine, _ first: UInt64, _ row: Row, _ expected: Int) throws {
    let lower = BenchDocuments.firstCreation + Int64(first) * BenchDocuments.creationStep
    let upper = lower + 900_000 * BenchDocuments.creationStep
    let found = try engine.session().count(Query.created(from: lower, before: upper))
    guard found == expected else {
      throw CompareError("\(found) documents after \(expected) commits", kind: .wrongAnswer)
    }
  }
}

extension RowResult {
  mutating func setLatency(_ histogram: LatencyHistogram) {
    p50 = Double(histogram.nanoseconds(atShare: 0.5)) / 1e3
    p99 = Double(histogram.nanoseconds(atShare: 0.99)) / 1e3
  }
}
