extension [UInt8] {
  /// Becomes a copy of `bytes` and keeps its memory.
  @inline(__always)
  mutating func replaceAll(_ bytes: UnsafeRawBufferPointer) {
    removeAll(keepingCapacity: true)
    append(contentsOf: bytes)
  }

  /// Puts the id at the end of an index key at the end of this document key.
  @inline(__always)
  mutating func replaceID(_ entry: UnsafeRawBufferPointer) {
    withUnsafeMutableBytes { key in
      key.baseAddress!.advanced(by: key.count - 20)
        .copyMemory(from: entry.baseAddress!.advanced(by: entry.count - 20), byteCount: 20)
    }
  }
}
