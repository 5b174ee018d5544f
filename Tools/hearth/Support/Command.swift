import HearthCommandLine

/// One subcommand.
protocol Command: Sendable {
  static var name: String { get }
  static var summary: String { get }
  static var usage: String { get }
  /// What follows the usage in `--help`: options and examples.
  static var details: String { get }
  /// Long options, and whether each takes a value.
  static var options: [String: Bool] { get }
  /// - Returns: the exit status.
  static func run(_ words: CommandLineWords, _ output: Output) throws -> Int32
}

extension Command {
  static var help: String { "Usage: \(usage)\n\n\(summary).\n\n\(details)" }
}
