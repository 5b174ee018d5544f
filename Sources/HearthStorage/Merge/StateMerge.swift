/// Writes the trees of a checkpoint anew with what layers over it change, tree by tree, into fresh segments.
///
/// Works in steps. Not thread-safe; the caller keeps the layers readable.
final class StateMerge {
  struct Result {
    /// By `TreeID.rawValue`.
    var roots: [TreeRoot?]
    /// Blocks that the new trees no longer have.
    var killed: [BlockReference]
    /// By how many bytes keys and values grew.
    var growth: Int
  }

  let roller: SegmentRoller
  private let stack: LayerStack
  private let sizing: PageSizing
  private let rewritesAll: Bool
  private var remaining = TreeID.allCases[...]
  private var current: TreeMerge?
  private var done: [TreeMerge] = []
  private(set) var result = Result(roots: [], killed: [], growth: 0)

  /// Entries and children per step: some milliseconds.
  private static let stepBudget = 4096

  init(_ stack: LayerStack, into roller: SegmentRoller, sizing: PageSizing, rewritesAll: Bool) {
    self.stack = stack
    self.roller = roller
    self.sizing = sizing
    self.rewritesAll = rewritesAll
  }

  /// Returns whether all trees are written.
  func step() throws(StorageError) -> Bool {
    while let tree = remaining.first {
      let merge: TreeMerge
      if let current {
        merge = current
      } else {
        merge = try TreeMerge(stack, tree, into: roller, sizing: sizing, rewritesAll: rewritesAll)
        current = merge
      }
      guard try merge.step(budget: Self.stepBudget) else { return false }
      let part = try merge.finish()
      result.roots.append(part.root)
      result.killed += part.killed
      result.growth += part.growth
      done.append(merge)
      current = nil
      remaining.removeFirst()
    }
    return true
  }

  /// Fills the cache with what is new in it, and lets go of what is gone, once the result is in force.
  func warm() {
    for merge in done { merge.warm() }
    guard let cache = stack.snapshot?.cache else { return }
    for block in result.killed { cache.remove(block.place.word) }
  }
}
