import Synchronization

/// One page in memory: its bytes behind a small header. Nothing but the clock changes once others can see it.
///
///     offset  size  field
///     0       8     the place it was read from, as the cache's callers number them; never 0
///     8       8     number of bytes
///     16      4     clock: how many rounds of the hand it survives (atomic)
///     20      4     units of a ``FrameArena`` that it takes, or 0
///     64            bytes
///
/// Threading: a pointer. Whoever follows it owns the frame or has pinned the cache's epochs.
struct PageFrame: Equatable, @unchecked Sendable {
  private let start: UnsafeMutableRawPointer

  static let headerBytes = 64

  fileprivate init(_ start: UnsafeMutableRawPointer) { self.start = start }

  init?(word: UInt) {
    guard let start = UnsafeMutableRawPointer(bitPattern: word) else { return nil }
    self.start = start
  }

  var word: UInt { UInt(bitPattern: start) }

  /// A frame in memory of its own with uninitialised bytes; its maker fills them before anyone else sees them.
  static func allocate(_ byteCount: Int, place: UInt64) -> PageFrame {
    let start = UnsafeMutableRawPointer.allocate(byteCount: headerBytes + byteCount, alignment: 64)
    return PageFrame(initializing: start, byteCount, place: place, units: 0)
  }

  init(initializing start: UnsafeMutableRawPointer, _ byteCount: Int, place: UInt64, units: Int) {
    precondition(place != 0 && byteCount > 0)
    self.start = start
    start.storeBytes(of: place, as: UInt64.self)
    start.storeBytes(of: byteCount, toByteOffset: 8, as: Int.self)
    clock.initialize(to: Atomic(0))
    start.storeBytes(of: UInt32(units), toByteOffset: 20, as: UInt32.self)
  }

  /// Frees a frame that has memory of its own.
  func deallocate() {
    poison()
    start.deallocate()
  }

  /// Whoever still looks at it is to notice.
  func poison() {
    #if DEBUG
    start.initializeMemory(as: UInt8.self, repeating: 0xDD, count: Self.headerBytes + byteCount)
    #endif
  }

  var place: UInt64 { start.load(as: UInt64.self) }
  var byteCount: Int { start.load(fromByteOffset: 8, as: Int.self) }
  /// What it takes from a cache's budget.
  var cost: Int { units > 0 ? units * FrameArena.unitBytes : Self.headerBytes + byteCount }
  var units: Int { Int(start.load(fromByteOffset: 20, as: UInt32.self)) }

  var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: start + Self.headerBytes, count: byteCount)
  }

  /// Where the bytes begin.
  @inline(__always) var content: UnsafeRawPointer { UnsafeRawPointer(start + Self.headerBytes) }

  /// Only for the frame's maker.
  var mutableBytes: UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(start: start + Self.headerBytes, count: byteCount)
  }

  private var clock: UnsafeMutablePointer<Atomic<UInt32>> {
    (start + 16).assumingMemoryBound(to: Atomic<UInt32>.self)
  }

  /// Winds the clock up to `rounds`. Writes only when that changes something: readers of one page would otherwise take its
  /// line from each other.
  @inline(__always)
  func touch(_ rounds: UInt32) {
    if clock.pointee.load(ordering: .relaxed) < rounds { clock.pointee.store(rounds, ordering: .relaxed) }
  }

  /// Nobody will ask for it again.
  func expire() { clock.pointee.store(0, ordering: .relaxed) }

  /// The hand has come by: takes one off.
  /// - Returns: whether nothing was left.
  func expires() -> Bool {
    let left = clock.pointee.load(ordering: .relaxed)
    if left == 0 { return true }
    // A touch in between may be lost; the page then goes one round earlier.
    clock.pointee.store(left - 1, ordering: .relaxed)
    return false
  }
}
