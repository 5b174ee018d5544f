import Foundation
import Synchronization

/// Bytes in shared 4 KiB pages, so that thousands of crash images of one file cost little more than what differs.
struct SimulatedBytes: Sendable {
  static let pageBytes = 4096

  private(set) var count = 0
  /// `nil` is a page of zeros. Bytes past `count` are zeros.
  private var pages: [Page?] = []

  private final class Page: @unchecked Sendable {
    /// Written only while one reference exists.
    let bytes = UnsafeMutableRawPointer.allocate(byteCount: SimulatedBytes.pageBytes, alignment: 16)
    /// 0 is "not computed".
    let hash = Atomic<UInt64>(0)

    init() { memset(bytes, 0, SimulatedBytes.pageBytes) }

    init(copying page: Page) { memcpy(bytes, page.bytes, SimulatedBytes.pageBytes) }

    deinit { bytes.deallocate() }
  }

  init() {}

  init(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { write($0, at: 0) }
  }

  var array: [UInt8] {
    var result = [UInt8](repeating: 0, count: count)
    _ = result.withUnsafeMutableBytes { read(into: $0, at: 0) }
    return result
  }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
    guard offset < count else { return 0 }
    let wanted = min(buffer.count, count - offset)
    SimulatedBytes.eachPage(offset..<offset + wanted) { page, range, done in
      if let source = pages[page] {
        memcpy(buffer.baseAddress! + done, source.bytes + range.lowerBound, range.count)
      } else {
        memset(buffer.baseAddress! + done, 0, range.count)
      }
    }
    return wanted
  }

  /// Grows as needed.
  mutating func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
    guard !bytes.isEmpty else { return }
    if offset + bytes.count > count { resize(to: offset + bytes.count) }
    SimulatedBytes.eachPage(offset..<offset + bytes.count) { page, range, done in
      memcpy(writablePage(page) + range.lowerBound, bytes.baseAddress! + done, range.count)
    }
  }

  /// Within `count` only.
  mutating func zero(_ range: Range<Int>) {
    let range = range.clamped(to: 0..<count)
    guard !range.isEmpty else { return }
    SimulatedBytes.eachPage(range) { page, part, _ in
      if part.count == SimulatedBytes.pageBytes {
        pages[page] = nil
      } else if pages[page] != nil {
        memset(writablePage(page) + part.lowerBound, 0, part.count)
      }
    }
  }

  /// What is cut off is gone: growing again gives zeros.
  mutating func resize(to newCount: Int) {
    if newCount < count { zero(newCount..<count) }
    let needed = (newCount + SimulatedBytes.pageBytes - 1) / SimulatedBytes.pageBytes
    if needed > pages.count {
      pages.append(contentsOf: repeatElement(nil, count: needed - pages.count))
    } else {
      pages.removeLast(pages.count - needed)
    }
    count = newCount
  }

  mutating func flipBit(_ bit: Int, at offset: Int) {
    precondition(offset < count && bit < 8, "There is no bit \(bit) at offset \(offset) of \(count) bytes")
    let page = writablePage(offset / SimulatedBytes.pageBytes) + offset % SimulatedBytes.pageBytes
    page.storeBytes(of: page.load(as: UInt8.self) ^ (1 << UInt8(bit)), as: UInt8.self)
  }

  /// Equal for equal bytes; different for different ones but for chances of 2^-64.
  var hash: UInt64 {
    var sum = SeededRandom.mix(UInt64(count) &+ 1)
    for (index, page) in pages.enumerated() {
      guard let page else { continue }
      var hash = page.hash.load(ordering: .relaxed)
      if hash == 0 {
        hash = SimulatedBytes.hash(of: UnsafeRawBufferPointer(start: page.bytes, count: SimulatedBytes.pageBytes))
        page.hash.store(hash, ordering: .relaxed)
      }
      // A page of zeros counts as none, however it came about.
      if hash != SimulatedBytes.zeroPageHash { sum &+= SeededRandom.mix(hash &+ UInt64(index)) }
    }
    return sum
  }

  private static let zeroPageHash = hash(of: [UInt8](repeating: 0, count: pageBytes))

  static func hash(of bytes: [UInt8]) -> UInt64 { bytes.withUnsafeBytes { hash(of: $0) } }

  static func hash(of bytes: UnsafeRawBufferPointer) -> UInt64 {
    var sum = UInt64(bytes.count) &+ 0x9E37_79B9_7F4A_7C15
    var offset = 0
    while offset &+ 8 <= bytes.count {
      sum = (sum ^ bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) &* 0x9FB2_1C65_1E98_DF25
      sum ^= sum >> 32
      offset &+= 8
    }
    while offset < bytes.count {
      sum = (sum ^ UInt64(bytes[offset])) &* 0x9FB2_1C65_1E98_DF25
      sum ^= sum >> 32
      offset &+= 1
    }
    return SeededRandom.mix(sum)
  }

  private mutating func writablePage(_ index: Int) -> UnsafeMutableRawPointer {
    if pages[index] == nil {
      pages[index] = Page()
    } else if !isKnownUniquelyReferenced(&pages[index]) {
      pages[index] = Page(copying: pages[index]!)
    }
    pages[index]!.hash.store(0, ordering: .relaxed)
    return pages[index]!.bytes
  }

  /// Calls `body` with each page that the range touches, the part inside the page, and the bytes before it.
  private static func eachPage(_ range: Range<Int>, _ body: (Int, Range<Int>, Int) -> Void) {
    var offset = range.lowerBound
    while offset < range.upperBound {
      let page = offset / pageBytes
      let end = min(range.upperBound, (page + 1) * pageBytes)
      body(page, offset - page * pageBytes..<end - page * pageBytes, offset - range.lowerBound)
      offset = end
    }
  }
}
