import Foundation

/// Runs rounds, engines and stages in turns, each stage in a process of its own, and puts the results together.
final class Coordinator {
  private let options: CompareOptions
  private let folder: DataFolder
  private let progress: Progress
  private var results: [EngineKind: [[String: RowResult]]] = [:]
  private var entries: [EngineKind: Comparison.EngineEntry] = [:]
  /// Wrong answers that a worker found by itself.
  private var differences: [String] = []
  private(set) var hasFailed = false
  private let loadedState: UInt64
  private let logicalBytes: Int

  init(_ options: CompareOptions, folder: DataFolder, progress: Progress) {
    self.options = options
    self.folder = folder
    self.progress = progress
    let documents = BenchDocuments()
    var digest = AnswerDigest()
    var bytes = 0
    for index in 0..<options.documents {
      let document = CompareDocument(documents.document(UInt64(index)))
      document.stored.value.withUnsafeBytes { digest.add($0) }
      bytes += document.logicalBytes
    }
    loadedState = digest.value
    logicalBytes = bytes
  }

  /// What cold rows may take: a quarter of the data, and never less than every engine needs to run at all.
  private var coldBytes: Int { max(logicalBytes / 4, 48 << 20) }
  /// Of that, for what a process takes besides caches.
  private static let processBytes = 16 << 20

  func run() throws -> Comparison {
    let limit = isWanted(.cold) && options.mayLimitMemory ? MemoryLimit(bytes: coldBytes) : nil
    for engine in options.engines {
      results[engine] = []
      entries[engine] = Comparison.EngineEntry(engine: engine)
    }
    for round in 0..<options.rounds {
      // Another engine begins each round, so that a machine that slows down does not always meet the same.
      let shift = round % options.engines.count
      for engine in options.engines[shift...] + options.engines[..<shift] {
        results[engine]?.append(try run(engine, round, limit))
      }
    }
    return comparison(limit)
  }

  private func isWanted(_ stage: Stage) -> Bool { options.rows.contains { $0.stage == stage } }

  /// All stages of one engine in one round, in a folder that is removed afterwards.
  private func run(_ engine: EngineKind, _ round: Int, _ limit: MemoryLimit?) throws -> [String: RowResult] {
    var found: [String: RowResult] = [:]
    let data = DataFolder("\(folder.path)/\(engine.rawValue)")
    defer { data.remove() }
    var hasLoaded = false
    for stage in [Stage.bulk, .load, .open, .cold, .hot, .durable] {
      let rows = options.rows.filter { $0.stage == stage }.map(\.name)
      let isNeeded = stage == .load && options.rows.contains { $0.stage != .bulk }
      // Memory that is short needs an engine that has put its log away: the opening does.
      let comesBeforeCold = stage == .open && isWanted(.cold)
      guard !rows.isEmpty || isNeeded || comesBeforeCold else { continue }
      if stage == .bulk || stage == .load {
        data.remove()
        try data.create()
      } else if !hasLoaded {
        for row in rows { found[row] = RowResult(row: row, absence: "not loaded") }
        continue
      }
      let outcome = try WorkerProcess.run(job(engine, stage, rows, data, round, limit)) { result in
        progress.show(round, engine, result)
      }
      note(engine, stage, outcome.about)
      for result in outcome.results where rows.contains(result.row) { found[result.row] = result }
      if stage == .load { hasLoaded = outcome.failure == nil }
      guard let failure = outcome.failure else { continue }
      let needsMore = stage == .cold && limit != nil && outcome.wasKilled
      let reason = needsMore ? RowResult.needsMemory : failure.description
      progress.complain("round \(round + 1), \(engine.title), \(stage.rawValue): \(reason)")
      if failure.kind == .wrongAnswer { differences.append("\(engine.title), \(stage.rawValue): \(failure)") }
      // That an engine can't work in the memory given is a finding; everything else is a failure of the run.
      if !needsMore { hasFailed = true }
      for row in rows where found[row] == nil { found[row] = RowResult(row: row, absence: reason) }
    }
    return found
  }

  private func job(
    _ engine: EngineKind, _ stage: Stage, _ rows: [String], _ data: DataFolder, _ round: Int, _ limit: MemoryLimit?
  ) -> WorkerJob {
    var job = WorkerJob(
      engine: engine, stage: stage, rows: rows, folder: data.path, documents: options.documents, round: round,
      seconds: options.seconds, secondsMax: options.secondsMax, cacheBytes: options.cacheMiB << 20,
      loadedState: loadedState)
    if stage == .cold {
      // The rest is half for the engine's cache, half for the system's cache of its files.
      let rest = coldBytes - Self.processBytes
      job.cacheBytes = limit == nil ? rest : rest / 2
      job.memoryGroup = limit?.group
      job.usesDirectIO = limit == nil
    }
    return job
  }

  private func note(_ engine: EngineKind, _ stage: Stage, _ about: EngineAbout?) {
    guard let about else { return }
    entries[engine]?.version = about.version
    entries[engine]?.settings[stage.rawValue] = about.settings
    if let bulkLoad = about.bulkLoad { entries[engine]?.bulkLoad = bulkLoad }
  }

  private func comparison(_ limit: MemoryLimit?) -> Comparison {
    var lines = Comparison.lines(options.rows, options.engines, results)
    for index in lines.indices {
      var check = AnswerCheck()
      for round in 0..<options.rounds {
        let answers = options.engines.compactMap { engine in
          results[engine]?[round][lines[index].row].map { (engine, $0) }
        }
        check.check(lines[index].row, round: round + 1, answers)
      }
      lines[index].compared = options.engines.filter { check.compared.contains($0) }
      differences += check.differences
    }
    let isCold = isWanted(.cold)
    let way = limit?.way.rawValue ?? "small caches, direct I/O where an engine has it, files dropped from the cache"
    return Comparison(
      machine: ProcessFigures.machine(), fileSystem: ProcessFigures.fileSystem(of: folder.path),
      documents: options.documents, logicalBytes: logicalBytes, roundCount: options.rounds,
      secondsPerRow: options.seconds, secondsMax: options.secondsMax, cacheBytes: options.cacheMiB << 20,
      coldWay: isCold ? way : nil, coldBytes: isCold ? coldBytes : nil,
      engines: options.engines.compactMap { entries[$0] }, lines: lines, differences: differences)
  }
}
