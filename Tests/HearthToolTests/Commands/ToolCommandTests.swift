import Foundation
import HearthStorage
import HearthTestSupport
import Testing

/// The built tool, as a person or a script uses it.
struct ToolCommandTests {
  let tool: Tool

  init() throws { tool = try Tool() }

  @Test func whatIsLoadedIsDumpedAgain() throws {
    try tool.loadSample()
    let dump = try tool.run("dump", tool.database)
    #expect(dump.status == 0)
    #expect(dump.lines.count == 3)
    #expect(
      dump.lines[0].hasPrefix(
        #"{"path":"countries/DE","data":{"area":357022,"name":"Deutschland","since":{"timestamp":"1990-10-03T00:00:00Z"}}"#
      ))
    let copy = tool.folder + "/copy"
    #expect(try tool.run("load", copy, input: dump.output).status == 0)
    func data(_ lines: [String]) -> [Substring] { lines.map { $0.prefix { $0 != "}" } } }
    #expect(data(try tool.run("dump", copy).lines) == data(dump.lines))
    #expect(try tool.run("dump", tool.database, "--limit", "1").lines.count == 1)
    #expect(try tool.run("dump", tool.database, "countries/DE").lines.count == 2)
    #expect(try tool.run("dump", tool.database, "countries/DE/states").lines.count == 1)
  }

  @Test func listsCollectionsDocumentsAndAbsentParents() throws {
    try tool.loadSample()
    #expect(try tool.run("ls", tool.database).lines == ["countries/", "ghost/"])
    #expect(try tool.run("ls", tool.database, "countries").lines == ["countries/DE"])
    #expect(try tool.run("ls", tool.database, "countries/DE/").lines == ["countries/DE/states/"])
    #expect(try tool.run("ls", tool.database, "ghost").lines == ["ghost/a  (absent)"])
    #expect(try tool.run("ls", tool.database, "nothing").status == 1)
  }

  @Test func controlCharactersAreNeverPrintedRaw() throws {
    try tool.loadSample()
    for arguments in [["dump", tool.database], ["ls", tool.database, "ghost/a/sub"], ["wal", tool.database]] {
      let run = try tool.run(arguments[0], arguments[1], arguments.count > 2 ? arguments[2] : "--json")
      #expect(!run.output.isEmpty)
      #expect(!run.output.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || $0.value == 0x7F }, "\(arguments)")
    }
    let missing = try tool.run("cat", tool.database, "a/\u{1B}[2J")
    #expect(missing.status == 1)
    #expect(!missing.errors.contains("\u{1B}"))
  }

  @Test func verifyFindsNothingInAGoodDatabaseAndRefusesADamagedOne() throws {
    try tool.loadSample()
    let good = try tool.run("verify", tool.database)
    #expect(good.status == 0)
    #expect(good.lines.last?.hasPrefix("good: 3 documents") == true)
    let wal = tool.database + "/wal/"
    for name in try FileManager.default.contentsOfDirectory(atPath: wal) {
      var bytes = try Data(contentsOf: URL(fileURLWithPath: wal + name))
      bytes[8300] ^= 1
      try bytes.write(to: URL(fileURLWithPath: wal + name))
    }
    let damaged = try tool.run("verify", tool.database)
    #expect(damaged.status == 3)
    #expect(damaged.errors.contains("corruption"))
    let shown = try tool.run("wal", tool.database)
    #expect(shown.status == 1)
    #expect(shown.output.contains("checksum is 0x"))
  }

  @Test func hostileLinesNameTheirPlaceAndChangeNothing() throws {
    try tool.loadSample()
    let before = try tool.run("dump", tool.database).output
    let cases: [(String, String)] = [
      (#"{"path":"a/b","data":{"#, "line 1"),
      (#"{"path":"a","data":{}}"#, "line 1"),
      (#"{"path":"a//b","data":{}}"#, "line 1"),
      (#"{"data":{}}"#, "\"path\""),
      (#"{"path":"a/b","data":[1]}"#, "\"data\""),
      (#"{"path":"a/b","data":{"x":[[1]]}}"#, "line 1"),
      (#"{"path":"a/b","data":{"__x__":1}}"#, "line 1"),
      (#"{"path":"a/b","data":{"x":{"timestamp":"yesterday"}}}"#, "line 1"),
      (String(repeating: "[", count: 100_000), "line 1"),
      ("\u{0}\u{1}\u{2}", "line 1"),
    ]
    for (line, expected) in cases {
      let run = try tool.run("load", tool.database, input: line + "\n")
      #expect(run.status == 2, "\(line.prefix(60)): \(run.errors)")
      #expect(run.errors.contains(expected), "\(line.prefix(60)): \(run.errors)")
      #expect(run.errors.contains("line 1 of standard input"))
    }
    #expect(try tool.run("dump", tool.database).output == before)
  }

  @Test func jsonIsOneObjectForPrograms() throws {
    try tool.loadSample()
    for command in ["info", "verify"] {
      let run = try tool.run(command, tool.database, "--json")
      let object = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
      #expect(object?["documents"] as? Int == 3, "\(command)")
    }
    for line in try tool.run("wal", tool.database, "--json", "--hex").lines {
      #expect(try JSONSerialization.jsonObject(with: Data(line.utf8)) is [String: Any])
    }
  }

  @Test func usageMistakesAndMissingThingsHaveStatusesOfTheirOwn() throws {
    #expect(try tool.run("frobnicate").status == 2)
    #expect(try tool.run("info").status == 2)
    #expect(try tool.run("info", tool.folder + "/nowhere").status == 1)
    #expect(try tool.run("dump", tool.folder, "--limit", "none").status == 2)
    #expect(try tool.run("dump", tool.folder, "--wrong").errors.contains("unknown option --wrong"))
    #expect(try tool.run("info", tool.folder).status == 3, "a folder with other files")
    #expect(try tool.run("info", ProductFolder.path(of: "hearth")).status == 3, "a file")
    for command in ["info", "ls", "cat", "dump", "load", "verify", "wal"] {
      let help = try tool.run(command, "--help")
      #expect(help.status == 0)
      #expect(help.output.contains("Example"), "\(command)")
    }
  }

  @Test func readsADatabaseWhoseWriterRuns() throws {
    try tool.loadSample()
    let environment = StorageEnvironment(
      fileSystem: POSIXFileSystem(), clock: SystemClock(), executor: ThreadExecutor(), random: SystemRandom())
    let engine = try StorageEngine.open(at: tool.database, environment: environment)
    let info = try tool.run("info", tool.database)
    #expect(info.status == 0)
    #expect(info.output.contains("by process \(ProcessInfo.processInfo.processIdentifier)"))
    #expect(try tool.run("dump", tool.database).lines.count == 3)
    let load = try tool.run("load", tool.database, input: #"{"path":"a/b","data":{}}"#)
    #expect(load.status == 3)
    #expect(load.errors.contains("\(ProcessInfo.processInfo.processIdentifier)"))
    try engine.close()
  }

  @Test func aForeignFileIsShownAndHarmsNothing() throws {
    let path = tool.folder + "/foreign"
    var random = SystemRandomNumberGenerator()
    let bytes = Data((0..<20_000).map { _ in UInt8.random(in: 0...255, using: &random) })
    try bytes.write(to: URL(fileURLWithPath: path))
    let run = try tool.run("wal", path)
    #expect(run.status == 1)
    #expect(run.output.contains("no valid header"))
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
  }
}
