/// The generator behind every document and every choice of the benchmark: splitmix64.
///
/// A stream and an item give the start, so that document `i` depends on the seed and `i` only and nothing has to be
/// stored. Stream 1 makes ids, 2 documents, 7 shuffles cities, 100 and more choose what workloads touch.
struct SplitMix {
  private(set) var state: UInt64

  init(seed: UInt64, stream: UInt64, item: UInt64) {
    state = Self.mix(seed &* 0x9E37_79B9_7F4A_7C15 &+ stream) &+ item &* 0xD134_2543_DE82_EF95
  }

  static func mix(_ value: UInt64) -> UInt64 {
    var z = value
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    return Self.mix(state)
  }

  /// A number from 0 up to `bound`, excluded.
  mutating func below(_ bound: UInt64) -> UInt64 {
    next().multipliedFullWidth(by: bound).high
  }

  /// A number from 0 up to 1, excluded, in steps of 2^-53.
  mutating func unit() -> Double {
    Double(next() >> 11) * 0x1.0p-53
  }
}
