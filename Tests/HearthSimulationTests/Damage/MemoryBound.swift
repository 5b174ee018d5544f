#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Keeps what the process may have in private memory near what it has, so that a length taken from a damaged file ends
/// it instead of passing unseen. Elsewhere than on Linux nothing is bound.
enum MemoryBound {
  static func run<R>(bytesMore: Int, _ body: () throws -> R) rethrows -> R {
    #if os(Linux)
    var old = rlimit()
    #if canImport(Glibc)
    let resource = __rlimit_resource_t(RLIMIT_DATA.rawValue)
    #else
    let resource = RLIMIT_DATA
    #endif
    guard getrlimit(resource, &old) == 0, let now = field("VmData") else { return try body() }
    var bound = old
    bound.rlim_cur = min(old.rlim_max, rlim_t(now + bytesMore))
    setrlimit(resource, &bound)
    defer { setrlimit(resource, &old) }
    #endif
    return try body()
  }

  /// The most memory that was resident since the process began, in bytes.
  static var peakBytes: Int { field("VmHWM") ?? 0 }

  /// A number of `/proc/self/status`, which is in KiB there.
  private static func field(_ name: String) -> Int? {
    guard let file = fopen("/proc/self/status", "r") else { return nil }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 512)
    while fgets(&line, Int32(line.count), file) != nil {
      let text = line.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
      guard text.hasPrefix(name + ":") else { continue }
      return text.split(whereSeparator: { " \t".contains($0) }).dropFirst().first.flatMap { Int($0) }.map { $0 << 10 }
    }
    return nil
  }
}
