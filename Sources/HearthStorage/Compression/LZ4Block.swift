import CLZ4

/// LZ4's block format: no frame, no checksum, no length of its own; whoever stores a block keeps both lengths.
package enum LZ4Block {
  /// The largest input that LZ4 takes.
  package static let rawBytesMax = 0x7E00_0000

  /// Room that is enough for any `rawCount` bytes compressed.
  package static func compressedBytesMax(rawCount: Int) -> Int {
    precondition(rawCount >= 0 && rawCount <= rawBytesMax, "LZ4 takes no input of \(rawCount) bytes")
    return rawCount + rawCount / 255 + 16
  }

  /// Compresses into `output` and returns the number of bytes there, or `nil` when they don't fit: a caller that wants
  /// a block only if it saves something passes a buffer of just that size.
  package static func compress(_ raw: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> Int? {
    precondition(raw.count <= rawBytesMax, "LZ4 takes no input of \(raw.count) bytes")
    guard let target = output.baseAddress, !output.isEmpty else { return nil }
    // An empty input has no address, but the call wants one.
    let source = raw.baseAddress ?? UnsafeRawPointer(target)
    let written = LZ4_compress_default(
      source.assumingMemoryBound(to: CChar.self), target.assumingMemoryBound(to: CChar.self), Int32(raw.count),
      Int32(clamping: output.count))
    return written > 0 ? Int(written) : nil
  }

  /// Decompresses a block into a buffer of exactly its raw length. Reads and writes nothing outside the buffers,
  /// whatever the bytes are; the buffer is the caller's, made only after its length was checked against a bound.
  ///
  /// - Throws: `.corruption` when the bytes are no LZ4 block or don't give exactly that many bytes.
  package static func decompress(
    _ compressed: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(StorageError) {
    guard let source = compressed.baseAddress, compressed.count <= Int(Int32.max), output.count <= Int(Int32.max) else {
      throw StorageError(
        .corruption, "A compressed block of \(compressed.count) bytes, \(output.count) raw, cannot be LZ4")
    }
    // LZ4 accepts no null target, even for nothing.
    var nothing: UInt8 = 0
    let count = withUnsafeMutablePointer(to: &nothing) { spare in
      LZ4_decompress_safe(
        source.assumingMemoryBound(to: CChar.self),
        (output.baseAddress ?? UnsafeMutableRawPointer(spare)).assumingMemoryBound(to: CChar.self),
        Int32(compressed.count), Int32(output.count))
    }
    guard count >= 0 else {
      throw StorageError(.corruption, "A compressed block of \(compressed.count) bytes is not valid LZ4")
    }
    guard Int(count) == output.count else {
      throw StorageError(
        .corruption,
        "A compressed block of \(compressed.count) bytes gives \(count) bytes where \(output.count) were stored")
    }
  }
}
