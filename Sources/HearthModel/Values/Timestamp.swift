/// A point in time: whole seconds since 1970-01-01T00:00:00Z and the nanoseconds after them, independent of any
/// time zone.
///
/// The nanoseconds always count forward: 1.5 seconds before 1970 is -2 seconds and 500,000,000 nanoseconds. A
/// timestamp in memory keeps its nanoseconds; writing it, or using it in a query, cuts it down to whole microseconds.
public struct Timestamp: Hashable, Codable, Sendable {
  /// Seconds since 1970; from -62,135,596,800 (the year 1) to 253,402,300,799 (the end of the year 9999).
  public let seconds: Int64
  /// 0 to 999,999,999.
  public let nanoseconds: Int32

  /// Makes a timestamp of any parts. One out of range is made too, but writing it or using it in a query fails with
  /// `invalidArgument`.
  public init(seconds: Int64, nanoseconds: Int32) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }
}

extension Timestamp: Comparable {
  public static func < (left: Timestamp, right: Timestamp) -> Bool {
    left.seconds != right.seconds ? left.seconds < right.seconds : left.nanoseconds < right.nanoseconds
  }
}

extension Timestamp: CustomStringConvertible {
  public var description: String { "Timestamp(seconds: \(seconds), nanoseconds: \(nanoseconds))" }
}

extension Timestamp {
  package static let secondsMin: Int64 = -62_135_596_800
  package static let secondsMax: Int64 = 253_402_300_799
  package static let microsecondsMin = secondsMin * 1_000_000
  package static let microsecondsMax = secondsMax * 1_000_000 + 999_999

  /// Within years 1 to 9999, with nanoseconds in range.
  package var isValid: Bool {
    seconds >= Timestamp.secondsMin && seconds <= Timestamp.secondsMax && nanoseconds >= 0
      && nanoseconds <= 999_999_999
  }

  /// Cut down to whole microseconds, also before 1970.
  package var flooredToMicroseconds: Timestamp {
    Timestamp(seconds: seconds, nanoseconds: nanoseconds - nanoseconds % 1000)
  }

  /// Whole microseconds since 1970, rounded down. One out of range counts as the nearest second in range.
  package var microseconds: Int64 {
    min(max(seconds, Timestamp.secondsMin), Timestamp.secondsMax) * 1_000_000 + Int64(nanoseconds / 1000)
  }

  package init(microseconds: Int64) {
    let (quotient, remainder) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    let seconds = remainder < 0 ? quotient - 1 : quotient
    self.init(seconds: seconds, nanoseconds: Int32(microseconds - seconds &* 1_000_000) * 1000)
  }

  /// Stands for the time of the commit that is being made: what a server timestamp leaves in the fields of a document
  /// until the storage engine stamps the real one over it. Never valid, so no user's value can pass for it.
  package static let commitTime = Timestamp(seconds: .max, nanoseconds: .max)

  package var isCommitTime: Bool { self == Timestamp.commitTime }
}
