import Foundation
import Synchronization

/// Runs a worker and reads its lines.
enum WorkerProcess {
  struct Outcome {
    var about: EngineAbout?
    var results: [RowResult] = []
    /// Why the rows without a result have none.
    var failure: CompareError?
    /// The system ended it, as it does with a process over its memory limit.
    var wasKilled = false
  }

  private static let running = Atomic<Int32>(0)

  /// Ends the worker that runs, if one does. For signal handlers.
  static func kill() {
    let id = running.load(ordering: .relaxed)
    if id > 0 { Foundation.kill(id, SIGKILL) }
  }

  /// - Parameter progress: called for each result as it comes.
  static func run(_ job: WorkerJob, progress: (RowResult) -> Void) throws -> Outcome {
    let process = Process()
    guard let program = Bundle.main.executablePath else { throw CompareError("the program does not find itself") }
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = [WorkerJob.mark, String(decoding: try JSONEncoder().encode(job), as: UTF8.self)]
    process.standardInput = FileHandle.nullDevice
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    running.store(process.processIdentifier, ordering: .relaxed)
    var outcome = Outcome()
    var buffer = Data()
    while case let data = pipe.fileHandleForReading.availableData, !data.isEmpty {
      buffer += data
      while let end = buffer.firstIndex(of: 0x0A) {
        let line = buffer[buffer.startIndex..<end]
        switch try JSONDecoder().decode(WorkerLine.self, from: Data(line)) {
        case .about(let about): outcome.about = about
        case .result(let result):
          outcome.results.append(result)
          progress(result)
        case .failure(let text, let isWrongAnswer):
          outcome.failure = CompareError(text, kind: isWrongAnswer ? .wrongAnswer : .failure)
        }
        buffer = Data(buffer[(end + 1)...])
      }
    }
    process.waitUntilExit()
    running.store(0, ordering: .relaxed)
    if process.terminationReason == .uncaughtSignal {
      outcome.wasKilled = process.terminationStatus == SIGKILL
      outcome.failure = CompareError("ended by signal \(process.terminationStatus)")
    } else if process.terminationStatus != 0, outcome.failure == nil {
      outcome.failure = CompareError("ended with status \(process.terminationStatus)")
    }
    return outcome
  }
}
