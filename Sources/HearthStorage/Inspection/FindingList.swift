/// Findings up to a bound, and how many came after it.
package struct FindingList: Sendable {
  package private(set) var items: [Finding] = []
  /// Not kept.
  package private(set) var furtherCount = 0
  /// Whether one of all, kept or not, is damage.
  package private(set) var hasDamage = false
  private let countMax: Int

  init(countMax: Int) { self.countMax = countMax }

  package var isEmpty: Bool { items.isEmpty && furtherCount == 0 }
  package var count: Int { items.count + furtherCount }

  mutating func add(_ finding: Finding) {
    if finding.severity == .damage { hasDamage = true }
    if items.count < countMax { items.append(finding) } else { furtherCount += 1 }
  }
}
