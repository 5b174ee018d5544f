import CHearth

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A worker with a thread of its own.
///
/// Threading: any thread, its own included: ``stop()`` from inside the step only asks, since the step that runs is the
/// one it would wait for.
final class ThreadWorker: Worker, @unchecked Sendable {
  private let name: String
  private let clock: any Clock
  private let step: @Sendable () -> WorkerNeed
  private let condition = Condition()
  // Guarded by `condition`.
  private var isSignalled = false
  private var isStopping = false
  private var isFinished = false
  private var thread: pthread_t?
  /// Whether someone has taken it on to join or detach the thread.
  private var isThreadClaimed = false

  init(name: String, clock: any Clock, step: @escaping @Sendable () -> WorkerNeed) {
    self.name = name
    self.clock = clock
    self.step = step
  }

  func start() {
    // Held until the thread has its handle, since a step may stop the worker at once.
    condition.lock()
    defer { condition.unlock() }
    let argument = Unmanaged.passRetained(self).toOpaque()
    #if canImport(Darwin)
    var created: pthread_t?
    let result = pthread_create(&created, nil, { ThreadWorker.run($0) }, argument)
    #else
    var created = pthread_t()
    let result = pthread_create(&created, nil, { ThreadWorker.run($0!) }, argument)
    #endif
    // The system has no thread left for a database; there is nothing to go on with.
    precondition(result == 0, "No thread for the worker \(name): error \(result)")
    thread = created
  }

  private static func run(_ argument: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    let worker = Unmanaged<ThreadWorker>.fromOpaque(argument).takeRetainedValue()
    hearth_set_thread_name(worker.name)
    worker.loop()
    return nil
  }

  private func loop() {
    var deadline: UInt64?
    condition.lock()
    while true {
      while !isStopping && !isSignalled {
        guard let end = deadline else {
          condition.wait()
          continue
        }
        let now = clock.monotonicNanoseconds()
        if now >= end { break }
        condition.wait(nanoseconds: end - now)
      }
      if isStopping { break }
      // Cleared before the step: a signal while it runs asks for one more.
      isSignalled = false
      deadline = nil
      condition.unlock()
      let need = step()
      condition.lock()
      switch need {
      case .more: isSignalled = true
      case .signal: break
      case .deadline(let end): deadline = end
      }
    }
    isFinished = true
    condition.broadcast()
    condition.unlock()
  }

  func signal() {
    condition.withLock {
      isSignalled = true
      condition.broadcast()
    }
  }

  func stop() {
    condition.lock()
    isStopping = true
    condition.broadcast()
    guard let thread else {
      condition.unlock()
      return
    }
    let isOwnThread = pthread_equal(thread, pthread_self()) != 0
    let claims = !isThreadClaimed
    isThreadClaimed = true
    if isOwnThread {
      condition.unlock()
      if claims { pthread_detach(thread) }
    } else if claims {
      condition.unlock()
      pthread_join(thread, nil)
    } else {
      while !isFinished { condition.wait() }
      condition.unlock()
    }
  }
}
