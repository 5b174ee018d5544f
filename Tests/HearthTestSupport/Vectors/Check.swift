import Testing

/// `#expect` for loops of many thousands: it costs nothing while the condition holds.
package func check(
  _ condition: @autoclosure () throws -> Bool, _ comment: @autoclosure () -> String,
  sourceLocation: SourceLocation = #_sourceLocation
) rethrows {
  if try !condition() { Issue.record("\(comment())", sourceLocation: sourceLocation) }
}
