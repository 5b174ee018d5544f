internal import Dispatch

/// Runs the handlers of one instance on the queue of its settings: in order, never two at once, and never inside the
/// call that registered them.
///
/// The serial queue in front of the user's makes that true for a concurrent queue too. Code that runs on it counts as
/// running on the user's queue, so a handler written in a main-actor class may touch that class.
///
/// Threading: any thread.
struct HandlerQueue: Sendable {
  private let queue: DispatchQueue

  init(target: DispatchQueue) {
    queue = DispatchQueue(label: "hearth.handlers", target: target)
  }

  func deliver(_ body: @escaping () -> Void) {
    let body = UncheckedSendable(body)
    queue.async { body.value() }
  }
}
