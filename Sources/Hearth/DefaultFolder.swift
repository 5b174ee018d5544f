internal import Foundation
internal import HearthDatabase

/// Where the default database lives.
enum DefaultFolder {
  static var url: URL {
    #if canImport(Darwin)
    let base =
      FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
      ?? URL(fileURLWithPath: NSHomeDirectory(), isDirectory: true)
    let program = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
    return base.appendingPathComponent("Hearth/\(program)/default", isDirectory: true)
    #else
    let environment = ProcessInfo.processInfo.environment
    return url(dataHome: environment["XDG_DATA_HOME"], home: NSHomeDirectory())
    #endif
  }

  /// The XDG rule: a relative or empty data home does not count.
  static func url(dataHome: String?, home: String) -> URL {
    let base = dataHome.flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home + "/.local/share"
    return URL(fileURLWithPath: base, isDirectory: true).appendingPathComponent("hearth/default", isDirectory: true)
  }

  /// Opens the database there, making the folders above it first; nobody else may look into those.
  static func open(_ path: String) throws -> Database {
    let parent = (path as NSString).deletingLastPathComponent
    do {
      try FileManager.default.createDirectory(
        atPath: parent, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw DatabaseError(.unavailable, "The folder \(parent) cannot be made: \(error.localizedDescription)")
    }
    return try Database.open(at: path)
  }
}
