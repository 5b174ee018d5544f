import HearthTestSupport
import Testing

@testable import HearthStorage

/// Pages that are not as they were built.
struct PageReaderTests {
  static func leaf() throws -> [UInt8] {
    let random = SeededRandom(seed: 3)
    let entries = PageSamples.entries(.longPrefixes, .small, count: 12, random).map {
      PageSamples.Entry(key: $0.key, value: $0.value)
    }
    return try PageSamples.leaves(entries, upper: [255])[0].bytes
  }

  static func inner() throws -> [UInt8] {
    let random = SeededRandom(seed: 4)
    let keys = PageSamples.entries(.nested, .empty, count: 9, random).map(\.key)
    return try PageSamples.inner(PageSamples.children([[]] + keys.dropFirst(), level: 1, random))[0].bytes
  }

  /// Reads all that a page which was taken says; every piece must lie inside it and in order.
  static func walk(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
    let page = try PageReader(validating: bytes)
    func isInside(_ part: UnsafeRawBufferPointer) -> Bool {
      guard let start = part.baseAddress, let base = bytes.baseAddress else { return part.isEmpty }
      return start >= base && start + part.count <= base + bytes.count
    }
    for key in [page.lowerFence, page.upperFence ?? page.lowerFence] {
      precondition(isInside(key.prefix.bytes) && isInside(key.suffix.bytes))
    }
    precondition(isInside(page.prefix.bytes))
    var last: [UInt8]?
    for index in 0..<page.count {
      let key: [UInt8]
      if page.isLeaf {
        precondition(isInside(page.suffix(index).bytes) && isInside(page.value(index)))
        key = page.key(index).bytes
        precondition(key.withKeyBytes { page.find($0) } == index)
      } else {
        precondition(isInside(page.separatorSuffix(index).bytes))
        key = page.lowerFence(ofChild: index).bytes
        precondition(key.withKeyBytes { page.childIndex($0) } == index)
        precondition(page.child(index).entryCount > 0 && page.entriesBefore(child: index) >= 0)
      }
      if let last { precondition(PageSamples.isBelow(last, key)) }
      last = key
    }
  }

  static func isTaken(_ bytes: [UInt8]) -> Bool {
    (try? bytes.withUnsafeBytes { try walk($0) }) != nil
  }

  /// In a process of its own, since nothing here may trap.
  @Test func everyByteChangedAndEveryCutGivesAPageOrAnError() async {
    await #expect(processExitsWith: .success) {
      for bytes in [try PageReaderTests.leaf(), try PageReaderTests.inner()] {
        guard PageReaderTests.isTaken(bytes) else { preconditionFailure("the page itself is refused") }
        for place in bytes.indices {
          for change in [1, 2, 4, 8, 16, 32, 64, 128, 0xFF] as [UInt8] {
            var damaged = bytes
            damaged[place] ^= change
            _ = PageReaderTests.isTaken(damaged)
          }
          if PageReaderTests.isTaken([UInt8](bytes[..<place])) { preconditionFailure("a cut page is taken") }
        }
        if PageReaderTests.isTaken(bytes + [0]) { preconditionFailure("a page with more behind it is taken") }
      }
    }
  }

  @Test func noForgedNumbersTrap() async {
    await #expect(processExitsWith: .success) {
      let random = SeededRandom(seed: 6)
      let numbers: [UInt32] = [0, 1, 7, 8, 63, 64, 0x7FFF, 0x8000, 0xFFFF, 1 << 17, .max - 7, .max - 1, .max, 1 << 31]
      for bytes in [try PageReaderTests.leaf(), try PageReaderTests.inner()] {
        for _ in 0..<15_000 {
          var forged = bytes
          for _ in 0...random.next(below: 3) {
            let number = random.oneIn(3) ? UInt32(random.next(below: bytes.count + 9)) : numbers[random.next(below: 14)]
            let length = [1, 2, 4][random.next(below: 3)]
            let end = random.oneIn(2) ? 64 : bytes.count
            let place = random.next(below: end - length)
            for index in 0..<length { forged[place + index] = UInt8(truncatingIfNeeded: number >> (8 * UInt32(index))) }
          }
          _ = PageReaderTests.isTaken(forged)
        }
      }
    }
  }

  @Test func whatAReaderReliesOnIsChecked() throws {
    let leaf = try Self.leaf()
    let inner = try Self.inner()
    typealias Change = (name: String, change: (inout [UInt8]) -> Void)
    func set(_ offset: Int, _ value: UInt32, _ length: Int = 4) -> (inout [UInt8]) -> Void {
      { bytes in
        for index in 0..<length { bytes[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * UInt32(index))) }
      }
    }
    let slots = try PageSamples.read(leaf) { $0.slots - $0.start }
    let second = try PageSamples.read(leaf) { $0.offset(1) }
    let changes: [Change] = [
      ("length", set(0, UInt32(leaf.count - 1))), ("no entries", set(4, 0)), ("too many", set(4, .max)),
      ("level", set(8, 32, 1)), ("a leaf that says it is inner", set(8, 1, 1)), ("flags", set(9, 4, 1)),
      ("blob flag", { $0[9] ^= 1 }), ("prefix", set(10, 16_385, 2)), ("longer prefix", { $0[10] += 8 }),
      ("lower fence", set(12, 16_385, 2)), ("upper fence", set(14, 0xFFFF, 2)), ("lower shared", set(44, 0xFFFF, 2)),
      ("upper shared", set(46, 0xFFFF, 2)),
      ("no upper fence", { $0[9] &= ~2 }), ("count", { $0[16] += 1 }), ("filter of a leaf", set(24, 5)),
      ("reserved", set(63, 1, 1)), ("head", { $0[slots] ^= 1 }), ("head of the end", { $0[slots + 8 * 12] ^= 1 }),
      ("offset", { $0[slots + 4] += 1 }), ("offset behind the end", set(slots + 12, .max)),
      ("offset before", set(slots + 12, 0)), ("length of a key", set(second, 0x7FFF, 2)),
      ("blob of a page without", { $0[second + 1] ^= 0x80 }),
    ]
    for (name, change) in changes {
      var bytes = leaf
      change(&bytes)
      let error = #expect(throws: StorageError.self, "\(name)") { try bytes.withUnsafeBytes { try Self.walk($0) } }
      #expect(error?.code == .corruption, "\(name)")
    }
    let (counts, references) = try PageSamples.read(inner) { page in
      let counts = page.slots - page.start + (page.count + 1) * 8
      return (counts, counts + (page.count + 1) * 8)
    }
    let innerChanges: [Change] = [
      ("first count", set(counts, 1)),
      ("equal counts", { $0[(counts + 8)..<(counts + 16)] = $0[counts..<(counts + 8)] }),
      ("total", { $0[16] ^= 1 }), ("a count of 2^63", set(counts + 12, 1 << 31)),
      ("no base", { for place in 0..<20 { $0[references + place] = 0 } }),
      ("dead bytes", set(references + 40, .max)), ("child flags", set(references + 44, 2, 1)),
      ("child reserved", set(references + 47, 1, 1)),
      ("half a delta", { for place in 20..<40 { $0[references + place] = place == 30 ? 1 : 0 } }),
      ("blobs of a leaf", { $0[9] |= 1 }), ("a leaf", set(8, 0, 1)),
    ]
    for (name, change) in innerChanges {
      var bytes = inner
      change(&bytes)
      let error = #expect(throws: StorageError.self, "\(name)") { try bytes.withUnsafeBytes { try Self.walk($0) } }
      #expect(error?.code == .corruption, "\(name)")
    }
  }

  @Test func keysOutOfOrderAndOutsideTheFencesAreDamage() throws {
    // Three entries of one byte each: the keys stand where they can be exchanged.
    let entries = [1, 2, 3].map { PageSamples.Entry(key: [$0], value: []) }
    let bytes = try PageSamples.leaves(entries, lower: [1], upper: [4])[0].bytes
    #expect(Self.isTaken(bytes))
    let (slots, fences) = try PageSamples.read(bytes) { page in
      (page.slots - page.start, page.lowerFence.suffix.start - page.start)
    }
    func changed(_ index: Int, key: UInt8) -> Bool {
      var copy = bytes
      copy[bytes.count - 3 * (3 - index) + 2] = key
      copy[slots + 8 * index + 3] = key
      return Self.isTaken(copy)
    }
    #expect(changed(1, key: 2))
    #expect(!changed(1, key: 1) && !changed(1, key: 3) && !changed(0, key: 0) && !changed(2, key: 4))
    var crossed = bytes
    crossed[fences] = 4
    crossed[fences + 1] = 1
    #expect(!Self.isTaken(crossed))
  }
}
