/// Counts of durations in buckets that grow with the duration: 64 to each power of two, so a quantile is at most 1.6 %
/// below the true one.
///
/// Not thread-safe: one per caller, merged afterwards.
struct LatencyHistogram: Equatable {
  private static let bucketsPerOctave = 64
  /// The last bucket begins at 2^45 ns, about ten hours.
  private static let bucketCount = bucketsPerOctave * 41

  private var buckets = [UInt64](repeating: 0, count: bucketCount)
  private(set) var count: UInt64 = 0
  private(set) var maxNanoseconds: UInt64 = 0

  mutating func add(_ nanoseconds: UInt64) {
    buckets[Self.bucket(of: nanoseconds)] += 1
    count += 1
    maxNanoseconds = max(maxNanoseconds, nanoseconds)
  }

  mutating func merge(_ other: LatencyHistogram) {
    for index in buckets.indices { buckets[index] += other.buckets[index] }
    count += other.count
    maxNanoseconds = max(maxNanoseconds, other.maxNanoseconds)
  }

  /// The lower bound of the bucket in which the share `share` of all durations is reached; 0 without any.
  ///
  /// - Parameter share: From 0 to 1; 0.5 is the median.
  func nanoseconds(atShare share: Double) -> UInt64 {
    guard count > 0 else { return 0 }
    let wanted = max(1, UInt64((share * Double(count)).rounded(.up)))
    var seen: UInt64 = 0
    for index in buckets.indices {
      seen += buckets[index]
      if seen >= wanted { return min(Self.lowerBound(ofBucket: index), maxNanoseconds) }
    }
    return maxNanoseconds
  }

  static func bucket(of nanoseconds: UInt64) -> Int {
    if nanoseconds < 64 { return Int(nanoseconds) }
    let exponent = 63 - nanoseconds.leadingZeroBitCount
    let step = Int(nanoseconds >> UInt64(exponent - 6)) & 63
    return min((exponent - 5) * bucketsPerOctave + step, bucketCount - 1)
  }

  static func lowerBound(ofBucket index: Int) -> UInt64 {
    if index < 64 { return UInt64(index) }
    let exponent = index / bucketsPerOctave + 5
    return UInt64(64 + index % bucketsPerOctave) << UInt64(exponent - 6)
  }
}
