import Foundation
import HearthStorage

/// Loads, then measures a workload in slices with the controls between them, then checks the database.
struct BenchRunner<Target: BenchTarget> {
  let options: BenchOptions
  let target: Target
  let folder: String

  /// Of one slice of the workload; the raw sync gets a fifth of it.
  private var sliceSeconds: Double { 0.25 }

  func run() async throws -> BenchReport {
    var report = BenchReport(options, directory: folder)
    let isLoad = options.command == .load
    let loaded = options.command == .commit || isLoad ? 0 : options.records
    let expected = try await loadDocuments(loaded)

    let rawSync = try RawSync(directory: folder)
    defer { rawSync.close() }
    var spin = SpinControl()
    var plan = BenchPlan(options, target: target, loaded: loaded)
    var waiting = [[BenchOperation<Target>]](repeating: [], count: options.callers)
    var latencies = LatencyHistogram()
    var measured = 0.0
    var processor: UInt64 = 0
    var operations: UInt64 = 0
    var documents: UInt64 = 0
    var written: (calls: UInt64, disk: UInt64) = (0, 0)
    // The first slice of a workload that reads only warms up.
    var isWarm = isLoad || options.command == .commit
    var progress = BenchProgress()
    ProcessFigures.resetPeakMemory()

    var controlledAt = -Double.infinity

    while isLoad ? plan.inserted.count < options.records : measured < options.seconds {
      // A slice may end early, when its operations are done: the controls keep their share of the time.
      if measured - controlledAt >= sliceSeconds * 0.9 || !isWarm || isLoad {
        try rawSync.measure(seconds: sliceSeconds / 5)
        spin.measure()
        controlledAt = measured
      }
      fill(&waiting, &plan, limit: isLoad ? options.records : Int.max)
      try target.prepareForSlice()

      let before = ProcessFigures.written()
      let processorBefore = Ticks.processor()
      let start = Ticks.now()
      let deadline = start + UInt64(sliceSeconds * 1e9)
      let outcomes = try await runSlice(waiting, deadline: deadline, expected: expected)
      let processorAfter = Ticks.processor()
      let after = ProcessFigures.written()
      for (caller, outcome) in outcomes.enumerated() {
        plan.acknowledge(waiting[caller].prefix(outcome.done))
        waiting[caller].removeFirst(outcome.done)
      }
      if isWarm {
        let end = outcomes.map(\.end).max() ?? start
        measured += Double(end - start) / 1e9
        processor += processorAfter - processorBefore
        operations += outcomes.reduce(0) { $0 + UInt64($1.done) }
        documents += outcomes.reduce(0) { $0 + $1.documents }
        for outcome in outcomes { latencies.merge(outcome.latencies) }
        written.calls += after.calls - before.calls
        written.disk += after.disk - before.disk
      }
      isWarm = true
      progress.show(
        isLoad
          ? "loaded \(plan.inserted.count) of \(options.records) documents"
          : String(format: "measured %.1f of %.1f s, %llu operations", measured, options.seconds, operations))
    }
    progress.finish()

    report.seconds = measured
    report.operations = isLoad ? documents : operations
    report.operationsPerSecond = measured > 0 ? Double(report.operations) / measured : 0
    report.processorMicrosecondsPerOperation = Double(processor) / 1e3 / Double(max(1, report.operations))
    report.latencyMicroseconds = .init(latencies)
    report.rawSyncMicroseconds = .init(rawSync.latencies)
    if options.durability == .durable, options.command == .commit, options.callers == 1 {
      let median = rawSync.latencies.nanoseconds(atShare: 0.5)
      report.medianOverRawSync = Double(latencies.nanoseconds(atShare: 0.5)) / Double(max(1, median))
    }
    report.spinNanoseconds = Double(spin.spins.nanoseconds(atShare: 0)) / Double(SpinControl.stepsPerSpin)
    report.spinNoise = spin.noise
    report.bytesWritten = written.calls
    report.bytesWrittenToDisk = written.disk
    report.peakMemoryBytes = ProcessFigures.peakMemoryBytes()
    if options.command == .scan || options.workload == "e" {
      report.notes["documents per second"] = Double(documents) / max(measured, 1e-9)
    }
    if isLoad { report.notes["documents per commit"] = Double(options.batch) }
    report.checked = try await check(plan, loaded: loaded)
    if options.command == .scan { report.checked.append("number and sum of every scan") }
    return report
  }

  /// Inserts documents 0 up to `count` in batches; returns what a scan of them must find.
  private func loadDocuments(_ count: Int) async throws -> BenchDigest {
    var digest = BenchDigest()
    var progress = BenchProgress()
    let documents = BenchDocuments(seed: options.seed)
    for start in stride(from: 0, to: count, by: options.batch) {
      let range = UInt64(start)..<UInt64(min(start + options.batch, count))
      try await target.insert(range.map(target.item))
      if options.command == .scan {
        for index in range {
          let document = documents.document(index)
          Array(document.id).withUnsafeBytes { digest.add(id: $0, size: target.digestSize(document)) }
        }
      }
      progress.show("loaded \(range.upperBound) of \(count) documents")
    }
    progress.finish()
    return digest
  }

  /// Gives each caller enough to do for a slice; what it did not come to in the last one comes first.
  ///
  /// A lone caller gets little at a time, so that what it commits or reads is in the cache, as it is for a program that
  /// just made it; several get more, since a slice in which some are done already measures fewer callers.
  private func fill(_ waiting: inout [[BenchOperation<Target>]], _ plan: inout BenchPlan<Target>, limit: Int) {
    let wanted: Int
    switch options.command {
    case .load: wanted = 64
    case .scan: wanted = 64
    case .read: wanted = options.callers == 1 ? 8_192 : 400_000 / options.callers
    case .ycsb: wanted = 200_000 / options.callers
    case .commit, .recover: wanted = options.callers == 1 ? 128 : 65_536 / options.callers
    }
    for caller in waiting.indices {
      while waiting[caller].count < max(wanted, 1), plan.planned < limit {
        waiting[caller].append(plan.operation(caller: caller))
      }
    }
  }

  private func runSlice(
    _ waiting: [[BenchOperation<Target>]], deadline: UInt64, expected: BenchDigest
  ) async throws -> [BenchCaller<Target>.Outcome] {
    let callers = waiting.map {
      BenchCaller(
        target: target, operations: $0, deadline: deadline, sampling: options.command == .read ? 8 : 1,
        expected: options.command == .scan ? expected : nil)
    }
    if Target.blocks, callers.count == 1, let caller = callers.first { return [try runBlocking(caller)] }
    return try await withThrowingTaskGroup(of: (Int, BenchCaller<Target>.Outcome).self) { group in
      for (index, caller) in callers.enumerated() {
        group.addTask { (index, try await caller.run()) }
      }
      var outcomes = [BenchCaller<Target>.Outcome](repeating: .init(), count: callers.count)
      for try await (index, outcome) in group { outcomes[index] = outcome }
      return outcomes
    }
  }

  /// In a function of its own, since inside an async one the awaiting form would be called.
  private func runBlocking(_ caller: BenchCaller<Target>) throws -> BenchCaller<Target>.Outcome {
    try caller.run()
  }

  private func check(_ plan: BenchPlan<Target>, loaded: Int) async throws -> [String] {
    let total = loaded + plan.inserted.count
    try await target.checkCount(total)
    var random = SplitMix(seed: options.seed, stream: 900, item: 0)
    let samples = min(1000, total)
    for _ in 0..<samples {
      let place = Int(random.below(UInt64(total)))
      try await target.check(place < loaded ? UInt64(place) : plan.inserted[place - loaded])
    }
    return ["number of documents (\(total))", "\(samples) documents field by field"]
  }
}
