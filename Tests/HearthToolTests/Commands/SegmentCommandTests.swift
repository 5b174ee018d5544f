import Foundation
import HearthTestSupport
import Testing

@testable import HearthStorage

/// The commands that look into segments, on whole and damaged ones.
struct SegmentCommandTests {
  let tool: Tool

  init() throws { tool = try Tool() }

  private func object(_ run: Tool.Run) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
  }

  @Test func whatIsPrintedIsInTheGolden() throws {
    let database = try SegmentedDatabase(tool.database)
    let inner = try #require(database.blocks.lastIndex { $0.level == 1 })
    var text = ""
    for arguments in [
      ["segments", tool.database], ["file", database.path], ["block", database.path, "0"],
      ["block", database.path, "\(database.blocks.count - 2)"],
      ["block", database.path, "\(database.blocks.count - 1)"],
      ["page", database.path, "0", "--limit", "3"], ["page", database.path, "\(inner)"], ["verify", "--help"],
    ] {
      let run = try tool.run(arguments)
      #expect(run.status == 0, "\(arguments): \(run.errors)")
      text += "$ hearth \(arguments.joined(separator: " "))\n\(run.output)\n"
    }
    text = text.replacingOccurrences(of: tool.database, with: "./db")
    #expect(try Golden.difference("segment-commands.txt", text) == nil)
  }

  @Test func documentsArePrintedAsTheDumpDoes() throws {
    let database = try SegmentedDatabase(sample: tool)
    let leaf = try #require(database.blocks.firstIndex { $0.level == 0 })
    let page = try tool.run("page", database.path, "\(leaf)")
    #expect(page.status == 0, "\(page.errors)")
    #expect(page.output.contains(#"countries/DE  {"area":357022,"name":"Deutschland""#), "\(page.output)")
    #expect(!page.output.contains("\u{1B}"))
    let json = try object(
      try tool.run("page", database.path, "@\(database.blocks[leaf].reference.place.offset)", "--json"))
    let items = (json["page"] as? [String: Any])?["items"] as? [[String: Any]]
    #expect(items?.first?["path"] as? String == "countries/DE")
    #expect((items?.first?["data"] as? [String: Any])?["area"] as? Int == 357022)
    #expect(try tool.run("block", database.path, "\(leaf)", "--hex").output.contains("\nstored\n  00002000  "))
  }

  @Test func theKindOfAFileIsToldByItsContent() throws {
    let database = try SegmentedDatabase(sample: tool)
    try tool.leaveLog()
    let wal = tool.database + "/wal/"
    let logs = try FileManager.default.contentsOfDirectory(atPath: wal)
    let log = wal + (try #require(logs.first { $0.hasSuffix(".wal") }))
    let away = tool.folder + "/away"
    for (path, kind) in [(tool.database + "/SUPER", "superblocks"), (log, "log"), (database.path, "segment")] {
      try? FileManager.default.removeItem(atPath: away)
      try FileManager.default.copyItem(atPath: path, toPath: away)
      let run = try tool.run("file", away)
      #expect(run.output.hasPrefix(kind), "\(run.output)\(run.errors)")
      #expect(try object(try tool.run("file", away, "--json"))["kind"] as? String == kind)
    }
    try Data("no file of ours".utf8).write(to: URL(fileURLWithPath: away))
    #expect(try tool.run("file", away).status == 3)
    #expect(try tool.run("file", tool.folder + "/nowhere").status == 1)
    #expect(try tool.run("block", log, "0").errors.contains("hearth wal"))
  }

  @Test func verifyChecksTheCheckpoint() throws {
    let database = try SegmentedDatabase(sample: tool)
    for option in ["--quick", "--full", "--json"] {
      let run = try tool.run("verify", tool.database, option)
      #expect(run.status == 0, "\(run.output)\(run.errors)")
    }
    #expect(try tool.run("verify", tool.database, "--quick").output.contains("checkpoint 2, commit "))
    let leaf = try #require(database.blocks.first { $0.level == 0 })
    var bytes = try Data(contentsOf: URL(fileURLWithPath: database.path))
    bytes[Int(leaf.reference.place.offset) + 40] ^= 1
    try bytes.write(to: URL(fileURLWithPath: database.path))
    #expect(try tool.run("verify", tool.database, "--quick").status == 0, "leaves are not read")
    let full = try tool.run("verify", tool.database, "--full")
    #expect(full.status == 1)
    #expect(full.output.contains("problem: block: checksum of block is 0x"))
    #expect(full.output.contains("000001.seg, offset 8192, documents, level 0"))
    let json = try object(try tool.run("verify", tool.database, "--json"))
    let findings = (json["checkpoint"] as? [String: Any])?["findings"] as? [[String: Any]]
    #expect(json["good"] as? Bool == false && findings?.first?["offset"] as? Int == 8192)
    let block = try tool.run("block", database.path, "0")
    #expect(block.status == 1 && block.output.contains("WRONG, computed 0x"))
    #expect(try tool.run("verify", tool.database, "--quick", "--full").status == 2)
  }

  @Test func mistakesAreSaid() throws {
    let database = try SegmentedDatabase(tool.database)
    #expect(try tool.run("block", database.path).status == 2)
    #expect(try tool.run("block", database.path, "zero").status == 2)
    #expect(try tool.run("block", database.path, "@x").status == 2)
    #expect(try tool.run("block", database.path, "9999").status == 1)
    for place in ["@0", "@8193", "@\(UInt64.max)", "@0x2020"] {
      let run = try tool.run("block", database.path, place)
      #expect(run.status == 1 && run.output.contains("PROBLEM"), "\(place): \(run.output)\(run.errors)")
    }
    let record = try tool.run("page", database.path, "\(database.blocks.count - 1)")
    #expect(record.status == 1 && record.errors.contains("hearth block shows it"))
    for command in ["segments", "file", "block", "page"] { #expect(try tool.run(command).status == 2) }
  }

  /// Whatever is in the file, also where nothing may be written, each command ends with one of its statuses.
  @Test(.timeLimit(.minutes(5))) func everyCommandEndsOnADamagedSegment() throws {
    let database = try SegmentedDatabase(sample: tool)
    let good = [UInt8](try Data(contentsOf: URL(fileURLWithPath: database.path)))
    let seed = UInt64(ProcessInfo.processInfo.environment["HEARTH_SEED"] ?? "") ?? UInt64.random(in: 0...UInt64.max)
    let random = SeededRandom(seed: seed)
    let folder = tool.database + "/segments"
    func setMode(_ mode: Int) throws {
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder)
    }
    for round in 0..<20 {
      var bytes = good
      switch round % 5 {
      case 0: for offset in [0, 4096] { bytes[offset + random.next(below: 48)] ^= 0xFF }
      case 1: bytes.removeLast(1 + random.next(below: bytes.count))
      case 2: for index in 8192 + random.next(below: bytes.count - 8192)..<bytes.count { bytes[index] = 0 }
      case 3: bytes = random.bytes(bytes.count)
      default:
        for _ in 0..<5 { bytes[8192 + random.next(below: bytes.count - 8192)] ^= 1 << UInt8(random.next(below: 8)) }
      }
      try Data(bytes).write(to: URL(fileURLWithPath: database.path))
      try setMode(0o555)
      for arguments in [
        ["segments", tool.database], ["file", database.path], ["block", database.path, "0", "--hex"],
        ["page", database.path, "@8192"], ["verify", tool.database, "--quick"], ["verify", tool.database, "--json"],
      ] {
        let run = try tool.run(arguments)
        #expect([0, 1, 3].contains(run.status), "seed \(seed), round \(round): \(arguments) \(run.errors)")
      }
      try setMode(0o755)
      #expect([UInt8](try Data(contentsOf: URL(fileURLWithPath: database.path))) == bytes)
    }
  }
}
