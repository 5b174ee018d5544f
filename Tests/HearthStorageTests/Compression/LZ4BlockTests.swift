import Testing

@testable import HearthStorage

@Suite struct LZ4BlockTests {
  private func compressed(_ raw: [UInt8], room: Int? = nil) -> [UInt8]? {
    var output = [UInt8](repeating: 0, count: room ?? LZ4Block.compressedBytesMax(rawCount: raw.count))
    let count = raw.withUnsafeBytes { raw in output.withUnsafeMutableBytes { LZ4Block.compress(raw, into: $0) } }
    return count.map { Array(output[..<$0]) }
  }

  private func decompressed(_ bytes: [UInt8], count: Int) throws -> [UInt8] {
    var output = [UInt8](repeating: 0xEE, count: count)
    try bytes.withUnsafeBytes { bytes in
      try output.withUnsafeMutableBytes { try LZ4Block.decompress(bytes, into: $0) }
    }
    return output
  }

  @Test func whatWasCompressedComesBack() throws {
    let text = Array(String(repeating: "the quick brown fox; ", count: 300).utf8)
    for raw in [[], [7], Array(0...255), text, [UInt8](repeating: 0, count: 100_000)] {
      let block = try #require(compressed(raw))
      #expect(try decompressed(block, count: raw.count) == raw)
    }
    #expect(try #require(compressed(text)).count < text.count / 10)
  }

  @Test func aBlockThatDoesNotFitIsNone() throws {
    let noise = (0..<2_000).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 11) }
    let needed = try #require(compressed(noise)).count
    #expect(compressed(noise, room: needed - 1) == nil)
    #expect(compressed(noise, room: 0) == nil)
  }

  @Test func everyCutIsCorruption() throws {
    let raw = Array(String(repeating: "abcdefgh", count: 40).utf8) + Array(0...200)
    let block = try #require(compressed(raw))
    for length in 0..<block.count {
      let error = #expect(throws: StorageError.self) { try decompressed(Array(block[..<length]), count: raw.count) }
      #expect(error?.code == .corruption)
    }
  }

  @Test func anotherLengthThanStoredIsCorruption() throws {
    let raw = [UInt8](repeating: 9, count: 500)
    let block = try #require(compressed(raw))
    for count in [0, 1, 499, 501, 100_000] {
      let error = #expect(throws: StorageError.self) { try decompressed(block, count: count) }
      #expect(error?.code == .corruption)
    }
  }

  /// Every flipped bit gives either corruption or as many bytes as were asked for, never a trap.
  @Test func flippedBitsNeverTrap() throws {
    let raw = Array(String(repeating: "abcdefgh", count: 20).utf8)
    let block = try #require(compressed(raw))
    var refused = 0
    for bit in 0..<block.count * 8 {
      var damaged = block
      damaged[bit / 8] ^= 1 << (bit % 8)
      do { _ = try decompressed(damaged, count: raw.count) } catch let error as StorageError {
        #expect(error.code == .corruption)
        refused += 1
      }
    }
    #expect(refused > 0)
  }
}
