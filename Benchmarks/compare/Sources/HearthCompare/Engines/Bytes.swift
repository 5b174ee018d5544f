#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

extension UnsafeRawBufferPointer {
  /// Whether these bytes order before the others, as unsigned bytes.
  @inline(__always)
  func precedes(_ other: UnsafeRawBufferPointer) -> Bool {
    let common = Swift.min(count, other.count)
    let order = common == 0 ? 0 : memcmp(baseAddress!, other.baseAddress!, common)
    return order != 0 ? order < 0 : count < other.count
  }
}

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
