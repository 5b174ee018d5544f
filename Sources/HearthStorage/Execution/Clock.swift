/// Time, through a seam so that a test can own it.
package protocol Clock: Sendable {
  /// Wall clock in microseconds since 1970; may jump either way.
  func wallMicroseconds() -> Int64
  /// Never runs backwards; nanoseconds from an arbitrary start.
  func monotonicNanoseconds() -> UInt64
}
