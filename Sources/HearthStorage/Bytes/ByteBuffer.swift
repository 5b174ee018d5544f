/// Growing raw memory that is filled at its end, for what is to be written. Page-aligned; not thread-safe.
final class ByteBuffer {
  private(set) var base: UnsafeMutableRawPointer
  private(set) var count = 0
  private var capacity: Int

  init(capacity: Int = 64 << 10) {
    self.capacity = capacity
    base = .allocate(byteCount: capacity, alignment: 4096)
  }

  deinit { base.deallocate() }

  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: count) }

  /// Forgets the content; memory beyond 4 MiB goes back to the system.
  func removeAll() {
    count = 0
    if capacity > 4 << 20 {
      base.deallocate()
      capacity = 64 << 10
      base = .allocate(byteCount: capacity, alignment: 4096)
    }
  }

  /// Makes room for `byteCount` more bytes, counts them as content and returns where they begin, uninitialised.
  @inline(__always) func extend(_ byteCount: Int) -> UnsafeMutableRawPointer {
    if byteCount > capacity &- count { grow(byteCount) }
    defer { count &+= byteCount }
    return base + count
  }

  /// Takes back the last `byteCount` bytes.
  @inline(__always) func removeLast(_ byteCount: Int) {
    precondition(byteCount >= 0 && byteCount <= count, "\(byteCount) of \(count) bytes taken back")
    count &-= byteCount
  }

  func appendZeros(_ byteCount: Int) {
    extend(byteCount).initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
  }

  @inline(never) private func grow(_ byteCount: Int) {
    var target = capacity
    while target - count < byteCount { target *= 2 }
    let larger = UnsafeMutableRawPointer.allocate(byteCount: target, alignment: 4096)
    larger.copyMemory(from: base, byteCount: count)
    base.deallocate()
    base = larger
    capacity = target
  }
}
