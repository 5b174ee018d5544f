import HearthStorage

/// What a power cut at one moment could leave: the durable bytes and every operation that may or may not have reached
/// the disk.
///
/// The unit of loss is an *atom*: one sector of one write, one change of a size, one operation on folders. Atoms are
/// grouped into *operations*: the calls that made them. Any set of kept atoms gives an image.
package struct SimulatedCrash: Sendable {
  enum Atom: Sendable {
    /// - `range`: The file's bytes, for writes.
    case file(node: Int, operation: Int, range: Range<Int>?)
    case directory(operation: Int)
  }

  /// What stands in new blocks of a file when the write to them was lost but the size was kept. (Places that were never
  /// written are zeros.)
  package enum Unwritten: Sendable {
    case zeros
    case garbage(seed: UInt64)
  }

  let files: [Int: SimulatedFileNode]
  let durableDirectories: [Int: [String: Int]]
  let directoryOperations: [SimulatedDirectoryOperation]
  let nextNode: Int
  let sectorBytes: Int
  let unwritten: Unwritten
  let atoms: [Atom]
  /// Indexes into `atoms`, by call, in the order of the calls.
  let operations: [[Int]]

  package var atomCount: Int { atoms.count }
  package var operationCount: Int { operations.count }

  init(_ system: SimulatedFileSystem, unwritten: Unwritten) {
    self.unwritten = unwritten
    files = system.files
    durableDirectories = system.durableDirectories
    directoryOperations = system.directoryOperations
    nextNode = system.nextNode
    sectorBytes = system.sectorBytes

    var found: [(call: Int, atom: Atom)] = []
    for (node, file) in files.sorted(by: { $0.key < $1.key }) {
      for (index, operation) in file.operations.enumerated() where operation.state != .durable {
        switch operation.change {
        case .size: found.append((operation.call, .file(node: node, operation: index, range: nil)))
        case .zeros(let range):
          if case .garbage = unwritten {
            found += SimulatedCrash.sectors(range, sectorBytes).map {
              (operation.call, .file(node: node, operation: index, range: $0))
            }
          } else if SimulatedCrash.mayShow(zeros: range, before: index, in: file) {
            found.append((operation.call, .file(node: node, operation: index, range: range)))
          }
        case .write(let start, let bytes):
          found += SimulatedCrash.sectors(start..<start + bytes.count, sectorBytes).map {
            (operation.call, .file(node: node, operation: index, range: $0))
          }
        }
      }
    }
    for (index, operation) in directoryOperations.enumerated() where operation.state != .durable {
      found.append((operation.call, .directory(operation: index)))
    }
    // Stable: within a call the order of recording stays.
    let ordered = found.enumerated().sorted { ($0.element.call, $0.offset) < ($1.element.call, $1.offset) }
    atoms = ordered.map(\.element.atom)
    var operations: [[Int]] = []
    var lastCall = -1
    for (index, item) in ordered.enumerated() {
      if item.element.call != lastCall { operations.append([]) }
      operations[operations.count - 1].append(index)
      lastCall = item.element.call
    }
    self.operations = operations
  }

  /// The range in pieces that the disk writes as a whole.
  private func sectors(_ range: Range<Int>) -> [Range<Int>] {
    SimulatedCrash.sectors(range, sectorBytes)
  }

  private static func sectors(_ range: Range<Int>, _ sectorBytes: Int) -> [Range<Int>] {
    var parts: [Range<Int>] = []
    var from = range.lowerBound
    while from < range.upperBound {
      let end = min(range.upperBound, (from / sectorBytes + 1) * sectorBytes)
      parts.append(from..<end)
      from = end
    }
    return parts
  }

  /// Zeros over what is zero anyway are no atom, so that an allocation doesn't double the images.
  private static func mayShow(zeros range: Range<Int>, before index: Int, in file: SimulatedFileNode) -> Bool {
    if file.durable.count > range.lowerBound { return true }
    return file.operations[..<index].contains { operation in
      if case .write(let start, let bytes) = operation.change { return start + bytes.count > range.lowerBound }
      return false
    }
  }

  /// The disk that keeps just these atoms.
  package func image(keeping isKept: (_ atom: Int) -> Bool) -> SimulatedFileSystem {
    var keptRanges: [Int: [Int: [Range<Int>]]] = [:]
    var keptSizes: [Int: Set<Int>] = [:]
    var keptDirectoryOperations = Set<Int>()
    for (index, atom) in atoms.enumerated() where isKept(index) {
      switch atom {
      case .file(let node, let operation, let range?):
        keptRanges[node, default: [:]][operation, default: []].append(range)
      case .file(let node, let operation, nil): keptSizes[node, default: []].insert(operation)
      case .directory(let operation): keptDirectoryOperations.insert(operation)
      }
    }

    var directories = durableDirectories
    for (index, operation) in directoryOperations.enumerated()
    where operation.state == .durable || keptDirectoryOperations.contains(index) {
      operation.apply(to: &directories)
    }

    let image = SimulatedFileSystem(sectorBytes: sectorBytes)
    image.nextNode = nextNode
    image.directories = [:]
    var unvisited = [0]
    while let directory = unvisited.popLast() {
      let entries = directories[directory] ?? [:]
      image.directories[directory] = entries
      for node in entries.values {
        if durableDirectories[node] != nil {
          unvisited.append(node)
        } else if let file = files[node] {
          let bytes = content(
            of: file, node: node, ranges: keptRanges[node] ?? [:], sizes: keptSizes[node] ?? [])
          var kept = SimulatedFileNode()
          kept.live = bytes
          kept.durable = bytes
          image.files[node] = kept
        }
      }
    }
    image.durableDirectories = image.directories
    return image
  }

  /// Sizes and bytes are told apart until the end: bytes beyond the size that was kept don't show, and come to light
  /// when a later size was kept.
  private func content(
    of file: SimulatedFileNode, node: Int, ranges: [Int: [Range<Int>]], sizes: Set<Int>
  ) -> SimulatedBytes {
    guard !file.operations.isEmpty else { return file.durable }
    var content = file.durable
    var size = file.durable.count
    var extent = size
    for operation in file.operations {
      switch operation.change {
      case .size(let newSize): extent = max(extent, newSize)
      case .write(let start, let bytes): extent = max(extent, start + bytes.count)
      case .zeros(let range): extent = max(extent, range.upperBound)
      }
    }
    /// Puts garbage where a write was lost from new blocks: at or past `start`, by an operation from `first` on.
    func spoil(from start: Int, first: Int) {
      guard case .garbage(let seed) = unwritten else { return }
      for (index, operation) in file.operations.enumerated().dropFirst(first) where operation.state != .durable {
        let range: Range<Int>
        switch operation.change {
        case .size: continue
        case .zeros(let whole): range = whole
        case .write(let start, let bytes): range = start..<start + bytes.count
        }
        for part in sectors(range) where part.upperBound > start && ranges[index]?.contains(part) != true {
          let part = max(start, part.lowerBound)..<part.upperBound
          let garbage = SimulatedCrash.garbage(part, seed: seed, node: node)
          garbage.withUnsafeBytes { content.write($0, at: part.lowerBound) }
        }
      }
    }
    content.resize(to: extent)
    spoil(from: size, first: 0)

    for (index, operation) in file.operations.enumerated() {
      let isDurable = operation.state == .durable
      switch operation.change {
      case .size(let newSize):
        guard isDurable || sizes.contains(index) else { continue }
        if newSize < size {
          content.zero(newSize..<extent)
          spoil(from: newSize, first: index)
        }
        size = newSize
      case .zeros(let range):
        let kept = isDurable ? [range] : ranges[index] ?? []
        for part in kept { content.zero(part) }
      case .write(let start, let bytes):
        let kept = isDurable ? [start..<start + bytes.count] : ranges[index] ?? []
        bytes.withUnsafeBytes { bytes in
          for part in kept {
            content.write(
              UnsafeRawBufferPointer(rebasing: bytes[part.lowerBound - start..<part.upperBound - start]),
              at: part.lowerBound)
          }
        }
      }
    }
    content.resize(to: size)
    return content
  }

  private static func garbage(_ range: Range<Int>, seed: UInt64, node: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
      var word: UInt64 = 0
      for (index, offset) in range.enumerated() {
        if index == 0 || offset % 8 == 0 {
          word = SeededRandom.mix(seed ^ SeededRandom.mix(UInt64(node) << 40 ^ UInt64(offset / 8)))
        }
        buffer[index] = UInt8(truncatingIfNeeded: word >> (UInt64(offset % 8) * 8))
      }
      count = range.count
    }
  }
}

extension SimulatedCrash {
  /// One of the possible disks, chosen by the seed: all or nothing, single atoms at several odds, whole operations with
  /// some torn, or a prefix with a torn end.
  package func randomImage(seed: UInt64) -> SimulatedFileSystem {
    let random = SeededRandom(seed: seed)
    var kept = [Bool](repeating: false, count: atoms.count)
    func keepEach(_ indexes: [Int], _ parts: Int, of whole: Int) {
      for index in indexes { kept[index] = random.next(below: whole) < parts }
    }
    switch random.next(below: 8) {
    case 0: break
    case 1: kept = [Bool](repeating: true, count: atoms.count)
    case 2: keepEach(Array(atoms.indices), 1, of: 2)
    case 3: keepEach(Array(atoms.indices), 7, of: 8)
    case 4: keepEach(Array(atoms.indices), 1, of: 8)
    case 5:
      // A prefix whose last operation is torn.
      let end = random.next(below: operations.count + 1)
      for operation in operations.prefix(end) { keepEach(operation, 1, of: 1) }
      if end < operations.count { keepEach(operations[end], 1, of: 2) }
    default:
      for operation in operations {
        switch random.next(below: 8) {
        case 0: keepEach(operation, 1, of: 2)
        case 1..<5: keepEach(operation, 1, of: 1)
        default: break
        }
      }
    }
    return image { kept[$0] }
  }
}
