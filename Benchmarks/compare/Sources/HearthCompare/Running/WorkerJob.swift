/// What a worker process is told to do, as JSON in its arguments.
struct WorkerJob: Codable {
  /// The argument in front of the job.
  static let mark = "--worker-job"

  var engine: EngineKind
  var stage: Stage
  /// Names, in the order in which they run.
  var rows: [String]
  /// Holds the engine's files.
  var folder: String
  var documents: Int
  var round: Int
  /// How long a row repeats its operations, and the longest it may take.
  var seconds: Double
  var secondsMax: Double
  var cacheBytes: Int
  /// The control group that limits the process's memory, if any; see ``MemoryLimit``.
  var memoryGroup: String?
  var usesDirectIO = false
  /// Digest of all documents as they are loaded.
  var loadedState: UInt64
}
