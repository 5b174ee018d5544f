import Testing

@testable import HearthBench

struct BenchOptionsTests {
  @Test func optionsMayStandAnywhere() throws {
    let options = try BenchOptions(
      arguments: ["--callers", "8", "ycsb", "--durability=buffered", "E", "--json", "--records=7", "--level", "api"])
    #expect(options.command == .ycsb)
    #expect(options.workload == "e")
    #expect(options.callers == 8)
    #expect(options.durability == .buffered)
    #expect(options.isJSON)
    #expect(options.records == 7)
    #expect(options.level == .api)
  }

  @Test func whatIsNotSaidIsDurableAndSeeded() throws {
    let options = try BenchOptions(arguments: ["commit"])
    #expect(options.durability == .durable)
    #expect(options.seed == 42)
    #expect(options.callers == 1)
    #expect(options.level == .storage)
  }

  @Test(arguments: [
    ([], "no command"),
    (["fly"], "unknown command fly"),
    (["read", "--records"], "--records needs a value"),
    (["read", "--records", "none"], "--records none: not a number from 1 to 100000000"),
    (["read", "--callers", "0"], "--callers 0: not a number from 1 to 1000"),
    (["read", "--loud"], "unknown option --loud"),
    (["read", "-x"], "unknown option -x"),
    (["read", "--json=yes"], "--json takes no value"),
    (["read", "--durability", "maybe"], "--durability maybe: durable or buffered"),
    (["read", "--seconds", "nan"], "--seconds nan: not a number from 0.1 to 86400.0"),
    (["ycsb"], "ycsb needs a workload, a to f"),
    (["ycsb", "g"], "ycsb needs a workload, a to f"),
    (["read", "twice"], "twice is one word too many"),
    (["load", "--", "--json"], "--json is one word too many"),
  ])
  func wrongUsageIsNamed(arguments: [String], message: String) throws {
    let error = #expect(throws: BenchError.self) { try BenchOptions(arguments: arguments) }
    #expect(error?.kind == .usage)
    #expect(error?.description == message)
  }

  @Test func helpNamesEveryCommandAndWinsOverMistakes() throws {
    #expect(try BenchOptions(arguments: ["--help"]).wantsHelp)
    #expect(try BenchOptions(arguments: ["-h", "fly"]).wantsHelp)
    for command in BenchOptions.Command.allCases { #expect(BenchOptions.help.contains("  \(command.rawValue) ")) }
  }
}
