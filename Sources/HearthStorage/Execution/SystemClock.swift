#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The operating system's clocks. Threading: any thread.
package struct SystemClock: Clock {
  package init() {}

  package func wallMicroseconds() -> Int64 {
    let now = SystemClock.read(CLOCK_REALTIME)
    return Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1_000
  }

  package func monotonicNanoseconds() -> UInt64 {
    let now = SystemClock.read(CLOCK_MONOTONIC)
    return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
  }

  private static func read(_ clock: clockid_t) -> timespec {
    var now = timespec()
    let result = clock_gettime(clock, &now)
    precondition(result == 0, "The system has no clock \(clock)")
    return now
  }
}
