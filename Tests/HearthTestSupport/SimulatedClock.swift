import HearthStorage
import Synchronization

/// Time that stands still until a test, or an idle ``SimulatedExecutor``, moves it. Threading: any thread.
package final class SimulatedClock: Clock {
  private let wall: Atomic<Int64>
  private let monotonic: Atomic<UInt64>

  /// - Parameter wallMicroseconds: By default some moment in 2026.
  package init(wallMicroseconds: Int64 = 1_790_000_000_000_000, monotonicNanoseconds: UInt64 = 1_000_000_000) {
    wall = Atomic(wallMicroseconds)
    monotonic = Atomic(monotonicNanoseconds)
  }

  package func wallMicroseconds() -> Int64 { wall.load(ordering: .sequentiallyConsistent) }
  package func monotonicNanoseconds() -> UInt64 { monotonic.load(ordering: .sequentiallyConsistent) }

  /// Moves both clocks; parts of a microsecond are lost to the wall's.
  package func advance(nanoseconds: UInt64) {
    monotonic.wrappingAdd(nanoseconds, ordering: .sequentiallyConsistent)
    wall.wrappingAdd(Int64(nanoseconds / 1_000), ordering: .sequentiallyConsistent)
  }

  /// Sets the wall clock, as people and time servers do, in either direction.
  package func setWall(microseconds: Int64) {
    wall.store(microseconds, ordering: .sequentiallyConsistent)
  }
}
