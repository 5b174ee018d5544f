import Foundation

/// YCSB's skewed choice among `count` items (Gray et al., "Quickly generating billion-record synthetic databases").
struct Zipf {
  let count: UInt64
  private let zeta: Double
  private let alpha: Double
  private let eta: Double
  private let half: Double

  init(count: UInt64, theta: Double = 0.99) {
    self.count = count
    var zeta = 0.0
    for i in 0..<count { zeta += 1 / pow(Double(i + 1), theta) }
    half = pow(0.5, theta)
    alpha = 1 / (1 - theta)
    eta = (1 - pow(2 / Double(count), 1 - theta)) / (1 - (1 + half) / zeta)
    self.zeta = zeta
  }

  /// 0 is the most frequent.
  func rank(_ random: inout SplitMix) -> UInt64 {
    let u = random.unit()
    let scaled = u * zeta
    if scaled < 1 { return 0 }
    if scaled < 1 + half { return 1 }
    let rank = UInt64(Double(count) * pow(eta * u - eta + 1, alpha))
    return min(rank, count - 1)
  }

  /// The same skew with the frequent items spread over the whole set.
  func hashed(_ random: inout SplitMix) -> UInt64 {
    SplitMix.mix(rank(&random) &+ 0x1234567) % count
  }
}
