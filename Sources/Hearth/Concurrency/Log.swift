internal import Foundation
internal import Synchronization

/// Warnings for which the API has no error to return: one line each on standard error.
enum Log {
  /// What the lines go through; tests listen here.
  static let sink = Mutex<@Sendable (String) -> Void>({ line in
    FileHandle.standardError.write(Data((line + "\n").utf8))
  })

  /// - Parameter subsystem: `write`, `settings`, `codable`, …
  static func warning(_ subsystem: String, _ message: String) {
    let write = sink.withLock { $0 }
    write("hearth: \(subsystem): \(message)")
  }
}
