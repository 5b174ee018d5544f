public import Foundation
public import HearthModel

extension Timestamp {
  /// Now.
  public init() {
    self.init(date: Date())
  }

  /// The date's whole seconds, rounded down, and the rest in nanoseconds. A date outside of what 64 bits of seconds
  /// can hold makes a timestamp that no write accepts.
  public init(date: Date) {
    let interval = date.timeIntervalSince1970
    let whole = interval.rounded(.down)
    guard let seconds = Int64(exactly: whole) else {
      self.init(seconds: interval > 0 ? .max : .min, nanoseconds: 0)
      return
    }
    // A fraction just below one can round up to a whole second.
    let nanoseconds = min(Int32((interval - whole) * 1e9), 999_999_999)
    self.init(seconds: seconds, nanoseconds: nanoseconds)
  }

  /// The nearest `Date`, which holds about a tenth of a microsecond in our time.
  public func dateValue() -> Date {
    Date(timeIntervalSince1970: Double(seconds) + Double(nanoseconds) / 1e9)
  }

  public func compare(_ other: Timestamp) -> ComparisonResult {
    self < other ? .orderedAscending : other < self ? .orderedDescending : .orderedSame
  }
}
