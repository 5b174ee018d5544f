/// Ids of new documents: 20 characters, uniform over A–Z, a–z and 0–9.
package enum AutoID {
  package static let characterCount = 20
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)

  /// - Parameter generator: Must be unpredictable where ids must not collide; `SystemRandomNumberGenerator` is.
  package static func make(using generator: inout some RandomNumberGenerator) -> String {
    String(unsafeUninitializedCapacity: characterCount) { buffer in
      var bits: UInt64 = 0
      var bitsLeft = 0
      var filled = 0
      while filled < characterCount {
        if bitsLeft < 6 {
          bits = generator.next()
          bitsLeft = 60
        }
        let draw = Int(bits & 63)
        bits >>= 6
        bitsLeft -= 6
        // The two draws without a character are thrown away: folding them back would favour some.
        if draw < alphabet.count {
          buffer[filled] = alphabet[draw]
          filled += 1
        }
      }
      return filled
    }
  }
}
