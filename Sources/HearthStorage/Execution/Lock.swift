#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A mutex for short sections. Not recursive.
///
/// The system's own and not `Synchronization.Mutex`, which ThreadSanitizer does not see on Linux: every use of that
/// one is reported as a race (measured with Swift 6.3.1), and real ones would drown among them.
///
/// Threading: any thread.
package final class Lock: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

  package init() {
    let result = pthread_mutex_init(mutex, nil)
    precondition(result == 0, "No mutex: error \(result)")
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  package func lock() {
    let result = pthread_mutex_lock(mutex)
    precondition(result == 0, "Locking failed: error \(result)")
  }

  package func unlock() {
    pthread_mutex_unlock(mutex)
  }

  package func withLock<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
    lock()
    defer { unlock() }
    return try body()
  }
}
