import Testing

@testable import HearthCompare

struct CompareOptionsTests {
  @Test func nothingMeansEverything() throws {
    let options = try CompareOptions(arguments: [])
    #expect(options == CompareOptions())
    #expect(options.engines == EngineKind.allCases)
    #expect(options.rows == Row.all)
    #expect(options.documents == 1_000_000)
    #expect(options.rounds == 3)
  }

  @Test func everyOptionIsRead() throws {
    let options = try CompareOptions(arguments: [
      "--documents", "2000", "--rounds", "5", "--engines", "wiredtiger,hearth", "--rows", "scan,read", "--seconds",
      "0.5",
      "--seconds-max=9", "--cache-mib", "64", "--directory", "d", "--no-control-group", "--json", "--svg", "p.svg",
    ])
    #expect(options.documents == 2000)
    #expect(options.rounds == 5)
    #expect(options.seconds == 0.5)
    #expect(options.secondsMax == 9)
    #expect(options.cacheMiB == 64)
    #expect(options.directory == "d")
    #expect(!options.mayLimitMemory)
    #expect(options.isJSON)
    #expect(options.picture == "p.svg")
  }

  @Test func listsKeepTheProgramsOrder() throws {
    let options = try CompareOptions(arguments: ["--engines", "wiredtiger,hearth", "--rows", "scan,read"])
    #expect(options.engines == [.hearth, .wiredtiger])
    #expect(options.rows.map(\.name) == ["read", "scan"])
  }

  @Test func aStarTakesAllThatBeginSo() throws {
    let options = try CompareOptions(arguments: ["--rows", "cold-*,ycsb-a*"])
    #expect(options.rows.map(\.name) == ["cold-read", "cold-scan", "ycsb-a", "ycsb-a-2"])
  }

  @Test(arguments: [
    (["--documents", "many"], "--documents many"), (["--documents", "99"], "from 100"),
    (["--rounds", "0"], "--rounds 0"), (["--engines", "oracle"], "--engines oracle"),
    (["--rows", "read,nope"], "--rows nope"), (["--rows", ""], "--rows needs names"),
    (["--seconds", "30"], "--seconds-max"), (["--seconds", "nan"], "--seconds nan"), (["--bogus"], "--bogus"),
    (["extra"], "extra"), (["--svg"], "--svg needs a value"),
  ])
  func mistakesAreNamed(arguments: [String], part: String) {
    do {
      _ = try CompareOptions(arguments: arguments)
      Issue.record("\(arguments) was taken")
    } catch let error as CompareError {
      #expect(error.kind == .usage)
      #expect(error.description.contains(part), "\(error)")
    } catch {
      Issue.record("\(error)")
    }
  }

  @Test func theHelpNamesEveryRowAndFitsATerminal() {
    let lines = CompareOptions.help.split(separator: "\n")
    for row in Row.all { #expect(lines.contains { $0.hasPrefix("  \(row.name) ") }, "\(row.name)") }
    for line in lines { #expect(line.count <= 120, "\(line)") }
  }
}
