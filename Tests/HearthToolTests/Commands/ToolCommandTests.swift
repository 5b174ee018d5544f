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
    #expect(try tool.run("ls", tool.database, "/").lines == ["countries/", "ghost/"])
    #expect(try tool.run("ls", tool.database, "countries").lines == ["countries/DE/"])
    #expect(try tool.run("ls", tool.database, "countries/DE/states").lines == ["countries/DE/states/BY"])
    #expect(try tool.run("ls", tool.database, "countries/DE/").lines == ["countries/DE/states/"])
    #expect(try tool.run("ls", tool.database, "ghost").lines == ["ghost/a/  (absent)"])
    #expect(
      try tool.run("ls", tool.database, "ghost", "--json").lines
        == [#"{"path":"ghost/a","exists":false,"hasMore":true}"#])
    for command in ["ls", "dump"] {
      let nothing = try tool.run(command, tool.database, "nothing")
      #expect(nothing.status == 1)
      #expect(nothing.errors.contains("there is nothing") && nothing.errors.contains("nothing\n"))
    }
  }

  @Test func controlCharactersAreNeverPrintedRaw() throws {
    try tool.loadSample()
    try tool.leaveLog()
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
    try tool.leaveLog()
    let wal = tool.database + "/wal/"
    for name in try FileManager.default.contentsOfDirectory(atPath: wal) where name.hasSuffix(".wal") {
      var bytes = try Data(contentsOf: URL(fileURLWithPath: wal + name))
      bytes[8300] ^= 1
      try bytes.write(to: URL(fileURLWithPath: wal + name))
    }
    let shown = try tool.run("wal", tool.database)
    #expect(shown.status == 1)
    #expect(shown.output.contains("checksum is 0x"))
    let segments = tool.database + "/segments/"
    for name in try FileManager.default.contentsOfDirectory(atPath: segments) {
      var bytes = try Data(contentsOf: URL(fileURLWithPath: segments + name))
      for header in [0, 4096] { bytes[header + 20] ^= 1 }
      try bytes.write(to: URL(fileURLWithPath: segments + name))
    }
    let damaged = try tool.run("verify", tool.database)
    #expect(damaged.status == 3)
    #expect(damaged.errors.contains("corruption"))
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
      (#"{"path":"a/b","data":{"x":{"timestamp":"yesterday"}}}"#, "\"a/b\""),
      (#"{"path":"a/b","path":"c/d","data":{}}"#, "\"path\" occurs twice"),
      (#"{"path":"a/b","data":{},"data":{"x":1}}"#, "\"data\" occurs twice"),
      (#"{"path":"a/b","data":{"x":1,"x":2}}"#, "occurs twice"),
      (#"{"path":"a/b","data":{"x":"\#(String(repeating: "y", count: 1 << 20))"}}"#, "1048576"),
      (#"{"path":"a/b","data":{"x":\#(String(repeating: "9", count: 1 << 20))}}"#, "does not fit"),
      (String(repeating: "[", count: 100_000), "line 1"),
      ("\u{0}\u{1}\u{2}", "line 1"),
    ]
    for (line, expected) in cases {
      let run = try tool.run("load", tool.database, input: line + "\n")
      #expect(run.status == 2, "\(line.prefix(60)): \(run.errors)")
      #expect(run.errors.contains(expected), "\(line.prefix(60)): \(run.errors)")
      #expect(run.errors.contains("line 1 of standard input"))
      #expect(run.errors.utf8.count < 500, "\(line.prefix(60))")
    }
    let second = try tool.run("load", tool.database, input: "\n{\"path\":\"a/b\",\"data\":}\n")
    #expect(
      second.errors.hasSuffix(
        "line 2 of standard input: JSON: unexpected byte 0x7d where a value is expected at column 22 (offset 21)\n"))
    #expect(try tool.run("dump", tool.database).output == before)
  }

  @Test func filesOfOtherSystemsLoad() throws {
    let lines = "\u{FEFF}{\"path\":\"a/b\",\"data\":{}}\r\n\r\n \t\r\n{\"path\":\"a/c\",\"data\":{}}"
    let run = try tool.run("load", tool.database, input: lines)
    #expect(run.status == 0, "\(run.errors)")
    #expect(try tool.run("ls", tool.database, "a").lines == ["a/b", "a/c"])
  }

  @Test func aFileThatCannotBeReadIsNamed() throws {
    let missing = try tool.run("load", tool.database, tool.folder + "/missing.ndjson")
    #expect(missing.status == 1)
    #expect(missing.errors.hasSuffix("/missing.ndjson can't be read: No such file or directory\n"))
    let folder = try tool.run("load", tool.database, tool.folder)
    #expect(folder.status == 4)
    #expect(folder.errors.hasSuffix("can't be read: Is a directory\n"))
  }

  /// Ctrl-C while nothing comes on standard input: what came before is kept.
  @Test(.timeLimit(.minutes(1))) func ctrlCEndsALoadThatWaits() throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: ProductFolder.path(of: "hearth"))
    process.arguments = ["load", tool.database, "--batch", "1"]
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    input.fileHandleForWriting.write(Data("{\"path\":\"a/b\",\"data\":{}}\n{\"path\":\"a/half".utf8))
    while try tool.run("dump", tool.database).lines.isEmpty {}
    process.interrupt()
    process.waitUntilExit()
    #expect(process.terminationReason == .exit && process.terminationStatus == 130)
    let said = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    #expect(said.hasPrefix("1 documents written"))
    #expect(try tool.run("ls", tool.database, "a").lines == ["a/b"])
    try input.fileHandleForWriting.close()
  }

  @Test func aClosedPipeEndsQuietlyAndAFullDiskDoesNot() throws {
    let lines = (0..<3000).map { #"{"path":"a/\#($0)","data":{"s":"\#(String(repeating: "s", count: 100))"}}"# }
    #expect(try tool.run("load", tool.database, input: lines.joined(separator: "\n")).status == 0)
    func shell(_ script: String) throws -> (status: Int32, output: String) {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/bin/bash")
      process.arguments = ["-c", "set -o pipefail; \(script)", ProductFolder.path(of: "hearth"), tool.database]
      let pipe = Pipe()
      process.standardOutput = pipe
      process.standardError = pipe
      try process.run()
      let output = pipe.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }
    let closed = try shell(#""$0" dump "$1" | head -n 1"#)
    #expect(closed.status == 0)
    #expect(closed.output.hasPrefix(#"{"path":"a/0","#) && closed.output.count(where: { $0 == "\n" }) == 1)
    #expect(try shell(#""$0" --help | true; "$0" load --help | true"#).status == 0)
    #if os(Linux)
    for command in ["dump", "info", "verify"] {
      let full = try shell(#""$0" \#(command) "$1" > /dev/full"#)
      #expect(full.status == 4)
      #expect(full.output == "standard output can't be written: No space left on device\n")
    }
    #endif
  }

  @Test func helpIsFoundInEveryUsualWay() throws {
    let help = try tool.run("load", "--help")
    #expect(help.output.hasPrefix("Usage: hearth load FOLDER"))
    for arguments in [["load", "-h"], ["help", "load"], ["--help", "load"]] {
      #expect(try tool.run(arguments[0], arguments[1]).output == help.output)
    }
    let bare = try tool.run()
    #expect(bare.status == 2 && bare.output.isEmpty && bare.errors.contains("verify"))
  }

  /// One wrong thing in the folder: what can be shown is shown, what is wrong is named, and nothing hangs.
  @Test func infoAndWalShowWhatTheyCanOfABrokenFolder() throws {
    try tool.loadSample()
    try tool.leaveLog()
    let wal = tool.database + "/wal/"
    #expect(mkfifo(wal + "999999.wal", 0o600) == 0)
    #expect(symlink("/etc/passwd", wal + "999998.wal") == 0)
    try Data("x".utf8).write(to: URL(fileURLWithPath: wal + "notes.txt"))
    let info = try tool.run("info", tool.database)
    #expect(info.status != 0)
    for text in ["log ", "999999.wal", "999998.wal", "symbolic link", "UNREADABLE", "not ours         wal/notes.txt"] {
      #expect(info.output.contains(text), "\(text): \(info.output)")
    }
    let records = try tool.run("wal", tool.database)
    #expect(records.status == 1)
    #expect(records.output.contains("Deutschland") && records.errors.contains("999999.wal"))
    #expect(!records.output.contains("root:"))
    try FileManager.default.removeItem(atPath: wal + "999999.wal")
    try FileManager.default.removeItem(atPath: wal + "999998.wal")
    try Data().write(to: URL(fileURLWithPath: tool.database + "/SUPER"))
    let info2 = try tool.run("info", tool.database)
    #expect(info2.status == 3)
    #expect(info2.output.contains("UNREADABLE       corruption: none of the four slots"))
  }

  /// Bug log 192: what stands in a folder from a stranger is not written through.
  @Test func aLinkedLockFileIsNotWrittenThrough() throws {
    try tool.loadSample()
    let precious = tool.folder + "/precious"
    try Data("precious".utf8).write(to: URL(fileURLWithPath: precious))
    try FileManager.default.removeItem(atPath: tool.database + "/LOCK")
    #expect(symlink(precious, tool.database + "/LOCK") == 0)
    let load = try tool.run("load", tool.database, input: #"{"path":"a/b","data":{}}"#)
    #expect(load.status == 4)
    #expect(load.errors.contains("symbolic link") && load.errors.contains("/LOCK"))
    #expect(try String(contentsOfFile: precious, encoding: .utf8) == "precious")
    #expect(try tool.run("dump", tool.database).lines.count == 3)
  }

  @Test func readingADamagedDatabaseIsNeverStatusZero() throws {
    try tool.loadSample()
    try Data("junk".utf8).write(to: URL(fileURLWithPath: tool.database + "/wal/000500.wal"))
    for arguments in [["info"], ["ls"], ["ls", "countries"], ["cat", "countries/DE"], ["dump"], ["verify"]] {
      let run = try tool.run([arguments[0], tool.database] + arguments.dropFirst())
      #expect(run.status == 3, "\(arguments)")
      #expect(run.output.isEmpty == false && run.errors.contains("000500.wal"), "\(arguments)")
    }
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
    for command in ["info", "ls", "cat", "dump", "load", "verify", "wal", "segments", "file", "block", "page"] {
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
