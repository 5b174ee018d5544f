/// What one engine made of one row in one round.
struct RowResult: Codable, Equatable {
  static let notOffered = "not offered"
  static let needsMemory = "needs more memory"

  var row: String
  /// In the row's unit; `nil` where the engine does not offer the row, or failed.
  var value: Double?
  /// Why there is no value.
  var absence: String?
  var operations = 0
  var seconds = 0.0
  /// Microseconds an operation (of `load`, a commit of 500 documents).
  var p50: Double?
  var p99: Double?
  /// Peak of the process's resident memory by the end of the row, MiB.
  var peakMemory = 0.0
  /// Digests of the answers by thread, after each chunk; empty where threads race.
  var digests: [[UInt64]] = []
  /// Digest of all documents after the row; only of rows that change them.
  var state: UInt64?
  /// Every operation was done: rows end early at the time limit.
  var isComplete = true
  /// The data was exactly what the rows before say: none of them was cut short.
  var isStateExact = true
}

/// One line of a worker's standard output.
enum WorkerLine: Codable {
  case about(EngineAbout)
  case result(RowResult)
  /// The worker ends with this error.
  case failure(String, isWrongAnswer: Bool)
}
