/// Splits a command line into options and operands, as getopt_long would: `--name value`, `--name=value`, `-h`, in any
/// order, and `--` before operands that look like options.
///
/// Not getopt_long itself: Swift's C library modules on Linux do not have it, and its state is global.
struct CommandLineWords {
  /// Long options with their values; those without a value have an empty one.
  private(set) var options: [(name: String, value: String)] = []
  private(set) var operands: [String] = []

  /// - Parameter names: Each long option and whether it takes a value.
  /// - Throws: ``BenchError`` of kind `usage` for an unknown option, a missing value, or one too many.
  init(_ arguments: [String], names: [String: Bool]) throws {
    var rest = arguments[...]
    while let word = rest.popFirst() {
      if word == "--" {
        operands += rest
        break
      }
      if word == "-h" {
        options.append(("help", ""))
        continue
      }
      guard word.hasPrefix("-"), word != "-" else {
        operands.append(word)
        continue
      }
      let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = parts.first.map(String.init) ?? ""
      guard word.hasPrefix("--"), let takesValue = names[name] else {
        throw BenchError("unknown option \(word)", kind: .usage)
      }
      if parts.count == 2 {
        guard takesValue else { throw BenchError("--\(name) takes no value", kind: .usage) }
        options.append((name, String(parts[1])))
      } else if takesValue {
        guard let value = rest.popFirst() else { throw BenchError("--\(name) needs a value", kind: .usage) }
        options.append((name, value))
      } else {
        options.append((name, ""))
      }
    }
  }
}
