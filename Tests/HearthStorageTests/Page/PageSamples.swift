import HearthTestSupport

@testable import HearthStorage

/// Sorted entries of awkward shapes, and the pages made of them.
enum PageSamples {
  struct Entry: Equatable {
    var key: [UInt8]
    var value: [UInt8]
    var isBlob = false

    static func == (a: Entry, b: Entry) -> Bool {
      a.isBlob == b.isBlob && isSame(a.key, b.key) && isSame(a.value, b.value)
    }
  }

  // An array's own operators go byte by byte in debug builds, which takes minutes with keys of 16 KiB.

  static func isBelow(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    a.withKeyBytes { a in b.withKeyBytes { a.compare($0) < 0 } }
  }

  static func isSame(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    a.withKeyBytes { a in b.withKeyBytes { a.compare($0) == 0 } }
  }

  enum Shape: CaseIterable {
    /// The empty key and short ones, of few letters.
    case short
    /// Random bytes.
    case random
    /// Long common beginnings that change now and then.
    case longPrefixes
    /// Keys that are beginnings of one another, of zeros and others.
    case nested
    /// Keys up to the limit.
    case huge
  }

  enum Values: CaseIterable {
    case empty, small, mixed, large
  }

  static func entries(_ shape: Shape, _ values: Values, count: Int, _ random: SeededRandom) -> [Entry] {
    let keys = (0..<count).map { _ in key(shape, random) }.sorted { isBelow($0, $1) }
    var entries: [Entry] = []
    for key in keys where entries.last.map({ isBelow($0.key, key) }) ?? true {
      entries.append(Entry(key: key, value: value(values, random), isBlob: random.oneIn(9)))
    }
    return entries
  }

  static func key(_ shape: Shape, _ random: SeededRandom) -> [UInt8] {
    switch shape {
    case .short: return (0..<random.next(below: 4)).map { _ in [0, 1, 97, 255][random.next(below: 4)] }
    case .random: return random.bytes(random.next(below: 40))
    case .longPrefixes:
      let collection = random.next(below: 4)
      return [UInt8](repeating: 98, count: 20 * collection) + [UInt8("collection\(collection)/".utf8.count)]
        + [UInt8]("document\(random.next(below: 100_000))".utf8)
    case .nested: return [UInt8](repeating: [0, 0, 7][random.next(below: 3)], count: random.next(below: 300))
    case .huge:
      return [UInt8](repeating: UInt8(random.next(below: 2)), count: random.next(below: StorageLimits.keyBytesMax - 3))
        + random.bytes(random.next(below: 4))
    }
  }

  static func value(_ values: Values, _ random: SeededRandom) -> [UInt8] {
    switch values {
    case .empty: return []
    case .small: return random.bytes(8)
    case .mixed:
      return random.oneIn(30)
        ? [UInt8](repeating: 7, count: random.next(below: 20_000)) : random.bytes(random.next(below: 60))
    case .large:
      let count = random.oneIn(2) ? PageFormat.valueBytesMax : random.next(below: PageFormat.valueBytesMax)
      return [UInt8](repeating: UInt8(truncatingIfNeeded: random.next()), count: count)
    }
  }

  static let sizings = [
    PageSizing(targetBytes: 200, grownBytesMax: 4096, countMin: 2, fillPercent: 100),
    PageSizing(targetBytes: 1024, grownBytesMax: 16 << 10, fillPercent: 70),
    PageSizing(targetBytes: 4096), PageSizing(), PageSizing(fillPercent: 70), PageSizing(targetBytes: 128 << 10),
  ]

  struct Built {
    var bytes: [UInt8]
    var lower: [UInt8]
    var entryCount: Int
    var hasBlobs: Bool
    var level: UInt8
  }

  static func built(_ page: BuiltPage) -> Built {
    Built(
      bytes: [UInt8](page.bytes), lower: [UInt8](page.lower.bytes), entryCount: page.entryCount,
      hasBlobs: page.hasBlobs, level: page.level)
  }

  static func leaves(
    _ entries: [Entry], lower: [UInt8] = [], upper: [UInt8]? = nil, sizing: PageSizing = PageSizing()
  ) throws -> [Built] {
    var pages: [Built] = []
    let builder = PageBuilder(level: 0, lower: lower, sizing: sizing)
    let sink: PageBuilder.Sink = { (page) throws(StorageError) in pages.append(built(page)) }
    for entry in entries {
      try entry.key.withKeyBytes { key in
        try entry.value.withUnsafeBytes { try builder.append(key, $0, isBlob: entry.isBlob, sink) }
      }
    }
    if let upper { try upper.withKeyBytes { try builder.finish(upper: $0, sink) } } else { try builder.finish(sink) }
    return pages
  }

  struct Child: Equatable {
    var separator: [UInt8]
    var reference: ChildReference
  }

  static func children(_ separators: [[UInt8]], level: UInt8, _ random: SeededRandom) -> [Child] {
    separators.map { separator in
      func reference() -> BlockReference {
        BlockReference(
          place: BlockPlace(segment: 1 + random.next() >> 34, unit: UInt32(truncatingIfNeeded: random.next())),
          byteCount: 33 + random.next(below: 10_000), check: UInt32(truncatingIfNeeded: random.next()))
      }
      return Child(
        separator: separator,
        reference: ChildReference(
          base: reference(), delta: random.oneIn(3) ? reference() : nil, entryCount: 1 + random.next(below: 1000),
          deadBytes: level == 1 ? random.next(below: 4000) : 0, hasBlobs: level == 1 && random.oneIn(4)))
    }
  }

  static func inner(_ children: [Child], level: UInt8 = 1, sizing: PageSizing = PageSizing()) throws -> [Built] {
    var pages: [Built] = []
    let builder = PageBuilder(level: level, sizing: sizing)
    let sink: PageBuilder.Sink = { (page) throws(StorageError) in pages.append(built(page)) }
    for child in children { try child.separator.withKeyBytes { try builder.append($0, child.reference, sink) } }
    try builder.finish(sink)
    return pages
  }

  static func read<R>(_ bytes: [UInt8], _ body: (PageReader) throws -> R) throws -> R {
    try bytes.withUnsafeBytes { try body(PageReader(validating: $0)) }
  }

  /// Everything a leaf says.
  static func entries(_ page: PageReader) -> [Entry] {
    (0..<page.count).map {
      Entry(key: page.key($0).bytes, value: [UInt8](page.value($0)), isBlob: page.isBlob($0))
    }
  }
}
