#if canImport(Glibc)
import Glibc
#endif

/// Memory of a layer in blocks that start small and grow to a huge page each.
///
/// Lookups touch a layer's memory at random, so with ordinary pages nearly each touch also misses the TLB. Blocks of
/// the full size are aligned to huge pages and ask for them; where the system has none, nothing else changes.
enum LargeBlock {
  static let byteCountMin = 16 << 10
  static let byteCountMax = 2 << 20

  /// The size of the block that follows `count` others.
  static func byteCount(after count: Int) -> Int { min(byteCountMin << min(count, 16), byteCountMax) }

  /// The smallest piece in which a system hands out memory.
  static let pageBytes = 4096

  /// Uninitialised memory, released with `deallocate()`; from `reserve` if that has a block of this size.
  static func allocate(_ byteCount: Int, from reserve: BlockReserve? = nil) -> UnsafeMutableRawPointer {
    if byteCount == byteCountMax, let block = reserve?.take() { return block }
    guard byteCount == byteCountMax else { return .allocate(byteCount: byteCount, alignment: 64) }
    let start = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: byteCountMax)
    #if os(Linux)
    _ = madvise(start, byteCount, MADV_HUGEPAGE)
    #endif
    return start
  }
}
