#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A mutex with a condition variable, in memory that doesn't move.
///
/// Threading: any thread. `wait` and `broadcast` are called with the lock held.
final class Condition: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  init() {
    var result = pthread_mutex_init(mutex, nil)
    precondition(result == 0, "No mutex: error \(result)")
    #if canImport(Darwin)
    result = pthread_cond_init(condition, nil)
    #else
    // A wall clock that is set back would hold every waiter.
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    result = pthread_cond_init(condition, &attributes)
    pthread_condattr_destroy(&attributes)
    #endif
    precondition(result == 0, "No condition variable: error \(result)")
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  func withLock<R>(_ body: () -> R) -> R {
    lock()
    defer { unlock() }
    return body()
  }

  func lock() {
    let result = pthread_mutex_lock(mutex)
    precondition(result == 0, "Locking failed: error \(result)")
  }

  func unlock() {
    pthread_mutex_unlock(mutex)
  }

  func broadcast() {
    pthread_cond_broadcast(condition)
  }

  func wait() {
    pthread_cond_wait(condition, mutex)
  }

  /// Waits at most that long; may return earlier.
  func wait(nanoseconds: UInt64) {
    // Long enough for anyone, and within every system's `time_t`.
    let bounded = min(nanoseconds, 86_400_000_000_000)
    #if canImport(Darwin)
    var duration = timespec(tv_sec: Int(bounded / 1_000_000_000), tv_nsec: Int(bounded % 1_000_000_000))
    pthread_cond_timedwait_relative_np(condition, mutex, &duration)
    #else
    let end = SystemClock().monotonicNanoseconds() + bounded
    var moment = timespec(tv_sec: time_t(end / 1_000_000_000), tv_nsec: Int(end % 1_000_000_000))
    pthread_cond_timedwait(condition, mutex, &moment)
    #endif
  }
}
