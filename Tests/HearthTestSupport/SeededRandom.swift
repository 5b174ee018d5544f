import HearthStorage
import Synchronization

/// SplitMix64: one seed, one sequence. Usable wherever Swift takes a generator.
///
/// Threading: any thread, though only one caller gives a repeatable sequence.
package final class SeededRandom: RandomSource, RandomNumberGenerator {
  package let seed: UInt64
  private let state: Atomic<UInt64>

  package init(seed: UInt64) {
    self.seed = seed
    state = Atomic(seed)
  }

  package func next() -> UInt64 {
    SeededRandom.mix(state.wrappingAdd(0x9E37_79B9_7F4A_7C15, ordering: .relaxed).newValue)
  }

  /// 0 to `bound - 1`, evenly.
  package func next(below bound: Int) -> Int {
    precondition(bound > 0, "There is no number from 0 up to \(bound)")
    return Int(next().multipliedFullWidth(by: UInt64(bound)).high)
  }

  /// `true` once in `count` times on average.
  package func oneIn(_ count: Int) -> Bool { next(below: count) == 0 }

  package func bytes(_ count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      var word: UInt64 = 0
      for index in 0..<count {
        word = index % 8 == 0 ? next() : word >> 8
        buffer[index] = UInt8(truncatingIfNeeded: word)
      }
      initialized = count
    }
  }

  /// A stateless scramble of 64 bits; every bit of the input moves every bit of the output.
  package static func mix(_ number: UInt64) -> UInt64 {
    var z = number
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
