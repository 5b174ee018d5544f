import Foundation

/// What the system says about this process and the machine.
enum ProcessFigures {
  /// Bytes handed to write calls, and bytes this process caused to be sent to the disk; 0 where the system does not say.
  static func written() -> (calls: UInt64, disk: UInt64) {
    let lines = text("/proc/self/io").split(separator: "\n")
    func value(_ name: String) -> UInt64 {
      for line in lines where line.hasPrefix(name) { return UInt64(line.dropFirst(name.count)) ?? 0 }
      return 0
    }
    return (value("wchar: "), value("write_bytes: "))
  }

  /// Lets the peak of resident memory start anew where the system can.
  static func resetPeakMemory() {
    guard let file = fopen("/proc/self/clear_refs", "w") else { return }
    fputs("5", file)
    fclose(file)
  }

  static func peakMemoryBytes() -> UInt64 {
    for line in text("/proc/self/status").split(separator: "\n") where line.hasPrefix("VmHWM:") {
      let digits = line.filter { $0.isNumber }
      return (UInt64(digits) ?? 0) << 10
    }
    #if canImport(Darwin)
    var usage = rusage()
    getrusage(RUSAGE_SELF, &usage)
    return UInt64(usage.ru_maxrss)
    #else
    return 0
    #endif
  }

  /// Processor, cores, memory and system in one line.
  static func machine() -> String {
    var name = utsname()
    uname(&name)
    func field<T>(_ tuple: T) -> String {
      withUnsafeBytes(of: tuple) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
    let processor =
      text("/proc/cpuinfo").split(separator: "\n").first { $0.hasPrefix("model name") }?
      .split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) } ?? field(name.machine)
    let info = ProcessInfo.processInfo
    let memory = (Double(info.physicalMemory) / Double(1 << 30)).rounded()
    return
      "\(processor), \(info.activeProcessorCount) cores, \(Int(memory)) GiB, \(field(name.sysname)) \(field(name.release))"
  }

  /// The kind of file system that holds a folder, as the system names it; "unknown" where it does not say.
  static func fileSystem(of directory: String) -> String {
    guard let real = realpath(directory, nil) else { return "unknown" }
    defer { free(real) }
    let path = String(cString: real)
    var best = (mount: "", kind: "unknown")
    for line in text("/proc/mounts").split(separator: "\n") {
      let parts = line.split(separator: " ")
      guard parts.count >= 3 else { continue }
      let mount = String(parts[1])
      let isAbove = mount == "/" || path == mount || path.hasPrefix(mount + "/")
      if isAbove, mount.count >= best.mount.count { best = (mount, String(parts[2])) }
    }
    return best.kind
  }

  private static func text(_ path: String) -> String {
    guard let file = fopen(path, "r") else { return "" }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16 << 10)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
    return String(decoding: bytes, as: UTF8.self)
  }
}
