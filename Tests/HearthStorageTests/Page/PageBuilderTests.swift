import HearthTestSupport
import Testing

@testable import HearthStorage

/// Pages against the sorted array they were made of, by seed, across sizes and shapes of keys.
struct PageBuilderTests {
  static func probes(_ keys: [[UInt8]], _ shape: PageSamples.Shape, _ random: SeededRandom) -> [[UInt8]] {
    var probes: [[UInt8]] = [[], [0xFF], [UInt8](repeating: 0xFF, count: 50)]
    for _ in 0..<6 {
      probes.append(PageSamples.key(shape, random))
      let key = keys[random.next(below: keys.count)]
      probes += [key, key + [0], [UInt8](key.dropLast()), key.dropLast() + [0xFF]]
    }
    return probes
  }

  @Test func leavesHoldWhatWentInAndFindItAgain() throws {
    for seed in 1...1 as ClosedRange<UInt64> {
      for (number, sizing) in PageSamples.sizings.enumerated() {
        for shape in PageSamples.Shape.allCases {
          for values in PageSamples.Values.allCases {
            let random = SeededRandom(seed: seed * 1000 + UInt64(number))
            let count = shape == .huge || values == .large ? 24 : 200
            let entries = PageSamples.entries(shape, values, count: count, random)
            let name = "seed \(seed), \(sizing), \(shape), \(values)"
            let pages = try PageSamples.leaves(entries, sizing: sizing)
            try checkLeaves(pages, entries, shape, random, name)
          }
        }
      }
    }
  }

  func checkLeaves(
    _ pages: [PageSamples.Built], _ entries: [PageSamples.Entry], _ shape: PageSamples.Shape, _ random: SeededRandom,
    _ name: String
  ) throws {
    var rest = entries[...]
    var fence: [UInt8]? = []
    for built in pages {
      #expect(built.bytes.count <= PageFormat.byteCountMax, "\(name)")
      try PageSamples.read(built.bytes) { page in
        let own = [PageSamples.Entry](rest.prefix(page.count))
        #expect(PageSamples.entries(page) == own, "\(name)")
        #expect(built.entryCount == own.count && page.entryCount == own.count && page.isLeaf)
        #expect(built.hasBlobs == own.contains { $0.isBlob } && page.hasBlobs == built.hasBlobs)
        #expect(PageSamples.isSame(page.lowerFence.bytes, fence ?? [1]), "\(name)")
        #expect(PageSamples.isSame(built.lower, fence ?? [1]), "\(name)")
        rest = rest.dropFirst(own.count)
        fence = page.upperFence?.bytes
        if let next = rest.first, let last = own.last {
          let shared = last.key.withKeyBytes { last in next.key.withKeyBytes { last.commonPrefix(with: $0) } }
          #expect(PageSamples.isSame(fence ?? [], [UInt8](next.key[...shared])), "\(name)")
        }
        let keys = own.map(\.key)
        for probe in Self.probes(keys, shape, random) {
          let expected = keys.firstIndex { !PageSamples.isBelow($0, probe) } ?? keys.count
          let isFound = expected < keys.count && PageSamples.isSame(keys[expected], probe)
          probe.withKeyBytes { probe in
            #expect(page.lowerBound(probe) == expected, "\(name), \(probe.hex)")
            #expect(page.find(probe) == (isFound ? expected : nil), "\(name), \(probe.hex)")
          }
        }
      }
    }
    #expect(rest.isEmpty && fence == nil, "\(name)")
  }

  @Test func innerPagesRouteKeysAndRanks() throws {
    for seed in 1...2 as ClosedRange<UInt64> {
      for (number, sizing) in PageSamples.sizings.enumerated() {
        for shape in PageSamples.Shape.allCases {
          let random = SeededRandom(seed: seed * 100 + UInt64(number))
          let level = UInt8(1 + random.next(below: 2))
          let name = "seed \(seed), \(sizing), \(shape)"
          let keys = PageSamples.entries(shape, .empty, count: shape == .huge ? 24 : 500, random).map(\.key)
          var separators = keys
          separators[0] = []
          let children = PageSamples.children(separators, level: level, random)
          let pages = try PageSamples.inner(children, level: level, sizing: sizing)
          #expect(pages.count < children.count, "\(name)")
          try checkInner(pages, children, shape, random, name)
        }
      }
    }
  }

  func checkInner(
    _ pages: [PageSamples.Built], _ children: [PageSamples.Child], _ shape: PageSamples.Shape, _ random: SeededRandom,
    _ name: String
  ) throws {
    var rest = children[...]
    for built in pages {
      #expect(built.bytes.count <= PageFormat.byteCountMax, "\(name)")
      try PageSamples.read(built.bytes) { page in
        let own = [PageSamples.Child](rest.prefix(page.count))
        rest = rest.dropFirst(own.count)
        #expect(own.count > 1 || children.count == 1, "\(name)")
        #expect((0..<page.count).map { page.child($0) } == own.map(\.reference), "\(name)")
        let uppers = own.dropFirst().map(\.separator) + [rest.first?.separator]
        for index in 0..<page.count {
          let upper = page.upperFence(ofChild: index)?.bytes
          #expect(PageSamples.isSame(page.lowerFence(ofChild: index).bytes, own[index].separator), "\(name)")
          #expect(
            (upper == nil) == (uppers[index] == nil) && PageSamples.isSame(upper ?? [], uppers[index] ?? []), "\(name)")
        }
        #expect(PageSamples.isSame(page.lowerFence.bytes, own[0].separator), "\(name)")
        #expect(PageSamples.isSame(built.lower, own[0].separator), "\(name)")
        var before = 0
        for (index, child) in own.enumerated() {
          #expect(page.entriesBefore(child: index) == before)
          #expect(page.childIndex(ofEntry: before) == index)
          before += child.reference.entryCount
          #expect(page.childIndex(ofEntry: before - 1) == index)
        }
        #expect(page.entryCount == before && built.entryCount == before)
        for probe in Self.probes(own.map(\.separator), shape, random) {
          let expected = own.lastIndex { !PageSamples.isBelow(probe, $0.separator) } ?? 0
          probe.withKeyBytes { #expect(page.childIndex($0) == expected, "\(name), \($0.hex)") }
        }
      }
    }
    #expect(rest.isEmpty, "\(name)")
  }

  @Test func pagesAreFilledAsAsked() throws {
    let random = SeededRandom(seed: 9)
    let entries = (0..<20_000).map {
      PageSamples.Entry(key: [UInt8]("users/\(10_000_000 + $0)".utf8), value: random.bytes(20 + $0 % 30))
    }
    for percent in [70, 95] {
      let pages = try PageSamples.leaves(entries, sizing: PageSizing(fillPercent: percent))
      let target = PageSizing().targetBytes
      for page in pages.dropLast(2) {
        #expect(((percent - 1) * target / 100...percent * target / 100 + 30).contains(page.bytes.count))
      }
      for page in pages { #expect(page.bytes.count >= PageSizing().joinBytes && page.bytes.count <= target) }
    }
  }

  @Test func aSmallLastPageIsJoinedOrTakesItsShare() throws {
    func entries(_ count: Int) -> [PageSamples.Entry] {
      (0..<count).map { PageSamples.Entry(key: [UInt8]("\(1000 + $0)".utf8), value: [UInt8](repeating: 1, count: 90)) }
    }
    // About 40 entries of 100 bytes fill a page of 4096 at 95 %, and a joined one may be full to the brim.
    let sizing = PageSizing(targetBytes: 4096)
    var divided = 0
    for count in 30...90 {
      let sizes = try PageSamples.leaves(entries(count), sizing: sizing).map(\.bytes.count)
      #expect(sizes.allSatisfy { $0 <= 4096 && ($0 >= sizing.joinBytes || sizes.count == 1) }, "\(count): \(sizes)")
      if sizes.count == 2, let small = sizes.min(), let large = sizes.max(), large - small < 200 { divided += 1 }
    }
    #expect(divided > 5)
  }

  @Test func aPageGrowsBeforeItHoldsFewerThanEight() throws {
    let entries = (0..<40).map {
      PageSamples.Entry(key: [UInt8($0)], value: [UInt8](repeating: 3, count: 9000))
    }
    let pages = try PageSamples.leaves(entries)
    #expect(pages.map(\.entryCount) == [8, 8, 8, 8, 8])
    let larger = entries.map { PageSamples.Entry(key: $0.key, value: $0.value + $0.value + $0.value) }
    let grown = try PageSamples.leaves(larger)
    #expect(grown.dropLast().allSatisfy { $0.entryCount == 4 && $0.bytes.count < 112 << 10 })
  }

  /// A page of thousands of nearly equal long keys must not depend on what comes after it.
  @Test func aPrefixIsNotLostToTheNextKey() throws {
    let prefix = [UInt8](repeating: 5, count: 8000)
    let entries =
      (0..<500).map { PageSamples.Entry(key: prefix + [UInt8($0 / 250), UInt8($0 % 250)], value: []) }
      + [PageSamples.Entry(key: [6], value: [])]
    let pages = try PageSamples.leaves(entries)
    #expect(pages.reduce(0) { $0 + $1.bytes.count } < 60_000)
    #expect(try PageSamples.read(pages[0].bytes) { $0.prefixLength } >= 8000)
  }

  @Test func whatCannotBeAddedIsRefusedAndTheRestStays() throws {
    let builder = PageBuilder(level: 0, lower: [5])
    var pages: [PageSamples.Built] = []
    let sink: PageBuilder.Sink = { (page) throws(StorageError) in pages.append(PageSamples.built(page)) }
    func add(_ key: [UInt8], _ value: [UInt8] = []) throws {
      try key.withKeyBytes { key in try value.withUnsafeBytes { try builder.append(key, $0, sink) } }
    }
    let limit = StorageLimits.keyBytesMax
    for attempt in 0..<2 {
      for key in [[4], [UInt8](repeating: 9, count: limit + 1)] + (attempt == 0 ? [] : [[5, 1], [5]]) as [[UInt8]] {
        let error = #expect(throws: StorageError.self) { try add(key) }
        #expect(error?.code == .invalidArgument)
      }
      let error = #expect(throws: StorageError.self) {
        try add([8], [UInt8](repeating: 0, count: PageFormat.valueBytesMax + 1))
      }
      #expect(error?.code == .invalidArgument)
      if attempt == 0 { try add([5, 1]) }
    }
    try add([UInt8](repeating: 9, count: limit), [UInt8](repeating: 1, count: PageFormat.valueBytesMax))
    try [10].withKeyBytes { try builder.finish(upper: $0, sink) }
    #expect(pages.map(\.lower) == [[5]])
    try PageSamples.read(pages[0].bytes) { page in
      #expect(PageSamples.entries(page).map(\.key.count) == [2, limit])
      #expect(page.upperFence?.bytes == [10])
    }
  }

  @Test func anErrorOfTheReceiverComesOut() throws {
    let builder = PageBuilder(level: 0)
    try [1].withKeyBytes { key in
      try builder.append(key, UnsafeRawBufferPointer(start: nil, count: 0)) { _ in }
    }
    let error = #expect(throws: StorageError.self) {
      try builder.finish { _ throws(StorageError) in throw StorageError(.resourceExhausted, "full") }
    }
    #expect(error?.code == .resourceExhausted)
  }

  @Test func noEntriesMakeNoPage() throws {
    #expect(try PageSamples.leaves([]).isEmpty)
  }

  @Test func theBytesOfPagesAreThoseOfTheGolden() throws {
    let leaf = try PageSamples.leaves(
      [
        .init(key: [UInt8]("users/ada".utf8), value: [1, 2, 3]), .init(key: [UInt8]("users/adam".utf8), value: []),
        .init(key: [UInt8]("users/bob".utf8), value: [4], isBlob: true),
      ], lower: [UInt8]("users/a".utf8), upper: [UInt8]("users/c".utf8))[0].bytes
    let children = [("", 100), ("users/ada", 20), ("users/bo", 3)].enumerated().map { index, child in
      PageSamples.Child(
        separator: [UInt8](child.0.utf8),
        reference: ChildReference(
          base: BlockReference(
            place: BlockPlace(segment: 7, unit: 128 + UInt32(index)), byteCount: 5000 + index, check: 0xAABB_CC00),
          entryCount: child.1, deadBytes: index * 16, hasBlobs: index == 1))
    }
    let inner = try PageSamples.inner(children)[0].bytes
    let header: [(String, Int)] = [
      ("byteCount", 4), ("count", 4), ("level", 1), ("flags", 1), ("prefixLength", 2), ("lowerLength", 2),
      ("upperLength", 2), ("entryCount", 8), ("filter", 20), ("lowerShared", 2), ("upperShared", 2), ("reserved", 16),
    ]
    func slots(_ count: Int) -> [(String, Int)] {
      (0..<count).flatMap { [("slot \($0): head", 4), ("offset", 4)] } + [("end: head", 4), ("offset", 4)]
    }
    let text =
      "A leaf of users/ada, users/adam, users/bob\n"
      + Golden.dump(
        leaf,
        header + [("prefix", 6), ("filled up", 2)] + slots(3) + [("lower fence", 1), ("upper fence", 1)]
          + [("length", 2), ("key, value", 6), ("length", 2), ("key", 4), ("length, blob", 2), ("key, value", 4)])
      + "\nAn inner page of three children, separators users/ada, users/bo\n"
      + Golden.dump(
        inner,
        header + [("prefix", 6), ("filled up", 2)] + slots(3) + (0..<4).map { ("entries before \($0)", 8) }
          + (0..<3).flatMap {
            [("child \($0): base", 20), ("delta", 20), ("deadBytes", 4), ("flags", 1), ("reserved", 3)]
          } + [("separator 1", 3), ("separator 2", 2)])
    #expect(try Golden.difference("page.txt", text) == nil)
  }
}
