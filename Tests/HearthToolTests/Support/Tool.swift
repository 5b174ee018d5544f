import Foundation
import HearthTestSupport
import Testing

@testable import HearthStorage

/// Runs the built `hearth` on a folder of its own.
final class Tool {
  let folder: String

  init() throws {
    folder = NSTemporaryDirectory() + "hearth-tool-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  var database: String { folder + "/db" }

  struct Run {
    var status: Int32
    var output: String
    var errors: String
    var lines: [String] { output.split(separator: "\n").map(String.init) }
  }

  @discardableResult
  func run(_ arguments: String..., input: String? = nil) throws -> Run { try run(arguments, input: input) }

  @discardableResult
  func run(_ arguments: [String], input: String? = nil) throws -> Run {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: ProductFolder.path(of: "hearth"))
    process.arguments = arguments
    let (output, errors) = (folder + "/stdout", folder + "/stderr")
    for path in [output, errors] { try Data().write(to: URL(fileURLWithPath: path)) }
    process.standardOutput = FileHandle(forWritingAtPath: output)
    process.standardError = FileHandle(forWritingAtPath: errors)
    if let input {
      let path = folder + "/stdin"
      try Data(input.utf8).write(to: URL(fileURLWithPath: path))
      process.standardInput = FileHandle(forReadingAtPath: path)
    } else {
      process.standardInput = FileHandle.nullDevice
    }
    try process.run()
    process.waitUntilExit()
    return Run(
      status: process.terminationStatus, output: try String(contentsOfFile: output, encoding: .utf8),
      errors: try String(contentsOfFile: errors, encoding: .utf8))
  }

  /// Three documents, one of them with hostile text.
  func loadSample() throws {
    let run = try run(
      "load", database,
      input: """
        {"path":"countries/DE","data":{"name":"Deutschland","area":357022,"since":{"timestamp":"1990-10-03T00:00:00Z"}}}
        {"path":"countries/DE/states/BY","data":{"name":"Bay\\u001b[2Jern"}}

        {"path":"ghost/a/sub/b\\u0007","data":{}}
        """)
    #expect(run.status == 0, "\(run.errors)")
  }

  /// Writes every document once more and lets go of the database as a killed process would: all of it is in the log.
  func leaveLog() throws {
    let engine = try StorageEngine.open(
      at: database,
      environment: StorageEnvironment(
        fileSystem: POSIXFileSystem(), clock: SystemClock(), executor: ThreadExecutor(), random: SystemRandom()))
    try engine.commit { view in
      var batch = KeyValueBatch(baseVersion: view.version)
      try view.scan(.documents) { key, value in
        try batch.put(.documents, key: [UInt8](key), value: [UInt8](value), reading: view)
        return true
      }
      return batch
    }
    engine.abandon()
  }
}
