import Foundation

/// The program: reads the command line, runs the comparison, prints it.
enum HearthCompare {
  #if DEBUG
  static let isDebug = true
  #else
  static let isDebug = false
  #endif

  /// Returns the exit status that the help text lists.
  static func main(_ arguments: [String]) -> Int32 {
    if arguments.first == WorkerJob.mark, arguments.count == 2 { return Worker.main(arguments[1]) }
    do {
      let options = try CompareOptions(arguments: arguments)
      if options.wantsHelp {
        print(CompareOptions.help)
        return 0
      }
      if isDebug {
        throw CompareError("this is a debug build, which measures nothing: Benchmarks/compare/run", kind: .usage)
      }
      return try run(options)
    } catch let error as CompareError where error.kind == .usage {
      say(error.description)
      say("--help lists options and rows")
      return 2
    } catch {
      say("\(error)")
      return 1
    }
  }

  private static func say(_ text: String) {
    FileHandle.standardError.write(Data("hearth-compare: \(text)\n".utf8))
  }

  private static func run(_ options: CompareOptions) throws -> Int32 {
    if let picture = options.picture {
      // Before hours of measuring, not after.
      guard FileManager.default.createFile(atPath: picture, contents: nil) else {
        throw CompareError("--svg \(picture) can't be written", kind: .usage)
      }
    }
    let base = URL(fileURLWithPath: options.directory).path
    let folder = DataFolder("\(base)/hearth-compare-\(getpid())")
    try folder.create()
    defer { folder.remove() }
    let interrupts = interruptions(folder)
    defer { for source in interrupts { source.cancel() } }
    let coordinator = Coordinator(options, folder: folder, progress: Progress(rounds: options.rounds))
    let comparison = try coordinator.run()
    print(options.isJSON ? comparison.json : comparison.text)
    if let path = options.picture {
      try Picture(comparison).svg.write(toFile: path, atomically: true, encoding: .utf8)
    }
    if !comparison.differences.isEmpty { return 4 }
    return coordinator.hasFailed ? 1 : 0
  }

  /// Ctrl-C ends the worker and removes the run's folder.
  private static func interruptions(_ folder: DataFolder) -> [any DispatchSourceSignal] {
    [SIGINT, SIGTERM].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        WorkerProcess.kill()
        folder.remove()
        MemoryLimit.removeAll()
        _exit(128 + number)
      }
      source.resume()
      return source
    }
  }
}
