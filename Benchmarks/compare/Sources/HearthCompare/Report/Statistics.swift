/// What several rounds of one row come to.
struct Statistics: Codable, Equatable {
  var median: Double
  var least: Double
  var most: Double

  /// `nil` without values.
  init?(_ values: [Double]) {
    let sorted = values.sorted()
    guard let first = sorted.first, let last = sorted.last else { return nil }
    let middle = sorted.count / 2
    median = sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    least = first
    most = last
  }

  /// Distance of the extremes as a share of the median: 0.1 is 10 %.
  var spread: Double { median > 0 ? (most - least) / median : 0 }

  /// How many times `self` is as good as `other`.
  func ratio(to other: Statistics, isLowerBetter: Bool) -> Double? {
    guard median > 0, other.median > 0 else { return nil }
    return isLowerBetter ? other.median / median : median / other.median
  }
}
