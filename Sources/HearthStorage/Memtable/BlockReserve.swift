import Synchronization

/// One ``LargeBlock`` of the full size that the system has backed with memory already: a commit that needs one would
/// otherwise wait for 2 MiB to be zeroed, and all of them together spend a tenth of their time on that.
///
/// Threading: any thread.
final class BlockReserve: Sendable {
  /// The block's address, or 0.
  private let ready = Atomic<UInt>(0)
  /// Somebody took the block or found none.
  private let isWanted = Atomic<Bool>(false)

  deinit { UnsafeMutableRawPointer(bitPattern: ready.load(ordering: .acquiring))?.deallocate() }

  /// Small databases never need a block of this size, and never have one waiting.
  var wantsBlock: Bool { isWanted.load(ordering: .relaxed) }

  /// The block, if there is one; it is the caller's then.
  func take() -> UnsafeMutableRawPointer? {
    isWanted.store(true, ordering: .relaxed)
    return UnsafeMutableRawPointer(bitPattern: ready.exchange(0, ordering: .acquiringAndReleasing))
  }

  func fill() {
    isWanted.store(false, ordering: .relaxed)
    guard ready.load(ordering: .acquiring) == 0 else { return }
    let block = LargeBlock.allocate(LargeBlock.byteCountMax)
    for page in stride(from: 0, to: LargeBlock.byteCountMax, by: LargeBlock.pageBytes) {
      block.storeBytes(of: 0, toByteOffset: page, as: UInt8.self)
    }
    let previous = ready.exchange(UInt(bitPattern: block), ordering: .acquiringAndReleasing)
    UnsafeMutableRawPointer(bitPattern: previous)?.deallocate()
  }
}
