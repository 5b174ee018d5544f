#if canImport(Glibc)
import Glibc
#endif

/// Memory of page frames, in regions of a huge page each.
///
/// Reads touch frames at random, and with ordinary pages nearly each touch also misses the TLB. A region is aligned to a
/// huge page and asks for one; where the system has none, nothing else changes. Frames take the first gap that is long
/// enough, in units of 1 KiB, so that pages of all sizes share regions; one that is empty goes back to the system.
///
/// Threading: any thread.
final class FrameArena: @unchecked Sendable {
  static let unitBytes = 1 << 10
  static let regionBytes = 2 << 20
  /// Beyond this a frame has memory of its own. No page is as long (`PageFormat.byteCountMax`).
  static let unitsMax = 192

  private let lock = Lock()
  /// Gaps are taken from the first that has one, so that the last ones get empty. Under `lock`.
  private var regions: [Region] = []

  /// Every frame has been given back.
  deinit { for region in regions { region.deallocate() } }

  /// A frame with uninitialised bytes; its maker fills them before anyone else sees them.
  func allocate(_ byteCount: Int, place: UInt64) -> PageFrame {
    let units = (PageFrame.headerBytes + byteCount + Self.unitBytes - 1) / Self.unitBytes
    guard units <= Self.unitsMax else { return PageFrame.allocate(byteCount, place: place) }
    let start = lock.withLock { () -> UnsafeMutableRawPointer in
      for region in regions { if let start = region.take(units) { return start } }
      // The first one is all that a small database needs; it takes what it touches and no huge page.
      let region = Region.allocate(isHuge: !regions.isEmpty)
      regions.append(region)
      return region.take(units).unsafelyUnwrapped
    }
    return PageFrame(initializing: start, byteCount, place: place, units: units)
  }

  /// Takes a frame back that nobody can see any more.
  func free(_ frame: PageFrame) {
    let units = frame.units
    guard units > 0 else { return frame.deallocate() }
    frame.poison()
    lock.withLock {
      let region = Region(holding: frame.word)
      region.give(frame.word, units)
      guard region.isEmpty, regions.count > 1, let index = regions.firstIndex(of: region) else { return }
      regions.remove(at: index)
      region.deallocate()
    }
  }

  /// What the regions take from the system.
  var regionBytes: Int { lock.withLock { regions.count * Self.regionBytes } }
}

/// One huge page: the first unit tells by a bit for each unit which of them are free.
private struct Region: Equatable {
  private let start: UnsafeMutableRawPointer

  private static let wordCount = FrameArena.regionBytes / FrameArena.unitBytes / 64

  private var words: UnsafeMutablePointer<UInt64> { start.assumingMemoryBound(to: UInt64.self) }

  /// Behind the bits: no gap is known to be as long as this.
  private var gapBound: UnsafeMutablePointer<Int> {
    (start + Self.wordCount * 8).assumingMemoryBound(to: Int.self)
  }

  private var freeUnits: UnsafeMutablePointer<Int> { gapBound + 1 }

  static func allocate(isHuge: Bool) -> Region {
    let bytes = FrameArena.regionBytes
    let region = Region(start: .allocate(byteCount: bytes, alignment: bytes))
    #if os(Linux)
    if isHuge { _ = madvise(region.start, bytes, MADV_HUGEPAGE) }
    #endif
    region.words.initialize(repeating: .max, count: wordCount)
    region.gapBound.initialize(to: .max)
    region.freeUnits.initialize(to: wordCount * 64)
    region.mark(0, 1, isFree: false)
    return region
  }

  private init(start: UnsafeMutableRawPointer) { self.start = start }

  init(holding address: UInt) {
    let start = UnsafeMutableRawPointer(bitPattern: address & ~UInt(FrameArena.regionBytes - 1))
    self.init(start: start.unsafelyUnwrapped)
  }

  func deallocate() { start.deallocate() }

  /// Whether it has its own unit alone.
  var isEmpty: Bool { freeUnits.pointee == Self.wordCount * 64 - 1 }

  func take(_ units: Int) -> UnsafeMutableRawPointer? {
    guard units < gapBound.pointee else { return nil }
    guard let first = gap(of: units) else {
      gapBound.pointee = units
      return nil
    }
    mark(first, units, isFree: false)
    return start + first * FrameArena.unitBytes
  }

  func give(_ address: UInt, _ units: Int) {
    mark(Int(address - UInt(bitPattern: start)) / FrameArena.unitBytes, units, isFree: true)
    gapBound.pointee = .max
  }

  private func mark(_ first: Int, _ units: Int, isFree: Bool) {
    for unit in first..<first + units {
      precondition((words[unit / 64] >> UInt64(unit % 64)) & 1 == (isFree ? 0 : 1), "a unit of a frame twice")
      words[unit / 64] ^= 1 << UInt64(unit % 64)
    }
    freeUnits.pointee += isFree ? units : -units
  }

  /// The first unit of the first gap of at least so many.
  private func gap(of units: Int) -> Int? {
    var (first, length) = (0, 0)
    for index in 0..<Self.wordCount {
      var (word, bit) = (words[index], 0)
      if word == 0 { length = 0 }
      while bit < 64, word != 0 {
        let taken = word.trailingZeroBitCount
        if taken > 0 { length = 0 }
        word >>= UInt64(taken)
        let free = (~word).trailingZeroBitCount
        if length == 0 { first = index * 64 + bit + taken }
        length += free
        if length >= units { return first }
        bit += taken + free
        word = free < 64 ? word >> UInt64(free) : 0
        if word == 0, bit < 64 { length = 0 }
      }
    }
    return nil
  }
}
