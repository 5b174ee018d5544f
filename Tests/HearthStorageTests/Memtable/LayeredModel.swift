import Foundation
import Testing

@testable import HearthStorage

/// A reproducible sequence of bits (SplitMix64).
struct SeededBits: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
  mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
}

/// Written apart from the engine's own comparison; `memcmp` keeps debug builds quick.
func < (left: [UInt8], right: [UInt8]) -> Bool {
  let order = memcmp(left, right, min(left.count, right.count))
  return order != 0 ? order < 0 : left.count < right.count
}

/// Layers as an engine keeps them, beside sorted dictionaries that say what they must show.
final class LayeredModel {
  struct Record: Equatable {
    var value: [UInt8]
    var version: UInt64
  }

  typealias Table = [[UInt8]: Record]

  /// Views that died, so that their numbers are no longer live.
  final class Registry: ViewRegistry, @unchecked Sendable {
    var deaths: [UInt64] = []
    func viewDied(number: UInt64) { deaths.append(number) }
  }

  struct Held {
    var view: View
    var tables: [Table]
  }

  struct Options {
    var leafSlots = 4
    var innerSlots = 4
    var keys = 600
    /// Percent of operations on a present key that remove it.
    var removePercent = 40
    var layersMax = 4
  }

  let options: Options
  var bits: SeededBits
  let registry = Registry()

  var tables: [Table] = [[:], [:], [:]]
  /// The last version that wrote or removed each key that ever was.
  var changes: [[[UInt8]: UInt64]] = [[:], [:], [:]]
  var stack: LayerStack
  var version: UInt64 = 0
  var number: UInt64 = 0
  var operations = 0
  var held: [Held] = []
  /// How many times each number is shown by a view.
  var liveViews: [UInt64: Int] = [:]
  private let universe: [[UInt8]]

  init(seed: UInt64, options: Options = Options()) {
    self.options = options
    bits = SeededBits(seed: seed)
    var universe: Set<[UInt8]> = [[]]
    // Few byte values and shared beginnings of several lengths: heads tie, keys are prefixes of others, zeros matter.
    let stems: [[UInt8]] = [
      [], [1], [1, 0], Array("collection/".utf8), Array("collection/documents/of/".utf8), [255, 255],
    ]
    while universe.count < options.keys {
      var key = stems[bits.below(stems.count)]
      for _ in 0..<bits.below(14) { key.append([0, 0, 1, 97, 98, 254, 255][bits.below(7)]) }
      universe.insert(key)
    }
    self.universe = universe.sorted(by: <)
    stack = LayerStack(top: LayerStack.Layer(memtable: Memtable(options), roots: Roots()))
  }

  func randomTree() -> TreeID { bits.chance(70) ? .documents : bits.chance(70) ? .indexes : .catalog }

  func randomKey() -> [UInt8] {
    // Stretches of neighbours, so that whole nodes fill and empty.
    bits.chance(50)
      ? universe[bits.below(universe.count)]
      : universe[(operations / 40 * 37 + bits.below(30)) % universe.count]
  }

  /// A bound, present as a key or not.
  func randomBound() -> [UInt8] {
    var key = universe[bits.below(universe.count)]
    if bits.chance(30) { key.append(0) }
    if bits.chance(20), !key.isEmpty { key.removeLast() }
    return key
  }

  func randomRange() -> KeyRange {
    let (first, second) = (randomBound(), randomBound())
    return KeyRange(
      lower: bits.chance(15) ? [] : first < second ? first : second,
      upper: bits.chance(15) ? nil : first < second ? second : first)
  }

  func randomValue() -> [UInt8] {
    (0..<bits.below(12)).map { _ in UInt8(truncatingIfNeeded: bits.next()) }
  }
}

extension Memtable {
  convenience init(_ options: LayeredModel.Options) {
    self.init(leafSlotsMax: options.leafSlots, innerSlotsMax: options.innerSlots)
  }

  /// As the form on raw bytes.
  func apply(
    _ kind: EntryKind, _ tree: TreeID = .documents, _ key: [UInt8], _ value: [UInt8] = [], oldSize: Int = 0,
    version: UInt64, number: UInt64, to roots: inout Roots
  ) throws(StorageError) {
    let held = (key + [0], value + [0])
    let result = held.0.withUnsafeBytes { key in
      held.1.withUnsafeBytes { value in
        Result<Void, StorageError> { () throws(StorageError) in
          try apply(
            kind, tree, key: UnsafeRawBufferPointer(rebasing: key.dropLast()),
            value: UnsafeRawBufferPointer(rebasing: value.dropLast()), oldSize: oldSize, version: version,
            number: number, to: &roots)
        }
      }
    }
    try result.get()
  }
}

// MARK: - Changing

extension LayeredModel {
  /// Applies a commit of some random operations, whose claims are right, to layers and tables.
  func commit() throws {
    version += UInt64(1 + bits.below(3))
    number += 1
    for _ in 0..<(1 + bits.below(10)) { try operate(randomTree(), randomKey()) }
  }

  func operate(_ tree: TreeID, _ key: [UInt8]) throws {
    operations += 1
    let place = Int(tree.rawValue)
    changes[place][key] = version
    guard let record = tables[place][key] else {
      let value = randomValue()
      tables[place][key] = Record(value: value, version: version)
      return try apply(.insert, tree, key, value, 0)
    }
    if bits.chance(options.removePercent) {
      tables[place][key] = nil
      try apply(.remove, tree, key, [], record.value.count)
    } else {
      let value = randomValue()
      tables[place][key] = Record(value: value, version: version)
      try apply(.replace, tree, key, value, record.value.count)
    }
  }

  private func apply(_ kind: EntryKind, _ tree: TreeID, _ key: [UInt8], _ value: [UInt8], _ oldSize: Int) throws {
    try stack.top.memtable.apply(
      kind, tree, key, value, oldSize: oldSize, version: version, number: number, to: &stack.top.roots)
  }

  func publish() {
    stack.top.memtable.published(number)
    for layer in stack.below { layer.memtable.published(number) }
  }

  /// Commits what is then forgotten, sometimes with a view that goes on reading it.
  func commitAndRollBack() throws {
    publish()
    let before = (tables, changes, stack.top.roots, number)
    for _ in 0..<(1 + bits.below(4)) {
      try commit()
      if bits.chance(30) { hold() }
    }
    stack.top.memtable.rollback(toNumber: before.3)
    (tables, changes) = (before.0, before.1)
    stack.top.roots = before.2
  }

  func freeze() {
    publish()
    stack.below.insert(stack.top, at: 0)
    stack.top = LayerStack.Layer(memtable: Memtable(options), roots: Roots())
  }

  /// Folds two neighbours of the frozen layers in steps.
  func fold() throws {
    guard stack.below.count >= 2 else { return }
    publish()
    let place = bits.below(stack.below.count - 1)
    let upper = stack.below[place]
    var lower = stack.below[place + 1]
    var fold = LayerFold(upper.memtable, upper.roots, into: lower.memtable)
    repeat { number += 1 } while try !fold.step(entriesMax: 1 + bits.below(50), number: number, to: &lower.roots)
    stack.below.replaceSubrange(place...(place + 1), with: [lower])
    publish()
  }

  func view() -> View {
    liveViews[number, default: 0] += 1
    return View(number: number, version: version, commitTime: 0, stack: stack, registry: registry)
  }

  func hold() { held.append(Held(view: view(), tables: tables)) }

  func reclaim() {
    publish()
    for number in registry.deaths {
      liveViews[number, default: 0] -= 1
      if liveViews[number] == 0 { liveViews[number] = nil }
    }
    registry.deaths = []
    let live = (Array(liveViews.keys) + [number]).sorted()
    stack.top.memtable.reclaim(live: live)
    for layer in stack.below { layer.memtable.reclaim(live: live) }
  }

  /// One random thing of all that may happen.
  func step() throws {
    switch bits.below(200) {
    case ..<176: try commit()
    case ..<182: try commitAndRollBack()
    case ..<183: if held.count < 6 { hold() }
    case ..<184:
      if !held.isEmpty {
        let gone = held.remove(at: bits.below(held.count))
        check(gone.view, gone.tables)
      }
    case ..<192: reclaim()
    case ..<194:
      if stack.layerCount < options.layersMax { freeze() } else { try fold() }
    default: checkChanges()
    }
  }
}

// MARK: - Checking

extension LayeredModel {
  /// Compares everything the view shows with the tables, in full and from random places.
  func check(_ view: View, _ tables: [Table], sourceLocation: SourceLocation = #_sourceLocation) {
    let probed = randomTree()
    for tree in TreeID.allCases {
      for layer in [view.stack.top] + view.stack.below { layer.memtable.checkInvariants(layer.roots[tree]) }
      let table = tables[Int(tree.rawValue)]
      let keys = table.keys.sorted(by: <)
      let whole = scan(view, tree, .everything, descending: false)
      #expect(whole.map(\.0) == keys, sourceLocation: sourceLocation)
      #expect(whole.map(\.1) == keys.map { table[$0]!.value }, sourceLocation: sourceLocation)
      if tree == probed {
        let range = randomRange()
        let low = keys.firstIndex { !($0 < range.lower) } ?? keys.count
        let high = max(low, range.upper.flatMap { upper in keys.firstIndex { !($0 < upper) } } ?? keys.count)
        let inside = Array(keys[low..<high])
        #expect(scan(view, tree, range, descending: false).map(\.0) == inside, sourceLocation: sourceLocation)
        #expect(scan(view, tree, range, descending: true).map(\.0) == inside.reversed(), sourceLocation: sourceLocation)
        #expect((try? view.count(tree, range)) == inside.count, sourceLocation: sourceLocation)
        for offset in [0, inside.count / 2, inside.count - 1, inside.count, bits.below(inside.count + 2)] {
          let entry = try? view.entry(at: offset, in: range, tree)
          let expected = inside.indices.contains(offset) ? inside[offset] : nil
          #expect(entry?.key == expected, sourceLocation: sourceLocation)
          #expect(entry?.value == expected.map { table[$0]!.value }, sourceLocation: sourceLocation)
        }
        walk(view, tree, range, inside, sourceLocation)
      }
      for _ in 0..<10 {
        let key = randomKey()
        let record = table[key]
        #expect((try? view.get(tree, key)) == record?.value, sourceLocation: sourceLocation)
        let state = try? view.state(tree, key)
        #expect(state?.isPresent == (record != nil), sourceLocation: sourceLocation)
        if let record {
          #expect(state?.version == record.version, sourceLocation: sourceLocation)
          #expect(state?.valueSize == record.value.count, sourceLocation: sourceLocation)
        }
      }
    }
  }

  private func scan(_ view: View, _ tree: TreeID, _ range: KeyRange, descending: Bool) -> [([UInt8], [UInt8])] {
    var entries: [([UInt8], [UInt8])] = []
    try? view.scan(tree, range, descending: descending) { key, value in
      entries.append((Array(key), Array(value)))
      return true
    }
    return entries
  }

  /// Seeks, steps and turns a cursor at random beside an index into the expected keys.
  private func walk(_ view: View, _ tree: TreeID, _ range: KeyRange, _ keys: [[UInt8]], _ source: SourceLocation) {
    let cursor = view.cursor(tree, range)
    var run = EntryRun()
    var gap = 0
    for _ in 0..<8 {
      switch bits.below(4) {
      case 0:
        let key = randomBound()
        cursor.seek(key)
        gap = keys.firstIndex { !($0 < key) } ?? keys.count
      case 1:
        let steps = 1 + bits.below(5)
        #expect(throws: Never.self) { try cursor.next(&run, entriesMax: steps) }
        #expect((0..<run.count).map { Array(run.key($0)) } == Array(keys[gap...].prefix(steps)), sourceLocation: source)
        gap += run.count
      case 2:
        let steps = 1 + bits.below(5)
        #expect(throws: Never.self) { try cursor.previous(&run, entriesMax: steps) }
        let expected = Array(keys[..<gap].suffix(steps).reversed())
        #expect((0..<run.count).map { Array(run.key($0)) } == expected, sourceLocation: source)
        gap -= run.count
      default:
        if bits.chance(50) {
          cursor.seekToEnd()
          gap = keys.count
        } else {
          cursor.seekToStart()
          gap = 0
        }
      }
    }
  }

  /// No change of a range may be missed.
  func checkChanges(rounds: Int = 10, isExact: Bool = false, sourceLocation: SourceLocation = #_sourceLocation) {
    for _ in 0..<rounds {
      let tree = randomTree()
      let range = randomRange()
      let after = version - UInt64(bits.below(Int(min(version, 200)) + 1))
      let history = changes[Int(tree.rawValue)]
      let truth = history.contains { key, changed in
        changed > after && !(key < range.lower) && range.upper.map { key < $0 } ?? true
      }
      let found = range.withKeyBytes { stack.hasChange(tree, from: $0, to: $1, after: after) }
      if truth || isExact { #expect(found == truth, sourceLocation: sourceLocation) }
    }
  }
}
