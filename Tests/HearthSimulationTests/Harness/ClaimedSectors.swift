@testable import HearthStorage
@testable import HearthTestSupport

/// Holds the trace of a disk to E7: a sector of the log that a sync has claimed is never written again.
///
/// No crash image shows this, since the simulated disk loses a write without harm to what shared its sector; a real one
/// may not.
enum ClaimedSectors {
  /// The first write that breaks the rule.
  /// - Parameter limits: By their place in the trace, the syncs that claim their file only up to an offset.
  static func firstViolation(in trace: [String], folder: String, limits: [Int: Int]) -> String? {
    var dirty: [Substring: Set<Int>] = [:]
    var claimed: [Substring: Set<Int>] = [:]
    for (place, line) in trace.enumerated() {
      let words = line.split(separator: " ")
      guard words.count >= 2, words[1].hasPrefix(folder + "/"), !line.contains(" failed ") else { continue }
      let path = words[1]
      switch words[0] {
      case "write":
        guard words.count >= 4, let start = Int(words[2].dropFirst()), let count = Int(words[3]), count > 0 else {
          continue
        }
        let sectors = start / 4096...(start + count - 1) / 4096
        if let claims = claimed[path], sectors.contains(where: { claims.contains($0) }) { return line }
        dirty[path, default: []].formUnion(sectors)
      case "sync":
        let limit = limits[place] ?? .max
        let covered = (dirty[path] ?? []).filter { $0 < limit / 4096 }
        claimed[path, default: []].formUnion(covered)
        dirty[path]?.subtract(covered)
      case "rename":
        let target = words[3]
        // A recycled file begins anew under a name that promises nothing.
        let isRecycled = target.hasSuffix(WALDirectory.freshSuffix)
        claimed[target] = isRecycled ? nil : claimed[path]
        dirty[target] = isRecycled ? nil : dirty[path]
        claimed[path] = nil
        dirty[path] = nil
      case "create":
        claimed[path] = nil
        dirty[path] = nil
      default: break
      }
    }
    return nil
  }
}
