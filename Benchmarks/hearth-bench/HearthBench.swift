import Foundation

/// The program: reads the command line, runs one command, prints its report.
enum HearthBench {
  #if DEBUG
  static let isDebug = true
  #else
  static let isDebug = false
  #endif

  /// Returns the exit status that the help text lists.
  static func main(_ arguments: [String]) async -> Int32 {
    do {
      switch arguments.first {
      case RecoverBench.writerMark?: try RecoverBench.runWriter(Array(arguments.dropFirst()))
      case RecoverBench.openerMark?: try await RecoverBench.runOpener(Array(arguments.dropFirst()))
      default:
        let options = try BenchOptions(arguments: arguments)
        if options.wantsHelp {
          print(BenchOptions.help)
          return 0
        }
        if isDebug {
          throw BenchError(
            "this is a debug build, which measures nothing: swift run -c release hearth-bench", kind: .usage)
        }
        BenchOutput.show(try await run(options), isJSON: options.isJSON)
      }
      return 0
    } catch let error as BenchError {
      BenchOutput.complain(error.description)
      switch error.kind {
      case .usage:
        BenchOutput.complain("hearth-bench --help lists commands and options")
        return 2
      case .failure: return 1
      case .wrongAnswer: return 4
      }
    } catch {
      BenchOutput.complain("\(error)")
      return 1
    }
  }

  private static func run(_ options: BenchOptions) async throws -> BenchReport {
    let folder = try BenchFolder(in: options.directory)
    defer { folder.remove() }
    if options.command == .recover {
      guard options.level == .storage else { throw BenchError("recover is at storage level only", kind: .usage) }
      return try RecoverBench(options: options, folder: folder.path).run()
    }
    switch options.level {
    case .storage:
      let target = try StorageTarget(directory: folder.path + "/database", options: options)
      let report = try await BenchRunner(options: options, target: target, folder: folder.path).run()
      try target.close()
      return report
    case .api:
      let target = try APITarget(directory: folder.path + "/database", options: options)
      let report = try await BenchRunner(options: options, target: target, folder: folder.path).run()
      try target.close()
      return report
    }
  }
}
