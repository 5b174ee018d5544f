import Foundation

@testable import HearthStorage
@testable import HearthTestSupport

typealias Bytes = [UInt8]

/// One change of a commit as the model keeps it.
struct ModelChange: Sendable {
  var tree: TreeID
  var key: Bytes
  /// `nil` removes the key.
  var value: Bytes?
  /// Where the engine writes the commit's version into the value.
  var stampOffset: Int?
}

/// What the three trees must hold at one moment: plain dictionaries, nothing shared with the engine.
struct ModelState: Equatable, Sendable {
  private var trees = [[Bytes: Bytes]](repeating: [:], count: TreeID.allCases.count)

  subscript(tree: TreeID) -> [Bytes: Bytes] { trees[Int(tree.rawValue)] }

  mutating func apply(_ changes: [ModelChange], version: UInt64) {
    for change in changes {
      var value = change.value
      if let offset = change.stampOffset, value != nil {
        for index in 0..<8 { value![offset + index] = UInt8(truncatingIfNeeded: version >> UInt64(56 - 8 * index)) }
      }
      trees[Int(change.tree.rawValue)][change.key] = value
    }
  }

  /// Equal for equal states; different for different ones but for chances of 2^-64.
  var hash: UInt64 {
    var sum: UInt64 = 0
    for (index, tree) in trees.enumerated() {
      for (key, value) in tree {
        sum &+= SeededRandom.mix(
          SimulatedBytes.hash(of: key) ^ SeededRandom.mix(SimulatedBytes.hash(of: value) &+ UInt64(index)))
      }
    }
    return sum
  }
}

extension ModelState {
  /// Compares a view entry by entry, its counts with a recount, and counts and ranks of random ranges.
  func verify(_ view: View, random: SeededRandom, ranges: Int = 1) throws {
    for tree in TreeID.allCases {
      let expected = self[tree]
      var keys: [Bytes] = []
      keys.reserveCapacity(expected.count)
      try view.scan(tree) { key, value in
        let key = [UInt8](key)
        guard let wanted = expected[key] else {
          throw SimulationFailure("\(tree) holds \(key), which nobody put there")
        }
        guard ModelState.isEqual(value, wanted) else {
          throw SimulationFailure("\(tree) \(key) holds \([UInt8](value).prefix(24)), not \(wanted.prefix(24))")
        }
        if let last = keys.last {
          try expect(ModelState.isBelow(last, key), "\(tree): \(key) comes after \(last)")
        }
        keys.append(key)
        return true
      }
      try expect(keys.count == expected.count, "\(tree) holds \(keys.count) entries, not \(expected.count)")
      let count = try view.count(tree)
      try expect(count == keys.count, "\(tree) counts \(count), a recount gives \(keys.count)")
      for _ in 0..<(keys.isEmpty ? 0 : ranges) { try verifyRange(view, tree, keys, random) }
    }
  }

  private func verifyRange(_ view: View, _ tree: TreeID, _ keys: [Bytes], _ random: SeededRandom) throws {
    let first = random.next(below: keys.count)
    let last = first + random.next(below: keys.count - first + 1)
    var lower = keys[first]
    var start = first
    if random.oneIn(3) {
      lower.append(0)
      start = min(first + 1, last)
    }
    let upper = last < keys.count ? keys[last] : nil
    let range = KeyRange(lower: lower, upper: upper)
    let count = try view.count(tree, range)
    try expect(count == last - start, "\(tree) counts \(count) in \(range), a recount gives \(last - start)")
    let offset = random.next(below: max(1, last - start + 1))
    let entry = try view.entry(at: offset, in: range, tree)
    let wanted = start + offset < last ? keys[start + offset] : nil
    try expect(entry?.key == wanted, "\(tree): entry \(offset) of \(range) is \(String(describing: entry?.key))")
    let key = keys[random.next(below: keys.count)]
    try expect(try view.get(tree, key) == self[tree][key], "\(tree): get of \(key) differs from the scan")
  }

  static func isEqual(_ bytes: UnsafeRawBufferPointer, _ other: Bytes) -> Bool {
    bytes.count == other.count
      && (bytes.isEmpty || other.withUnsafeBytes { memcmp(bytes.baseAddress!, $0.baseAddress!, bytes.count) } == 0)
  }

  static func isBelow(_ a: Bytes, _ b: Bytes) -> Bool {
    let order = a.withUnsafeBytes { a in
      b.withUnsafeBytes { b in
        let common = min(a.count, b.count)
        return common == 0 ? 0 : memcmp(a.baseAddress!, b.baseAddress!, common)
      }
    }
    return order != 0 ? order < 0 : a.count < b.count
  }
}
