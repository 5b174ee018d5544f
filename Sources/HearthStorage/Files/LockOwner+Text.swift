#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The content of the lock file, text so that `cat LOCK` answers:
///
///     pid 4711
///     started 1790000000000000
///     host kiln.example
extension LockOwner {
  /// This process on this host, holding since `startTime` (microseconds since 1970).
  package static func thisProcess(since startTime: Int64) -> LockOwner {
    var name = [CChar](repeating: 0, count: 256)
    let known = gethostname(&name, name.count - 1) == 0
    let host = known ? name.withUnsafeBufferPointer { String(cString: $0.baseAddress!) } : ""
    return LockOwner(processID: getpid(), startTime: startTime, host: host)
  }

  package var text: [UInt8] {
    Array("pid \(processID)\nstarted \(startTime)\nhost \(host)\n".utf8)
  }

  /// `nil` when the bytes are not a lock file's: cut, empty (its holder has not written yet), or something else.
  package init?(text: [UInt8]) {
    guard text.last == UInt8(ascii: "\n") else { return nil }
    let lines = String(decoding: text, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.count >= 4, lines[0].hasPrefix("pid "), lines[1].hasPrefix("started "), lines[2].hasPrefix("host "),
      let processID = Int32(lines[0].dropFirst(4)), let startTime = Int64(lines[1].dropFirst(8))
    else { return nil }
    self.init(processID: processID, startTime: startTime, host: String(lines[2].dropFirst(5)))
  }

  /// More than this is no lock file's content.
  static let textBytesMax = 1024

  /// The error of whoever finds the lock taken.
  /// - Parameter holder: What the file says, `nil` when it says nothing that can be read.
  package static func lockedError(_ path: String, holder: LockOwner?) -> StorageError {
    guard let holder else {
      return StorageError(
        .locked, "The database is open for writing elsewhere, in a process that has not said which; close it there",
        file: path)
    }
    let host = holder.host.isEmpty ? "this host" : "host \(holder.host)"
    return StorageError(
      .locked,
      "The database is open for writing in process \(holder.processID) on \(host) since \(holder.startText); "
        + "close it there",
      file: path)
  }

  /// The start time as `2026-11-30 18:20:37 UTC`; the bare number where the calendar doesn't reach.
  private var startText: String {
    var seconds = time_t(startTime.quotientAndRemainder(dividingBy: 1_000_000).quotient)
    var parts = tm()
    guard gmtime_r(&seconds, &parts) != nil else { return "\(startTime)" }
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(Int(parts.tm_year) + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday)) "
      + "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec)) UTC"
  }
}
