import Foundation
import HearthCommandLine
import HearthDatabase
import HearthStorage

/// How commands get at a database.
enum OpenDatabase {
  static var environment: StorageEnvironment {
    StorageEnvironment(
      fileSystem: POSIXFileSystem(), clock: SystemClock(), executor: ThreadExecutor(), random: SystemRandom())
  }

  /// The folder, or other `what`, named by the first operand.
  static func folder(
    _ words: CommandLineWords, operands: ClosedRange<Int>, what: String = "database folder"
  ) throws -> String {
    guard let first = words.operands.first else { throw CommandLineWords.UsageError("which \(what)?") }
    guard operands.contains(words.operands.count) else {
      throw CommandLineWords.UsageError(
        "\(words.operands.count) operands are too \(words.operands.count < operands.lowerBound ? "few" : "many")")
    }
    return trimmed(first)
  }

  static func trimmed(_ path: String) -> String {
    var path = path
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    return path
  }

  /// Opens for reading only: beside a writer, after a kill, on a read-only disk. Of a damaged log it shows what is
  /// before the damage, and says so on standard error.
  static func forReading(_ folder: String) throws -> StorageEngine {
    var options = StorageOptions()
    options.readOnly = true
    let engine = try StorageEngine.open(at: folder, options: options, environment: environment)
    for note in engine.openNotes { HearthTool.complain("note: \(Terminal.printableMessage(note))") }
    if let damage = engine.openDamage { HearthTool.complain("warning: \(Terminal.printableMessage("\(damage)"))") }
    return engine
  }
}
