import Foundation
import Testing

struct ScriptTests {
  /// Scripts are the files in Tools without an extension; the folders beside them are targets.
  static let scripts = ProjectTree.files.filter { path in
    path.hasPrefix("Tools/") && !path.dropFirst("Tools/".count).contains { $0 == "/" || $0 == "." }
  }

  struct Outcome {
    var status: Int32
    var output: String
    var errors: String
  }

  /// Runs a script of the project by its whole path from another folder, without standard input.
  static func run(_ script: String, _ arguments: [String], path: String? = nil) throws -> Outcome {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    process.arguments = ["\(ProjectTree.root)/\(script)"] + arguments
    process.currentDirectoryURL = FileManager.default.temporaryDirectory
    if let path { process.environment = ["PATH": path] }
    process.standardInput = FileHandle.nullDevice
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    // What these scripts print fits a pipe's buffer, so reading one after the other cannot block.
    let out = output.fileHandleForReading.readDataToEndOfFile()
    let err = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return Outcome(
      status: process.terminationStatus, output: String(decoding: out, as: UTF8.self),
      errors: String(decoding: err, as: UTF8.self))
  }

  @Test(arguments: scripts) func everyScriptExplainsItselfFromAnyFolder(script: String) throws {
    #expect(ProjectTree.isExecutable(script))
    let help = try Self.run(script, ["--help"])
    #expect(help.status == 0)
    #expect(help.output.hasPrefix("usage: \(script)"))
    #expect(help.errors == "")
  }

  /// A folder with stand-ins for the programs that decide what installing may do, and links to the rest.
  static func withStandIns(_ standIns: [String: String], _ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("hearth-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    for tool in ["cat", "env", "grep", "ls", "mktemp", "rm", "tail", "uname"] {
      for directory in ["/usr/bin", "/bin"] where FileManager.default.fileExists(atPath: "\(directory)/\(tool)") {
        try FileManager.default.createSymbolicLink(
          atPath: "\(folder)/\(tool)", withDestinationPath: "\(directory)/\(tool)")
        break
      }
    }
    for (name, script) in standIns {
      try "#!/bin/bash\n\(script)\n".write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: "\(folder)/\(name)")
    }
    try body(folder)
  }

  @Test func installingDoesNothingWhenAllIsThere() throws {
    try Self.withStandIns(["dpkg-query": "echo installed", "apt-get": "echo called >&2; exit 9", "id": "echo 0"]) {
      path in
      let outcome = try Self.run("Tools/install-dependencies", [], path: path)
      #expect(outcome.status == 0)
      #expect(outcome.output + outcome.errors == "")
    }
  }

  @Test func withoutTheRightToInstallTheOneCommandIsPrinted() throws {
    let standIns = ["dpkg-query": "exit 1", "apt-get": "exit 9", "id": "echo 1000", "sudo": "exit 1"]
    try Self.withStandIns(standIns) { path in
      let outcome = try Self.run("Tools/install-dependencies", ["liblz4-dev", "iso-codes"], path: path)
      #expect(outcome.status == 3)
      let command = "sudo sh -c 'apt-get update && apt-get install -y liblz4-dev iso-codes'"
      #expect(outcome.errors.split(separator: "\n").last?.trimmingCharacters(in: .whitespaces) == command)
    }
  }

  @Test func rootInstallsWhatIsMissingAfterAnUpdate() throws {
    let standIns = [
      "dpkg-query": "[ \"$3\" = iso-codes ] && echo installed", "id": "echo 0",
      "apt-get": "echo \"$DEBIAN_FRONTEND $*\" >>\"$(dirname \"$0\")/calls\"",
      "dirname": "echo \"${1%/*}\"",
    ]
    try Self.withStandIns(standIns) { path in
      let outcome = try Self.run("Tools/install-dependencies", ["iso-codes", "liblz4-dev"], path: path)
      #expect(outcome.status == 0)
      let calls = try String(contentsOfFile: "\(path)/calls", encoding: .utf8).split(separator: "\n")
      #expect(
        calls == ["noninteractive update", "noninteractive install -y --no-install-recommends liblz4-dev"])
    }
  }

  @Test func aFailedInstallationShowsWhatTheSystemSaid() throws {
    let standIns = ["dpkg-query": "exit 1", "id": "echo 0", "apt-get": "echo 'E: no network'; exit 100"]
    try Self.withStandIns(standIns) { path in
      let outcome = try Self.run("Tools/install-dependencies", [], path: path)
      #expect(outcome.status == 3)
      #expect(outcome.errors.contains("E: no network"))
    }
  }
}
