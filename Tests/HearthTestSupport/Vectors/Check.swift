import Testing

/// `#expect` for loops of many thousands: it costs nothing while the condition holds.
package func check(
  _ condition: Bool, _ comment: @autoclosure () -> String, sourceLocation: SourceLocation = #_sourceLocation
) {
  if !condition { Issue.record("\(comment())", sourceLocation: sourceLocation) }
}
