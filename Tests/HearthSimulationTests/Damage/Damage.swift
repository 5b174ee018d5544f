import HearthTestSupport

@testable import HearthStorage

/// One damage to the files of a database, and which bytes differ after it.
struct Damage {
  /// The files after it.
  private(set) var files: [String: Bytes]
  private(set) var what: [String] = []
  /// By file, in order; of a file that is gone or is not one of the database's, everything.
  private(set) var changes: [String: [Range<Int>]] = [:]
  /// Files whose length differs, that are gone, or that are new.
  private(set) var reshaped: Set<String> = []

  /// One to three damages at random.
  init(_ sample: DamageSample, _ random: SeededRandom) {
    files = sample.files
    for _ in 0...(random.oneIn(3) ? 1 + random.next(below: 2) : 0) { strike(sample, random) }
    for name in Set(files.keys).union(sample.files.keys) { compare(name, sample.files[name], files[name]) }
  }

  var description: String { what.joined(separator: "; ") }

  func touches(_ piece: DamageSample.Piece) -> Bool {
    changes[piece.file]?.contains { $0.overlaps(piece.range) } ?? false
  }

  func touches(_ file: String) -> Bool { changes[file] != nil }

  /// Files that differ.
  var names: [String] { changes.keys.sorted() }

  // MARK: - Striking

  private mutating func strike(_ sample: DamageSample, _ random: SeededRandom) {
    let names = files.keys.sorted().filter { !(files[$0] ?? []).isEmpty }
    // Segments are many: each kind of file has its share.
    let folder = ["segments/", "segments/", "wal/", "SUPER"][random.next(below: 4)]
    let group = names.filter { $0.hasPrefix(folder) }
    guard let name = (group.isEmpty ? names : group).randomElement(random) else { return }
    let isSegment = name.hasPrefix("segments/")
    let length = files[name]!.count
    switch random.next(below: 20) {
    case 0..<6:
      let place = self.place(name, random)
      files[name]![place] ^= 1 << UInt8(random.next(below: 8))
      what.append("\(name): bit at \(place)")
    case 6..<8:
      let range = self.range(name, random)
      files[name]!.replaceSubrange(range, with: [UInt8](repeating: 0, count: range.count))
      what.append("\(name): zeros \(range)")
    case 8..<10:
      let range = self.range(name, random)
      files[name]!.replaceSubrange(range, with: random.bytes(range.count))
      what.append("\(name): garbage \(range)")
    case 10..<12:
      let end = random.oneIn(3) ? length - 1 - random.next(below: min(64, length)) : random.next(below: length)
      files[name]!.removeLast(length - max(0, end))
      what.append("\(name): cut to \(max(0, end)) of \(length)")
    case 12:
      files[name]! += random.oneIn(2) ? files[name]! : random.bytes(1 + random.next(below: 5000))
      what.append("\(name): longer by \(files[name]!.count - length)")
    case 13:
      files[name] = nil
      what.append("\(name): gone")
    case 14..<17 where isSegment: exchangeBlocks(sample, random)
    case 14..<16: exchangeSectors(name, random)
    default: exchangeFiles(name, names, random)
    }
  }

  /// Where something stands: most of a log file is zeros.
  private func place(_ name: String, _ random: SeededRandom) -> Int {
    let bytes = files[name]!
    let used = bytes.lastIndex { $0 != 0 } ?? 0
    let first = name.hasPrefix("segments/") && !random.oneIn(10) ? min(8192, used) : 0
    return first + random.next(below: used - first + 1)
  }

  private func range(_ name: String, _ random: SeededRandom) -> Range<Int> {
    let length = files[name]!.count
    let count = 1 + random.next(below: [8, 200, 5000, 40_000][random.next(below: 4)])
    var start = place(name, random)
    if random.oneIn(3) { start &= ~4095 }
    return start..<min(length, start + count)
  }

  /// One block over another, or both exchanged: each checks by itself, elsewhere.
  private mutating func exchangeBlocks(_ sample: DamageSample, _ random: SeededRandom) {
    let blocks = sample.live.sorted { ($0.file, $0.range.lowerBound) < ($1.file, $1.range.lowerBound) }
    guard let first = blocks.randomElement(random), let second = blocks.randomElement(random) else { return }
    let count = min(first.range.count, second.range.count)
    let from = first.range.lowerBound..<first.range.lowerBound + count
    let to = second.range.lowerBound..<second.range.lowerBound + count
    guard let source = files[first.file], let target = files[second.file], from.upperBound <= source.count,
      to.upperBound <= target.count
    else { return }
    let old = Bytes(target[to])
    files[second.file]!.replaceSubrange(to, with: source[from])
    if random.oneIn(2) { files[first.file]!.replaceSubrange(from, with: old) }
    what.append("block \(first.file) \(from.lowerBound) over \(second.file) \(to.lowerBound)")
  }

  private mutating func exchangeSectors(_ name: String, _ random: SeededRandom) {
    let count = files[name]!.count / 4096
    guard count > 1 else { return }
    let (first, second) = (random.next(below: count) * 4096, random.next(below: count) * 4096)
    let bytes = files[name]!
    files[name]!.replaceSubrange(second..<second + 4096, with: bytes[first..<first + 4096])
    if random.oneIn(2) { files[name]!.replaceSubrange(first..<first + 4096, with: bytes[second..<second + 4096]) }
    what.append("\(name): sector \(first) over \(second)")
  }

  private mutating func exchangeFiles(_ name: String, _ names: [String], _ random: SeededRandom) {
    let folder = name.prefix { $0 != "/" }
    let alike = names.filter { $0.hasPrefix(folder) && $0 != name }
    switch random.next(below: 3) {
    case 0:
      guard let other = alike.randomElement(random) else { return }
      (files[name], files[other]) = (files[other], files[name])
      what.append("\(name) and \(other) exchanged")
    case 1:
      guard let other = alike.randomElement(random) else { return }
      files[name] = files[other]
      what.append("\(other) in the place of \(name)")
    default:
      guard folder != "SUPER" else { return }
      let copy = folder == "wal" ? "wal/000900.wal" : "segments/000900.seg"
      files[copy] = files[name]
      what.append("\(name) there once more, as \(copy)")
    }
  }

  // MARK: - Comparing

  private mutating func compare(_ name: String, _ old: Bytes?, _ new: Bytes?) {
    guard old != new else { return }
    guard let old, let new else {
      changes[name] = [0..<Int.max]
      reshaped.insert(name)
      return
    }
    var ranges: [Range<Int>] = []
    let common = min(old.count, new.count)
    old.withUnsafeBytes { old in
      new.withUnsafeBytes { new in
        var start = 0
        while start < common {
          let end = min(start + 256, common)
          let a = UnsafeRawBufferPointer(rebasing: old[start..<end])
          let b = UnsafeRawBufferPointer(rebasing: new[start..<end])
          if !a.elementsEqual(b) {
            for index in a.indices where a[index] != b[index] {
              let place = start + index
              if let last = ranges.last, last.upperBound == place {
                ranges[ranges.count - 1] = last.lowerBound..<place + 1
              } else {
                ranges.append(place..<place + 1)
              }
            }
          }
          start = end
        }
      }
    }
    if old.count != new.count {
      ranges.append(common..<Int.max)
      reshaped.insert(name)
    }
    changes[name] = ranges
  }
}

extension Collection where Index == Int {
  fileprivate func randomElement(_ random: SeededRandom) -> Element? {
    isEmpty ? nil : self[startIndex + random.next(below: count)]
  }
}
