/// The control for everything else: how long a fixed piece of arithmetic takes at each point of the run. Where it moves,
/// other work had the core and the figures beside it mean less.
struct SpinControl {
  static let stepsPerSpin = 200_000
  private(set) var spins = LatencyHistogram()
  private var sink: UInt64 = 0

  mutating func measure() {
    var value = sink | 1
    let start = Ticks.now()
    for _ in 0..<Self.stepsPerSpin { value = SplitMix.mix(value) }
    spins.add(Ticks.now() - start)
    // Kept, so that the loop cannot be left out.
    sink = value
  }

  /// Median over fastest: 1 on a quiet machine.
  var noise: Double {
    let fastest = spins.nanoseconds(atShare: 0)
    return fastest == 0 ? 0 : Double(spins.nanoseconds(atShare: 0.5)) / Double(fastest)
  }
}
