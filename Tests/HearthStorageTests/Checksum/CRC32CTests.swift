import CHearth
import Testing

@testable import HearthStorage

@Suite struct CRC32CTests {
  /// RFC 3720, B.4, and the check value of the CRC catalogue.
  @Test func publishedValuesComeOut() {
    #expect(CRC32C.checksum(of: Array("123456789".utf8)) == 0xE306_9283)
    #expect(CRC32C.checksum(of: [UInt8](repeating: 0, count: 32)) == 0x8A91_36AA)
    #expect(CRC32C.checksum(of: [UInt8](repeating: 0xFF, count: 32)) == 0x62A8_AB43)
    #expect(CRC32C.checksum(of: Array(0..<32)) == 0x46DD_794E)
    #expect(CRC32C.checksum(of: Array((0..<32).reversed())) == 0x113F_DB5C)
    let readCommand: [UInt8] = [
      0x01, 0xC0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x14, 0, 0, 0, 0, 0, 0x04, 0, 0, 0, 0, 0x14, 0, 0, 0, 0x18,
      0x28, 0, 0, 0, 0, 0, 0, 0, 0x02, 0, 0, 0, 0, 0, 0, 0,
    ]
    #expect(CRC32C.checksum(of: readCommand) == 0xD996_3A56)
    #expect(CRC32C.checksum(of: []) == 0)
  }

  @Test func everyShortLengthAtEveryAlignmentAgreesWithTheDefinition() {
    let bytes = (0..<400).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ $0 >> 3) }
    bytes.withUnsafeBytes { all in
      for start in 0..<16 {
        var naive = NaiveCRC()
        for length in 0...300 {
          let part = UnsafeRawBufferPointer(rebasing: all[start..<start + length])
          #expect(CRC32C.checksum(of: part) == naive.checksum)
          #expect(hearth_crc32c_portable(0, part.baseAddress, length) == naive.checksum)
          naive.add(all[start + length])
        }
      }
    }
  }

  /// Lengths around the places where the interleaved streams begin: 3 × 168 and 3 × 1,344 bytes and their sums.
  @Test func longInputsAgreeWithTheDefinition() {
    let bytes = (0..<40_000).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 7) }
    var naive = NaiveCRC()
    var interesting = Set<Int>()
    for base in [504, 1008, 4032, 4032 + 504, 8064, 8064 + 2 * 504, 39_000] {
      for length in base - 9...base + 9 { interesting.insert(length) }
    }
    bytes.withUnsafeBytes { all in
      for length in 0..<all.count {
        if interesting.contains(length) {
          #expect(CRC32C.checksum(of: UnsafeRawBufferPointer(rebasing: all[..<length])) == naive.checksum)
          #expect(hearth_crc32c_portable(0, all.baseAddress, length) == naive.checksum)
        }
        naive.add(all[length])
      }
    }
  }

  @Test func sumsContinue() {
    let bytes = (0..<5_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let whole = CRC32C.checksum(of: bytes)
    for cut in [0, 1, 7, 8, 769, 2_500, 4_999, 5_000] {
      let first = CRC32C.checksum(of: Array(bytes[..<cut]))
      #expect(CRC32C.checksum(of: Array(bytes[cut...]), continuing: first) == whole)
    }
  }

  @Test func aNumberIsItsEightBytesLowestFirst() {
    #expect(
      CRC32C.checksum(of: 0x0102_0304_0506_0708 as UInt64) == CRC32C.checksum(of: [8, 7, 6, 5, 4, 3, 2, 1]))
  }
}

/// The definition, a bit at a time.
private struct NaiveCRC {
  private var state: UInt32 = ~0
  var checksum: UInt32 { ~state }

  mutating func add(_ byte: UInt8) {
    state ^= UInt32(byte)
    for _ in 0..<8 { state = state & 1 == 1 ? state >> 1 ^ 0x82F6_3B78 : state >> 1 }
  }
}
