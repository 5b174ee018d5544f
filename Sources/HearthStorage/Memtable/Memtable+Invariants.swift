extension Memtable {
  /// Checks a tree in full and traps on the first broken invariant. For tests.
  func checkInvariants(_ root: Root) {
    _ = check(root, lower: nil, upper: nil, isRoot: true)
  }

  private struct Sums {
    var total = 0
    var newest: UInt64 = 0
    var vanished: UInt64 = 0
  }

  private func check(_ root: Root, lower: Entry?, upper: Entry?, isRoot: Bool) -> Sums {
    guard let node = root.node else { return Sums(vanished: root.vanished) }
    precondition(node.count > 0 && node.count <= (node.isLeaf ? leafSlotsMax : innerSlotsMax), "slots: \(node.count)")
    let shared = lower.flatMap { lower in upper.map { lower.key.commonPrefix(with: $0.key) } } ?? 0
    precondition(node.prefix <= shared, "prefix \(node.prefix) of fences that share \(shared)")
    var sums = Sums()
    if node.isLeaf {
      var before: Entry?
      for index in 0..<node.count {
        let entry = node.entries[index]
        precondition(node.heads[index] == entry.key.head(at: node.prefix), "stale head of \(entry.key.hex)")
        precondition(before.map { $0.key.compare(entry.key) < 0 } ?? true, "order at \(entry.key.hex)")
        precondition(lower.map { $0.key.compare(entry.key) <= 0 } ?? true, "lower fence above \(entry.key.hex)")
        precondition(upper.map { $0.key.compare(entry.key) > 0 } ?? true, "upper fence below \(entry.key.hex)")
        before = entry
        sums.total += entry.sign
        sums.newest = max(sums.newest, entry.version)
      }
    } else {
      precondition((0..<node.count).contains { !node.children[$0].isEmpty }, "an inner node without children")
      for index in 0..<node.count {
        if index > 0 {
          let separator = node.separators[index]
          precondition(node.heads[index] == separator.key.head(at: node.prefix), "stale head of \(separator.key.hex)")
          precondition(
            !node.children[index].isEmpty || !node.children[index - 1].isEmpty, "two empty slots beside each other")
        }
        let childLower = index > 0 ? node.separators[index] : lower
        let childUpper = index + 1 < node.count ? node.separators[index + 1] : upper
        if let childLower, let childUpper {
          precondition(childLower.key.compare(childUpper.key) < 0, "separators out of order")
        }
        let child = check(node.children[index], lower: childLower, upper: childUpper, isRoot: false)
        precondition(Int(node.counts[index]) == child.total, "count \(node.counts[index]) of a child of \(child.total)")
        sums.total += child.total
        sums.newest = max(sums.newest, child.newest)
        sums.vanished = max(sums.vanished, child.vanished)
      }
    }
    precondition(node.total == sums.total, "total \(node.total) over \(sums.total)")
    precondition(node.newest >= sums.newest, "newest \(node.newest) over \(sums.newest)")
    precondition(node.vanished >= sums.vanished, "vanished \(node.vanished) over \(sums.vanished)")
    return Sums(total: node.total, newest: node.newest, vanished: node.vanished)
  }
}
