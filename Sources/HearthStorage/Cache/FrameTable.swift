import Synchronization

/// Finds frames by place without a lock: a hash table of open slots that one writer at a time changes beside readers.
///
/// A slot holds a frame's word, ``removed`` or 0. Keys stand in the frames themselves, which a reader may look at since
/// it has pinned the epochs under which frames and outgrown slots are freed.
///
/// Threading: `find` on any thread that has pinned `epochs`; the rest is serialised by the caller.
final class FrameTable: @unchecked Sendable {
  /// Memory of the slots, behind their mask: one pointer gives a reader both.
  private struct Slots {
    private let start: UnsafeMutableRawPointer

    private static let headerBytes = 64

    /// - Parameter count: a power of two.
    init(count: Int) {
      start = .allocate(byteCount: Self.headerBytes + count * MemoryLayout<Atomic<UInt>>.stride, alignment: 64)
      start.storeBytes(of: count - 1, as: Int.self)
      for index in 0..<count { (first + index).initialize(to: Atomic(0)) }
    }

    init(word: UInt) { start = UnsafeMutableRawPointer(bitPattern: word).unsafelyUnwrapped }

    var word: UInt { UInt(bitPattern: start) }
    @inline(__always) var mask: Int { start.load(as: Int.self) }

    @inline(__always) var first: UnsafeMutablePointer<Atomic<UInt>> {
      (start + Self.headerBytes).assumingMemoryBound(to: Atomic<UInt>.self)
    }

    func deallocate() { start.deallocate() }
  }

  private static let removed: UInt = 1
  private static let countMin = 64

  private let epochs: EpochDomain
  /// The word of `slots`.
  private let current: Atomic<UInt>
  private var slots: Slots
  private(set) var count = 0
  /// Slots that are not 0.
  private var used = 0

  init(epochs: EpochDomain) {
    self.epochs = epochs
    slots = Slots(count: Self.countMin)
    current = Atomic(slots.word)
  }

  deinit { slots.deallocate() }

  /// The frame of `place`, or `nil`. The caller has pinned the epochs.
  @inline(__always)
  func find(_ place: UInt64) -> PageFrame? {
    let slots = Slots(word: current.load(ordering: .sequentiallyConsistent))
    let mask = slots.mask
    var index = FrameTable.hash(place) & mask
    while true {
      let word = slots.first[index].load(ordering: .sequentiallyConsistent)
      if word == 0 { return nil }
      if word != FrameTable.removed, let frame = PageFrame(word: word), frame.place == place { return frame }
      index = (index + 1) & mask
    }
  }

  /// Adds a frame whose place is not there.
  func insert(_ frame: PageFrame) {
    // Half of the slots stay 0, so that every search ends soon.
    if (used + 1) * 2 > slots.mask { rebuild() }
    var index = FrameTable.hash(frame.place) & slots.mask
    while slots.first[index].load(ordering: .relaxed) > FrameTable.removed { index = (index + 1) & slots.mask }
    if slots.first[index].load(ordering: .relaxed) == 0 { used += 1 }
    slots.first[index].store(frame.word, ordering: .sequentiallyConsistent)
    count += 1
  }

  /// Takes a frame out that is there; the caller retires it.
  func remove(_ frame: PageFrame) {
    var index = FrameTable.hash(frame.place) & slots.mask
    while slots.first[index].load(ordering: .relaxed) != frame.word { index = (index + 1) & slots.mask }
    slots.first[index].store(FrameTable.removed, ordering: .sequentiallyConsistent)
    count -= 1
  }

  /// Calls `body` with each frame.
  func forEach(_ body: (PageFrame) -> Void) {
    for index in 0...slots.mask {
      let word = slots.first[index].load(ordering: .relaxed)
      if word > FrameTable.removed, let frame = PageFrame(word: word) { body(frame) }
    }
  }

  /// Into slots without removed ones, a quarter full at most.
  private func rebuild() {
    var target = Self.countMin
    while count * 4 > target { target *= 2 }
    let next = Slots(count: target)
    forEach { frame in
      var index = FrameTable.hash(frame.place) & next.mask
      while next.first[index].load(ordering: .relaxed) != 0 { index = (index + 1) & next.mask }
      next.first[index].store(frame.word, ordering: .relaxed)
    }
    let old = slots
    slots = next
    used = count
    current.store(next.word, ordering: .sequentiallyConsistent)
    epochs.retire { old.deallocate() }
  }

  @inline(__always)
  private static func hash(_ place: UInt64) -> Int {
    var mixed = place &* 0x9E37_79B9_7F4A_7C15
    mixed ^= mixed &>> 32
    return Int(truncatingIfNeeded: mixed & 0x7FFF_FFFF_FFFF_FFFF)
  }
}
