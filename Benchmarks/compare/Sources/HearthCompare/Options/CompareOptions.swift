/// What a command line asks for.
struct CompareOptions: Equatable {
  var documents = 1_000_000
  var rounds = 3
  var engines = EngineKind.allCases
  var rows = Row.all
  var seconds = 2.0
  var secondsMax = 20.0
  var cacheMiB = 1024
  var directory = "."
  var mayLimitMemory = true
  var isJSON = false
  var picture: String?
  var wantsHelp = false

  private static let names: [String: Bool] = [
    "documents": true, "rounds": true, "engines": true, "rows": true, "seconds": true, "seconds-max": true,
    "cache-mib": true, "directory": true, "no-control-group": false, "json": false, "svg": true, "help": false,
  ]

  init() {}

  /// Reads a command line, without the program's name.
  ///
  /// - Throws: ``CompareError`` of kind `usage` that names what is wrong.
  init(arguments: [String]) throws {
    let words: CommandLineWords
    do {
      words = try CommandLineWords(arguments, names: Self.names)
    } catch {
      throw CompareError("\(error)", kind: .usage)
    }
    for (name, value) in words.options { try set(name, value) }
    if let extra = words.operands.first { throw CompareError("\(extra) is one word too many", kind: .usage) }
    guard seconds <= secondsMax else {
      throw CompareError("--seconds \(seconds) is more than --seconds-max \(secondsMax)", kind: .usage)
    }
  }

  private mutating func set(_ name: String, _ value: String) throws {
    func number<T: LosslessStringConvertible & Comparable>(_ range: ClosedRange<T>) throws -> T {
      guard let number = T(value), range.contains(number) else {
        throw CompareError(
          "--\(name) \(value): not a number from \(range.lowerBound) to \(range.upperBound)", kind: .usage)
      }
      return number
    }
    func text() throws -> String {
      if value.isEmpty { throw CompareError("--\(name) needs a path", kind: .usage) }
      return value
    }
    switch name {
    // One million indices lie between the inserts of two rows.
    case "documents": documents = try number(100...100_000_000)
    case "rounds": rounds = try number(1...100)
    case "engines":
      engines = try Self.chosen(name, value, EngineKind.allCases, \.rawValue)
    case "rows": rows = try Self.chosen(name, value, Row.all, \.name)
    case "seconds": seconds = try number(0.01...3600)
    case "seconds-max": secondsMax = try number(0.01...86_400)
    case "cache-mib": cacheMiB = try number(8...1_000_000)
    case "directory": directory = try text()
    case "no-control-group": mayLimitMemory = false
    case "json": isJSON = true
    case "svg": picture = try text()
    default: wantsHelp = true
    }
  }

  /// Those of `all` that a list names, in the order of `all`. A name with `*` at its end takes all that begin so.
  private static func chosen<T>(_ option: String, _ list: String, _ all: [T], _ name: (T) -> String) throws -> [T] {
    let wanted = list.split(separator: ",").map(String.init)
    func matches(_ pattern: String, _ item: T) -> Bool {
      pattern.hasSuffix("*") ? name(item).hasPrefix(pattern.dropLast()) : name(item) == pattern
    }
    for pattern in wanted where !all.contains(where: { matches(pattern, $0) }) {
      throw CompareError(
        "--\(option) \(pattern): not one of \(all.map(name).joined(separator: ", "))", kind: .usage)
    }
    guard !wanted.isEmpty else { throw CompareError("--\(option) needs names", kind: .usage) }
    return all.filter { item in wanted.contains { matches($0, item) } }
  }
}
