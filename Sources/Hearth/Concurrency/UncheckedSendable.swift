/// Carries a handler, or what goes into it, to the queue on which it runs.
///
/// Handlers are deliberately not `@Sendable`: that would refuse the ordinary main-actor view model. Sound because a
/// handler is called by one queue only and is not touched by the thread that handed it over.
struct UncheckedSendable<Value>: @unchecked Sendable {
  let value: Value

  init(_ value: Value) {
    self.value = value
  }
}
