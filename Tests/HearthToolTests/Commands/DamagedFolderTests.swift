import Foundation
import HearthStorage
import HearthTestSupport
import Testing

/// The tool on databases whose writer runs or was killed, and on folders that somebody tampered with.
struct DamagedFolderTests {
  let tool: Tool

  init() throws { tool = try Tool() }

  private static func engine(_ path: String) throws -> StorageEngine {
    try StorageEngine.open(
      at: path,
      environment: StorageEnvironment(
        fileSystem: POSIXFileSystem(), clock: SystemClock(), executor: ThreadExecutor(), random: SystemRandom()))
  }

  /// Every file below the database but `LOCK`, with its content.
  private func files(_ folder: String) throws -> [String: Data] {
    var found: [String: Data] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder) where name != "LOCK" {
      if let data = FileManager.default.contents(atPath: folder + "/" + name) { found[name] = data }
    }
    return found
  }

  /// A database as a killed writer leaves it: a base, and a log with commits of their own.
  private func killedDatabase() throws -> String {
    try tool.loadSample()
    let killed = tool.folder + "/killed"
    let engine = try Self.engine(tool.database)
    for number in 0..<20 {
      try engine.commit { view in
        var batch = KeyValueBatch(baseVersion: view.version)
        try batch.put(.catalog, key: [UInt8(number)], value: [UInt8](repeating: 7, count: 100), reading: view)
        return batch
      }
    }
    // What a kill leaves is what is on disk now.
    try FileManager.default.copyItem(atPath: tool.database, toPath: killed)
    try engine.close()
    return killed
  }

  @Test func aKilledDatabaseInAFolderThatMayNotBeWrittenIsRead() throws {
    let killed = try killedDatabase()
    let before = try files(killed)
    let modes: [(String, Int)] = [(killed + "/wal", 0o555), (killed, 0o555)]
    for (path, mode) in modes { try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path) }
    for arguments in [["info"], ["ls"], ["cat", "countries/DE"], ["dump"], ["verify"], ["wal"], ["wal", "--hex"]] {
      let run = try tool.run([arguments[0], killed] + arguments.dropFirst())
      // The end of a log that nobody closed is a gap.
      #expect(run.status == 0 || arguments[0] == "wal" && run.status == 1, "\(arguments): \(run.errors)")
      #expect(!run.output.isEmpty)
    }
    #expect(try tool.run("dump", killed).lines.count == 3)
    #expect(try tool.run("info", killed, "--json").output.contains("\"catalogEntries\":20"))
    for (path, _) in modes { try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path) }
    #expect(try files(killed) == before)
  }

  /// Every dump shows one moment: both documents of a commit, or neither of a later one.
  @Test(.timeLimit(.minutes(2))) func dumpsBesideAWriterShowOneMoment() throws {
    try tool.loadSample()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: ProductFolder.path(of: "hearth"))
    process.arguments = ["load", tool.database, "--batch", "2"]
    let input = Pipe()
    process.standardInput = input
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    let stops = Stop()
    let feeder = Thread {
      var number = 0
      while !stops.isSet {
        let lines = "{\"path\":\"p/a\",\"data\":{\"n\":\(number)}}\n{\"path\":\"p/b\",\"data\":{\"n\":\(number)}}\n"
        input.fileHandleForWriting.write(Data(lines.utf8))
        number += 1
      }
      try? input.fileHandleForWriting.close()
    }
    feeder.start()
    var seen: Set<String> = []
    for _ in 0..<15 {
      let dump = try tool.run("dump", tool.database, "p")
      #expect(dump.status == 0 || dump.output.isEmpty, "\(dump.errors)")
      let numbers = dump.lines.compactMap { $0.split(separator: "\"n\":").dropFirst().first?.prefix { $0.isNumber } }
      #expect(numbers.count == 2 || numbers.isEmpty)
      #expect(Set(numbers).count <= 1, "\(dump.output)")
      seen.formUnion(numbers.map(String.init))
      #expect(try tool.run("verify", tool.database).status == 0)
    }
    stops.set()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    #expect(seen.count > 1)
  }

  /// One document with every type and its edges, through dump and load twice.
  @Test func everyTypeComesThroughDumpAndLoad() throws {
    let fields = [
      #""null":null,"yes":true,"no":false,"zero":0,"negative":-7,"large":{"int":"9223372036854775807"}"#,
      #""least":{"int":"-9223372036854775808"},"half":0.5,"one":{"double":"1"},"minus":{"double":"-0"}"#,
      #""nan":{"double":"NaN"},"inf":{"double":"-Infinity"},"tiny":{"double":"5e-324"},"text":"a\u0000\u001b\ud83d\ude00e\u0301""#,
      #""empty":"","time":{"timestamp":"0001-01-01T00:00:00Z"},"late":{"timestamp":"9999-12-31T23:59:59.999999Z"}"#,
      #""bytes":{"bytes":"AP/+"},"nobytes":{"bytes":""},"ref":{"ref":"a/b/c/__id7__"},"geo":{"geo":[-90,"-0"]}"#,
      #""list":[1,{"double":"1"},"x",{"m":[]}],"nolist":[],"vector":{"vector":[0.5,"NaN",-3]},"novector":{"vector":[]}"#,
      #""map":{"a.b":1,"/":2,"`":3},"nomap":{},"looks":{"map":{"int":"5"}},"deletes":{"map":{"delete":true}}"#,
    ]
    let line = #"{"path":"types/all","data":{"# + fields.joined(separator: ",") + "}}"
    let load = try tool.run("load", tool.database, input: line)
    #expect(load.status == 0, "\(load.errors)")
    func data(of dump: String) -> String {
      String(dump.prefix(upTo: dump.range(of: #","createTime""#)?.lowerBound ?? dump.endIndex))
    }
    let first = try tool.run("dump", tool.database)
    let copy = tool.folder + "/copy"
    #expect(try tool.run("load", copy, input: first.output).status == 0)
    let second = try tool.run("dump", copy)
    #expect(data(of: first.output) == data(of: second.output))
    // Nothing became something else: every spelling above is there again.
    let pieces = fields.dropLast(2).flatMap { $0.split(separator: ",\"") }.filter { !$0.contains("[") }
    for piece in pieces {
      let spelling = piece.hasPrefix("\"") ? String(piece) : "\"" + piece
      #expect(first.output.contains(spelling), "\(spelling)")
    }
    #expect(first.output.contains(#""vector":{"vector":[0.5,"NaN",-3]}"#))
    #expect(first.output.contains(#""list":[1,{"double":"1"},"x",{"m":[]}]"#))
    #expect(first.output.contains(#""geo":{"geo":[-90,"-0"]}"#))
    #expect(first.output.contains(#""map":{"/":2,"`":3,"a.b":1},"minus""#))
    #expect(
      first.output.contains(#""deletes":{"map":{"delete":true}}"#)
        && first.output.contains(#""looks":{"map":{"int":"5"}}"#))
  }

  @Test func anotherFormatIsSaidByItsNumber() throws {
    try tool.loadSample()
    let path = tool.database + "/SUPER"
    let good = try Data(contentsOf: URL(fileURLWithPath: path))
    var bytes = good
    for slot in 0..<4 where bytes[slot * 4096] != 0 { bytes[slot * 4096 + 8] = 9 }
    try bytes.write(to: URL(fileURLWithPath: path))
    for command in ["info", "ls", "dump", "verify", "load"] {
      let run = try tool.run(command, tool.database, input: "")
      #expect(run.status == 3, "\(command)")
      #expect((run.output + run.errors).contains("format 9 is not the one this build reads"), "\(command)")
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
  }

  /// Whatever is in the files, each command ends by itself with one of its statuses and changes nothing.
  @Test(.timeLimit(.minutes(5))) func everyCommandEndsOnATamperedDatabase() throws {
    let killed = try killedDatabase()
    let good = try files(killed)
    let seed = UInt64(ProcessInfo.processInfo.environment["HEARTH_SEED"] ?? "") ?? UInt64.random(in: 0...UInt64.max)
    var random = SeededRandom(seed: seed)
    var statuses: Set<Int32> = []
    for round in 0..<25 {
      var changed = good
      let name = good.keys.sorted().randomElement(using: &random)!
      var bytes = [UInt8](good[name]!)
      let used = bytes.lastIndex { $0 != 0 } ?? 0
      switch round % 6 {
      case 0, 1: bytes[Int.random(in: 0...used, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 2: bytes.removeLast(Int.random(in: 1...bytes.count, using: &random))
      case 3: for index in Int.random(in: 0...used, using: &random)..<bytes.count { bytes[index] = 0 }
      case 4: for index in bytes.indices { bytes[index] = UInt8.random(in: 0...255, using: &random) }
      default: bytes += bytes
      }
      changed[name] = Data(bytes)
      for (name, data) in changed { try data.write(to: URL(fileURLWithPath: killed + "/" + name)) }
      for command in ["info", "ls", "dump", "verify", "wal"] {
        let run = try tool.run(command, killed)
        #expect([0, 1, 3].contains(run.status), "seed \(seed), round \(round), \(name): \(command) \(run.errors)")
        statuses.insert(run.status)
      }
      #expect(try files(killed) == changed, "seed \(seed), round \(round): a command changed files")
    }
    #expect(statuses == [0, 1, 3])
  }
}

private final class Stop: @unchecked Sendable {
  private let lock = NSLock()
  private var value = false
  var isSet: Bool { lock.withLock { value } }
  func set() { lock.withLock { value = true } }
}
