import Foundation
import Synchronization

/// Ctrl-C as a question that loops ask, so that work ends between two steps and not in the middle of one.
package enum Interrupt {
  private static let seen = Atomic<Bool>(false)

  /// From now on Ctrl-C only sets ``isRequested``; a second one ends the program at once.
  package static func watch() {
    signal(SIGINT) { _ in
      if Interrupt.seen.exchange(true, ordering: .relaxed) { _exit(130) }
    }
    // A program that starts this one on a thread that blocks signals hands that on.
    var interrupts = sigset_t()
    sigemptyset(&interrupts)
    sigaddset(&interrupts, SIGINT)
    pthread_sigmask(SIG_UNBLOCK, &interrupts, nil)
  }

  package static var isRequested: Bool { seen.load(ordering: .relaxed) }
}
