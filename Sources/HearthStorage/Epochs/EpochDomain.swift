import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Lets readers follow pointers without counting references: what a writer has taken out of a structure is freed only
/// when no reader can be looking at it any more.
///
/// A reader *pins* the domain for one synchronous call. A writer makes something unreachable, *retires* it, and goes on;
/// the domain frees it once every pin that was there then has gone. Nothing that was reached under a pin may leave it.
///
/// All accesses that order readers against writers are sequentially consistent, and so must be the store that makes
/// something unreachable and the load by which a reader reaches it: a reader that announced itself after the domain had
/// looked at its slot then loads what the writer left, not what it took out. Orderings are on the operations and not in
/// fences, which ThreadSanitizer does not understand.
///
/// Threading: any thread. A pin is given back on the thread that took it.
final class EpochDomain: @unchecked Sendable {
  /// A place where one reader announces its epoch; 0 while nobody does.
  struct Pin: Equatable {
    /// Below 0 when all slots were taken.
    fileprivate let slot: Int
    fileprivate var overflow: UInt64 = 0
  }

  private struct Retired {
    var epoch: UInt64
    var free: () -> Void
  }

  /// Pins at a time without a lock. Who finds all taken is noted in a list; waiting for one would lock up those that pin
  /// inside of a pin.
  static let slotCount = 64
  /// Two cache lines, since processors fetch them in pairs.
  private static let slotStride = 128
  /// So many wait at most before a retirement looks for what can go.
  private static let collectAt = 64

  private let slots = UnsafeMutableRawPointer.allocate(byteCount: slotCount * slotStride, alignment: slotStride)
  private let epoch = Atomic<UInt64>(1)
  private let lock = Lock()
  /// In order of their epochs. Under `lock`.
  private var retired: [Retired] = []
  /// Epochs of pins that found no slot. Under `lock`.
  private var overflow: [UInt64] = []

  init() {
    for index in 0..<Self.slotCount { slot(index).initialize(to: Atomic(0)) }
  }

  /// Nobody may be pinned.
  deinit {
    for item in retired { item.free() }
    slots.deallocate()
  }

  /// Calls `body` with the domain pinned. What it reaches stays alive until it returns, and no longer.
  @inline(__always)
  func withPin<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
    let pin = pin()
    defer { unpin(pin) }
    return try body()
  }

  @inline(__always)
  func pin() -> Pin {
    // A thread that comes back finds its own slot free and in its cache.
    var index = Self.hint()
    for _ in 0..<Self.slotCount {
      let now = epoch.load(ordering: .sequentiallyConsistent)
      if slot(index).pointee.compareExchange(expected: 0, desired: now, ordering: .sequentiallyConsistent).exchanged {
        return Pin(slot: index)
      }
      index = (index + 1) % Self.slotCount
    }
    return pinWithoutSlot()
  }

  @inline(never)
  private func pinWithoutSlot() -> Pin {
    lock.withLock {
      let now = epoch.load(ordering: .sequentiallyConsistent)
      overflow.append(now)
      return Pin(slot: -1, overflow: now)
    }
  }

  @inline(__always)
  func unpin(_ pin: Pin) {
    if pin.slot < 0 {
      lock.withLock { if let index = overflow.firstIndex(of: pin.overflow) { overflow.remove(at: index) } }
      return
    }
    slot(pin.slot).pointee.store(0, ordering: .releasing)
  }

  /// Frees something, later: it can't be reached any more by who pins from now on.
  ///
  /// - Parameter free: Called once, on whichever thread retires or collects when the time has come; without any lock.
  func retire(_ free: @escaping () -> Void) {
    let count = lock.withLock {
      // The epoch goes on with each retirement, so that a later pin doesn't hold what was retired before it.
      let old = epoch.wrappingAdd(1, ordering: .sequentiallyConsistent).oldValue
      retired.append(Retired(epoch: old, free: free))
      return retired.count
    }
    if count >= Self.collectAt { collect() }
  }

  /// Frees what no pin can be looking at.
  /// - Returns: How much was freed.
  @discardableResult
  func collect() -> Int {
    let gone = lock.withLock { () -> ArraySlice<Retired> in
      var oldest = overflow.min() ?? .max
      for index in 0..<Self.slotCount {
        let pinned = slot(index).pointee.load(ordering: .sequentiallyConsistent)
        if pinned != 0 { oldest = min(oldest, pinned) }
      }
      let end = retired.firstIndex { $0.epoch >= oldest } ?? retired.count
      defer { retired.removeFirst(end) }
      return retired[..<end]
    }
    for item in gone { item.free() }
    return gone.count
  }

  /// What was retired and is not freed yet.
  var waiting: Int { lock.withLock { retired.count } }

  @inline(__always)
  private func slot(_ index: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
    (slots + index * Self.slotStride).assumingMemoryBound(to: Atomic<UInt64>.self)
  }

  /// Where a thread looks first: its descriptor's address, mixed.
  @inline(__always)
  private static func hint() -> Int {
    #if canImport(Darwin)
    let address = UInt(bitPattern: pthread_self())
    #else
    let address = UInt(pthread_self())
    #endif
    return Int((address &>> 12 &* 0x9E37_79B9_7F4A_7C15) &>> 58)
  }
}
