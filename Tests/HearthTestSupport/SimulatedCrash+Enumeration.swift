import HearthStorage

extension SimulatedCrash {
  /// Every image, one after the other, each made when it is asked for.
  ///
  /// With at most ``atomsMax`` atoms these are all subsets of atoms. With more, operations are the unit: all subsets of
  /// at most that many whole operations, and besides each operation torn (see ``tears(of:)``), with the others in all
  /// subsets while there are at most six, else all kept, all lost, or the earlier ones kept. With more operations than
  /// that, the oldest ones live and die together; ``isExhaustive`` is then `false`, and the test should sync more often.
  package struct Images: Sequence, IteratorProtocol {
    private let crash: SimulatedCrash
    private let units: [[Int]]
    private let choices: [Choice]
    private var position = 0

    /// A subset of units by bits, and perhaps one unit of which only some atoms are kept.
    private struct Choice {
      var units: UInt32
      var torn: (unit: Int, kept: [Int])?
    }

    /// Whether these are all images that the rules allow, by atom or, with many atoms, by operation.
    package let isExhaustive: Bool
    package var count: Int { choices.count }
    package var underestimatedCount: Int { choices.count - position }

    init(_ crash: SimulatedCrash) {
      self.crash = crash
      var choices: [Choice] = []
      if crash.atomCount <= SimulatedCrash.atomsMax {
        units = crash.atoms.indices.map { [$0] }
        isExhaustive = true
        choices = (0..<UInt32(1) << UInt32(units.count)).map { Choice(units: $0, torn: nil) }
      } else {
        let tooMany = crash.operationCount - SimulatedCrash.atomsMax
        isExhaustive = tooMany <= 0
        units =
          tooMany <= 0
          ? crash.operations
          : [Array(crash.operations[...tooMany].joined())] + Array(crash.operations[(tooMany + 1)...])
        let all = UInt32(1) << UInt32(units.count)
        choices = (0..<all).map { Choice(units: $0, torn: nil) }
        for (index, unit) in units.enumerated() {
          let own = UInt32(1) << UInt32(index)
          let others: [UInt32] =
            units.count <= 6 ? (0..<all).filter { $0 & own == 0 } : Array(Set([0, (all - 1) & ~own, own - 1])).sorted()
          for kept in SimulatedCrash.tears(of: unit) {
            choices += others.map { Choice(units: $0, torn: (index, kept)) }
          }
        }
      }
      self.choices = choices
    }

    package mutating func next() -> SimulatedFileSystem? {
      guard position < choices.count else { return nil }
      let choice = choices[position]
      position += 1
      var kept = [Bool](repeating: false, count: crash.atomCount)
      for (index, unit) in units.enumerated() where choice.units >> UInt32(index) & 1 == 1 {
        for atom in unit { kept[atom] = true }
      }
      if let torn = choice.torn { for atom in torn.kept { kept[atom] = true } }
      return crash.image { kept[$0] }
    }
  }

  /// The most atoms, or operations, of which all subsets are made.
  package static let atomsMax = 12

  package func images() -> Images { Images(self) }

  /// The ways in which one operation can be kept in part: every proper subset of up to four atoms; of more, every
  /// beginning, every end, every single atom and every one missing. (The size change of a write is its first atom, so
  /// the first beginning is a size without content and the longest end content without size.)
  static func tears(of atoms: [Int]) -> [[Int]] {
    let count = atoms.count
    guard count > 1 else { return [] }
    if count <= 4 {
      return (1..<(1 << count) - 1).map { mask in
        atoms.indices.filter { mask >> $0 & 1 == 1 }.map { atoms[$0] }
      }
    }
    var seen = Set<[Int]>()
    var result: [[Int]] = []
    func add(_ part: [Int]) {
      if seen.insert(part).inserted { result.append(part) }
    }
    for cut in 1..<count {
      add(Array(atoms[..<cut]))
      add(Array(atoms[cut...]))
    }
    for index in atoms.indices {
      add([atoms[index]])
      add(atoms.filter { $0 != atoms[index] })
    }
    return result
  }
}
