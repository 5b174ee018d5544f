/// Learns when views die, so that the layers can reuse the nodes that only those views showed.
protocol ViewRegistry: AnyObject, Sendable {
  /// Called once a view, from any thread, when it is released for the last time. Nothing reads through it any more.
  func viewDied(number: UInt64)
}
