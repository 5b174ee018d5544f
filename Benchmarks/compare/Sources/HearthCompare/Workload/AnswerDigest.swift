/// What a run's answers come to: every engine's returned bytes go through this one function, which reads all of them.
///
/// Documents of one answer count with their place in it; answers and scans add up, in whatever order they came.
struct AnswerDigest: Equatable {
  private(set) var value: UInt64 = 0

  /// - Parameter place: From 0; give 0 for all where the order is the engine's own.
  @inline(__always)
  mutating func add(_ bytes: UnsafeRawBufferPointer, place: Int = 0) {
    value &+= Self.hash(bytes) &* UInt64(2 &* place &+ 1)
  }

  mutating func add(number: UInt64) {
    value &+= SplitMix.mix(number &+ 0x9E37_79B9_7F4A_7C15)
  }

  /// Four lanes, so that reading 412 bytes takes a quarter of the time of one.
  static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    let prime: UInt64 = 0x9FB2_1C65_1E98_DF25
    var (a, b, c, d) = (prime, ~prime, prime &+ UInt64(bytes.count), UInt64(bytes.count))
    // A multiplication moves bits up only: without the shift, flips of two words' highest bits would look the same.
    @inline(__always)
    func mixed(_ word: UInt64) -> UInt64 {
      let product = word &* prime
      return product ^ product &>> 32
    }
    @inline(__always)
    func word(_ offset: Int) -> UInt64 { bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self) }
    var at = 0
    while at &+ 32 <= bytes.count {
      a = mixed(a ^ word(at))
      b = mixed(b ^ word(at &+ 8))
      c = mixed(c ^ word(at &+ 16))
      d = mixed(d ^ word(at &+ 24))
      at &+= 32
    }
    if at < bytes.count, bytes.count >= 32 {
      // The last 32 once more from their end, of which some are new.
      at = bytes.count &- 32
      a = mixed(a ^ word(at))
      b = mixed(b ^ word(at &+ 8))
      c = mixed(c ^ word(at &+ 16))
      d = mixed(d ^ word(at &+ 24))
    } else {
      while at < bytes.count {
        a = mixed(a ^ UInt64(bytes[at]))
        at &+= 1
      }
    }
    return SplitMix.mix(a ^ SplitMix.mix(b ^ SplitMix.mix(c ^ SplitMix.mix(d))))
  }
}
