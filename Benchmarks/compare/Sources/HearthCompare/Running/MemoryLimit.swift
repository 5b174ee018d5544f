import Foundation
import Synchronization

/// A limit on what a process and the system's cache of its files take: a control group of the system.
final class MemoryLimit {
  enum Way: String, Codable {
    case version2 = "control group (v2, memory.max)"
    case version1 = "control group (v1, memory.limit_in_bytes)"
  }

  let way: Way
  let bytes: Int
  /// The group's folder.
  let group: String

  /// Groups that exist, for who ends the program early.
  private static let groups = Mutex<[String]>([])

  deinit { Self.remove(group) }

  /// Removes what this process made.
  static func removeAll() {
    for group in groups.withLock({ $0 }) { remove(group) }
  }

  /// A process that was just killed may be in the group for another moment, in which it can't be removed.
  private static func remove(_ group: String) {
    for _ in 0..<20 {
      if rmdir(group) == 0 || errno == ENOENT { break }
      usleep(50_000)
    }
    groups.withLock { $0.removeAll { $0 == group } }
  }

  /// Makes a group that holds what joins it to `bytes`; `nil` where this user or machine may not.
  init?(bytes: Int) {
    let name = "hearth-compare-\(getpid())"
    for (way, parent, file) in Self.candidates() {
      let group = "\(parent)/\(name)"
      guard mkdir(group, 0o755) == 0 || errno == EEXIST else { continue }
      guard Self.write("\(bytes)", to: "\(group)/\(file)"), access("\(group)/cgroup.procs", W_OK) == 0 else {
        rmdir(group)
        continue
      }
      // Without this the limit would only move pages to swap, where there is any.
      if way == .version2 { _ = Self.write("0", to: "\(group)/memory.swap.max") }
      Self.groups.withLock { $0.append(group) }
      (self.way, self.bytes, self.group) = (way, bytes, group)
      return
    }
    return nil
  }

  /// Folders in which a group may be made: below the process's own, then at the top.
  private static func candidates() -> [(Way, parent: String, file: String)] {
    var mounts: [(Way, String, String)] = []
    for line in text("/proc/mounts").split(separator: "\n") {
      let parts = line.split(separator: " ").map(String.init)
      guard parts.count > 3 else { continue }
      if parts[2] == "cgroup2" { mounts.append((.version2, parts[1], "memory.max")) }
      if parts[2] == "cgroup", parts[3].split(separator: ",").contains("memory") {
        mounts.append((.version1, parts[1], "memory.limit_in_bytes"))
      }
    }
    return mounts.flatMap { way, mount, file in
      let lines = text("/proc/self/cgroup").split(separator: "\n").map { $0.split(separator: ":", maxSplits: 2) }
      let own = lines.first { line in
        line.count == 3
          && (way == .version2 ? line[0] == "0" && line[1] == "" : line[1].split(separator: ",").contains("memory"))
      }
      let path = own.map { String($0[2]) } ?? "/"
      return (path == "/" ? [mount] : [mount + path, mount]).map { (way, $0, file) }
    }
  }

  /// Puts the calling process into a group.
  static func join(_ group: String) throws {
    guard write("\(getpid())", to: "\(group)/cgroup.procs") else {
      throw CompareError("can't join the control group \(group): \(String(cString: strerror(errno)))")
    }
  }

  private static func write(_ text: String, to file: String) -> Bool {
    let descriptor = open(file, O_WRONLY)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return Array(text.utf8).withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      == text.utf8.count
  }

  private static func text(_ file: String) -> String {
    (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
  }
}
