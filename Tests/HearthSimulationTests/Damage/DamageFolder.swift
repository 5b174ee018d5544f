import Foundation
import HearthTestSupport

/// A folder of the real file system with the files of a database.
enum DamageFolder {
  static func make(_ files: [String: Bytes], at folder: String) throws {
    try? FileManager.default.removeItem(atPath: folder)
    for name in ["", "/wal", "/segments"] {
      try FileManager.default.createDirectory(atPath: folder + name, withIntermediateDirectories: true)
    }
    for (name, bytes) in files { try Data(bytes).write(to: URL(fileURLWithPath: folder + "/" + name)) }
  }

  /// Names and bytes; `LOCK` says who has it open and does not count.
  static func contents(_ folder: String) throws -> [String: Data] {
    var found: [String: Data] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder) where name != "LOCK" {
      found[name] = FileManager.default.contents(atPath: folder + "/" + name) ?? Data()
    }
    return found
  }
}
