import HearthTestSupport
import Testing

@testable import HearthStorage

/// Trees on disk under layers, as an engine keeps them, beside dictionaries that say what they must show.
final class MergedModel {
  typealias Table = [[UInt8]: [UInt8]]

  /// What one merge did.
  struct Merged {
    var killed: [BlockReference]
    /// Pages and blobs that it wrote.
    var written: [SegmentBlock]
    var rewritesAll: Bool
    /// The keys that may have changed, by tree.
    var changed: [Set<[UInt8]>]
    var before: TreeSnapshot?
    /// Numbers from here on are of new segments.
    var firstSegment: UInt64
  }

  let random: SeededRandom
  let sizing: PageSizing
  let directory: SegmentDirectory
  let cache: PageCache
  private(set) var tables: [Table] = [[:], [:], [:]]
  private(set) var layers: [LayerStack.Layer] = [LayerStack.Layer(memtable: Memtable(), roots: Roots())]
  private(set) var checkpoint: Checkpoint?
  private(set) var usages: [UInt64: SegmentUsage] = [:]
  private(set) var snapshot: TreeSnapshot?
  private var changed: [Set<[UInt8]>] = [[], [], []]
  private var number: UInt64 = 1
  private var checkpointNumber: UInt64 = 1
  private let stems: [[UInt8]]

  init(seed: UInt64, pageBytes: Int, cacheBytes: Int = 1 << 20) throws {
    random = SeededRandom(seed: seed)
    sizing = PageSizing(targetBytes: pageBytes)
    directory = try SegmentSamples.directory()
    cache = PageCache(budgetBytes: cacheBytes, epochs: EpochDomain())
    // Beginnings of several lengths: keys share much, are prefixes of others, and zeros matter.
    stems = [
      [], [0], [1], [1, 0], Array("collection/".utf8), Array("collection/documents/of/".utf8), [255, 255],
      [UInt8](repeating: 7, count: 300), [UInt8](repeating: 7, count: 299) + [8], random.bytes(2000),
    ]
  }

  // MARK: - Changing

  func table(_ tree: TreeID) -> Table { tables[Int(tree.rawValue)] }

  func keys(_ tree: TreeID) -> [[UInt8]] { table(tree).keys.sorted(by: <) }

  /// Writes, or with `nil` removes, if the key is there.
  func set(_ tree: TreeID, _ key: [UInt8], _ value: [UInt8]?) throws {
    let place = Int(tree.rawValue)
    let old = tables[place][key]
    guard old != nil || value != nil else { return }
    let kind: EntryKind = old == nil ? .insert : value == nil ? .remove : .replace
    try layers[0].memtable.apply(
      kind, tree, key, value ?? [], oldSize: old?.count ?? 0, version: number, number: number, to: &layers[0].roots)
    tables[place][key] = value
    changed[place].insert(key)
  }

  func freeze() {
    layers[0].memtable.published(number)
    number += 1
    layers.insert(LayerStack.Layer(memtable: Memtable(), roots: Roots()), at: 0)
  }

  func randomTree() -> TreeID { random.oneIn(3) ? TreeID.allCases[random.next(below: 3)] : .documents }

  func randomKey() -> [UInt8] {
    let stem = random.oneIn(40) ? stems.count - 1 : random.next(below: stems.count - 1)
    return stems[stem] + (0..<random.next(below: 7)).map { _ in [0, 1, 97, 98, 254, 255][random.next(below: 6)] }
  }

  func randomValue() -> [UInt8] {
    let size =
      switch random.next(below: 100) {
      case 0: [PageFormat.valueBytesMax, PageFormat.valueBytesMax + 1, 200_000][random.next(below: 3)]
      case 1...2: random.next(below: 9000)
      case 3...20: 0
      default: random.next(below: 60)
      }
    // Only some of what is long can be compressed.
    return random.oneIn(2) ? [UInt8](repeating: UInt8(random.next(below: 256)), count: size) : random.bytes(size)
  }

  /// One of all the ways in which a tree can change.
  func changeAtRandom() throws {
    let tree = randomTree()
    let keys = keys(tree)
    switch random.next(below: 12) {
    case 0: return
    case 1: for key in keys { try set(tree, key, nil) }
    case 2...3:
      guard !keys.isEmpty else { return }
      let first = random.next(below: keys.count)
      for key in keys[first...].prefix(1 + random.next(below: keys.count)) { try set(tree, key, nil) }
    case 4...5:
      let stem = randomKey()
      for index in 0..<random.next(below: 300) {
        try set(tree, stem + [UInt8(index / 256), UInt8(index % 256)], randomValue())
      }
    case 6: try set(tree, randomKey(), randomValue())
    case 7: if let key = random.pick(keys) { try set(tree, key, nil) }
    case 8:
      for key in keys where random.oneIn(2) { try set(tree, key, nil) }
    default:
      for _ in 0..<random.next(below: 200) {
        let key = random.oneIn(3) ? random.pick(keys) ?? randomKey() : randomKey()
        try set(tree, key, random.oneIn(3) ? nil : randomValue())
      }
    }
  }

  // MARK: - Merging

  /// Puts everything into a new checkpoint and, as an engine does, removes the segments that are no longer in use.
  func merge(rewritesAll: Bool = false) throws -> Merged {
    freeze()
    checkpointNumber += 1
    let before = snapshot
    let firstSegment = checkpoint?.record.nextSegment ?? 1
    let roller = SegmentRoller(
      directory, lineage: SegmentSamples.lineage, checkpoint: checkpointNumber, nextSegment: firstSegment,
      segmentBytes: 128 << 10)
    let stack = LayerStack(top: layers[0], below: Array(layers[1...]), snapshot: before)
    let merge = StateMerge(stack, into: roller, sizing: sizing, rewritesAll: rewritesAll)
    while try !merge.step() {}
    let written = roller.writers.flatMap(\.blocks)
    let result = try CheckpointWriter(
      directory: directory, lineage: SegmentSamples.lineage, number: checkpointNumber, previous: checkpoint,
      usages: usages
    ).write(
      roller, roots: merge.result.roots, killed: merge.result.killed, growth: merge.result.growth,
      commitVersion: number, commitTime: 1, log: .init(position: 0, generation: 1, chain: 0))
    usages = result.usages
    try take(result.checkpoint)
    merge.warm()
    defer { changed = [[], [], []] }
    return Merged(
      killed: merge.result.killed, written: written, rewritesAll: rewritesAll, changed: changed,
      before: before, firstSegment: firstSegment)
  }

  private func take(_ written: Checkpoint) throws {
    var checkpoint = written
    if random.oneIn(2) {
      var open = SegmentSet()
      checkpoint = try Checkpoint(Superblock(written), directory, open: &open).unwrapped()
      #expect(checkpoint.record == written.record)
      #expect(try checkpoint.readUsage() == usages)
    }
    let needed = checkpoint.segmentNumbers
    for name in try directory.fileSystem.contents(ofDirectory: directory.path) {
      let segment = try SegmentDirectory.number(of: name).unwrapped()
      if !needed.contains(segment) { try directory.fileSystem.remove(directory.filePath(segment)) }
    }
    self.checkpoint = checkpoint
    snapshot = TreeSnapshot(
      commitVersion: checkpoint.record.commitVersion, roots: checkpoint.record.roots, segments: checkpoint.segments,
      cache: cache)
    layers = [LayerStack.Layer(memtable: Memtable(), roots: Roots())]
  }

  // MARK: - Checking

  var view: View {
    View(
      number: number, version: number, commitTime: 1,
      stack: LayerStack(top: layers[0], below: Array(layers[1...]), snapshot: snapshot), registry: nil)
  }

  /// Compares all that a view can say with the tables.
  func check() throws {
    let view = view
    for tree in TreeID.allCases {
      let table = table(tree)
      let keys = keys(tree)
      for descending in [false, true] {
        var rest = (descending ? keys.reversed() : keys)[...]
        try view.scan(tree, descending: descending) { key, value in
          let expected = rest.popFirst()
          let isRight = expected.map { key.elementsEqual($0) && value.isEqual(to: table[$0] ?? []) } ?? false
          if !isRight { Issue.record("\(tree): an entry of key \(Array(key)) instead of \(expected ?? [])") }
          return isRight
        }
        #expect(rest.isEmpty, "\(tree): \(rest.count) of \(keys.count) keys are not there")
      }
      #expect(try view.count(tree) == keys.count)
      for _ in 0..<10 {
        let range = randomRange(keys)
        let (low, high) = bounds(range, in: keys)
        #expect(try view.count(tree, range) == high - low)
        let offset = random.next(below: high - low + 2)
        let expected = low + offset < high ? keys[low + offset] : nil
        let entry = try view.entry(at: offset, in: range, tree)
        #expect(entry?.key == expected)
        #expect(entry?.value == expected.flatMap { table[$0] })
      }
      for _ in 0..<30 {
        let key = random.oneIn(2) && !keys.isEmpty ? keys[random.next(below: keys.count)] : randomKey()
        let value = try view.get(tree, key)
        #expect(value == table[key])
        #expect(try view.valueSize(tree, key) == table[key]?.count)
      }
    }
  }

  func randomBound(_ keys: [[UInt8]]) -> [UInt8] {
    var key = random.oneIn(3) || keys.isEmpty ? randomKey() : keys[random.next(below: keys.count)]
    if random.oneIn(4) { key.append(0) }
    if random.oneIn(4), !key.isEmpty { key.removeLast() }
    return key
  }

  func randomRange(_ keys: [[UInt8]]) -> KeyRange {
    let (first, second) = (randomBound(keys), randomBound(keys))
    return KeyRange(
      lower: random.oneIn(6) ? [] : first < second ? first : second,
      upper: random.oneIn(6) ? nil : first < second ? second : first)
  }

  /// The range's keys are those from the first number up to the second.
  func bounds(_ range: KeyRange, in keys: [[UInt8]]) -> (low: Int, high: Int) {
    let low = keys.partitionPoint { $0 < range.lower }
    return (low, max(low, range.upper.map { upper in keys.partitionPoint { $0 < upper } } ?? keys.count))
  }

  /// Checks the checkpoint itself, its usage counted anew.
  func checkFiles() throws {
    guard let checkpoint else { return }
    let record = checkpoint.record
    let sizes = tables.map { $0.reduce(0) { $0 + $1.key.count + $1.value.count } }
    #expect(record.stateBytes == sizes.reduce(0, +))
    #expect(record.entryCounts == tables.map { UInt64($0.count) })
    var written = record
    // As it stands in its block, where it can't know the length of its own segment.
    if let own = written.segments.firstIndex(where: { $0.segment == checkpoint.reference.place.segment }) {
      written.segments[own].fileBytes = 0
    }
    let (readers, failures) = CheckpointCheck.open(written, directory)
    let report = TreeCheck(written, at: checkpoint.reference, readers, failures: failures, depth: .full).run()
    #expect(report.isComplete)
    for tree in TreeID.allCases { _ = try snapshot?.leaves(tree) }
    #expect(report.findings.isEmpty, "\(report.findings.items.prefix(5).map(\.description))")
  }
}

extension SeededRandom {
  fileprivate func pick(_ keys: [[UInt8]]) -> [UInt8]? { keys.isEmpty ? nil : keys[next(below: keys.count)] }
}

extension UnsafeRawBufferPointer {
  fileprivate func isEqual(to bytes: [UInt8]) -> Bool { count == bytes.count && [UInt8](self) == bytes }
}

extension [[UInt8]] {
  /// How many come before the first that is not `isBelow`.
  func partitionPoint(_ isBelow: ([UInt8]) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isBelow(self[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// A leaf of a tree: its block and the keys it is responsible for.
struct LeafPlace {
  var block: BlockReference
  var lower: [UInt8]
  var upper: [UInt8]?
}

extension TreeSnapshot {
  /// In key order.
  func leaves(_ tree: TreeID) throws -> [LeafPlace] {
    guard let root = root(tree) else { return [] }
    var leaves: [LeafPlace] = []
    func descend(_ page: PageReader, upper: [UInt8]?) throws {
      // Only the last page of a level may be so small.
      #expect(page.count > 1 || upper == nil, "an only child of level \(page.level - 1)")
      for index in 0..<page.count {
        let upper = index + 1 < page.count ? page.lowerFence(ofChild: index + 1).bytes : upper
        if page.level == 1 {
          leaves.append(
            LeafPlace(block: page.child(index).base, lower: page.lowerFence(ofChild: index).bytes, upper: upper))
        } else {
          try descend(try child(index, of: page, tree), upper: upper)
        }
      }
    }
    try withPin {
      let page = try rootPage(root, tree)
      if page.isLeaf {
        leaves = [LeafPlace(block: root.child.base, lower: [], upper: nil)]
      } else {
        try descend(page, upper: nil)
      }
    }
    return leaves
  }
}
