import Foundation
import HearthCommandLine
import HearthDatabase
import HearthStorage

/// `hearth`: looks into a database, dumps, loads and checks it.
@main
enum HearthTool {
  static let commands: [any Command.Type] = [
    InfoCommand.self, ListCommand.self, CatCommand.self, DumpCommand.self, LoadCommand.self, VerifyCommand.self,
    WALCommand.self, SegmentsCommand.self, FileCommand.self, BlockCommand.self, PageCommand.self,
  ]

  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    exit(run(arguments))
  }

  static func run(_ arguments: [String]) -> Int32 {
    let output = Output()
    defer { output.flush() }
    guard let name = arguments.first else {
      complain("which command?\n\(overview)")
      return ExitStatus.usage
    }
    if ["help", "--help", "-h"].contains(name) {
      let command = arguments.count > 1 ? commands.first { $0.name == arguments[1] } : nil
      output.line(command?.help ?? overview)
      return ExitStatus.good
    }
    guard let command = commands.first(where: { $0.name == name }) else {
      complain("there is no command \(Terminal.printable(name)); hearth --help lists them")
      return ExitStatus.usage
    }
    do {
      let words = try CommandLineWords(
        Array(arguments.dropFirst()), names: command.options.merging(["help": false]) { $1 })
      if words.has("help") {
        output.line(command.help)
        return ExitStatus.good
      }
      return try command.run(words, output)
    } catch let error as CommandLineWords.UsageError {
      complain("\(Terminal.printableMessage("\(error)"))\nUsage: \(command.usage)")
      return ExitStatus.usage
    } catch {
      complain(Terminal.printableMessage("\(error)"))
      return ExitStatus.of(error)
    }
  }

  static func complain(_ message: String) {
    FileHandle.standardError.write(Data("hearth: \(message)\n".utf8))
  }

  static var overview: String {
    let width = commands.map { $0.name.count }.max() ?? 0
    let rows = commands.map { "  \($0.name.padding(toLength: width, withPad: " ", startingAt: 0))  \($0.summary)" }
    return """
      hearth: look into a Hearth database, also beside the program that writes it, and when it is damaged.

      \(rows.joined(separator: "\n"))

      hearth COMMAND --help shows what a command takes, with examples.

      Exit status: 0 good, 1 not found or problems found, 2 wrong usage, 3 the database can't be used as asked
      (locked, damaged, another format), 4 another error, 130 ended by Ctrl-C.
      """
  }
}
