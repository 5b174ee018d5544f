/// Checks a database that is open: what recovery met, and that trees, counts and bytes agree with each other.
///
/// Opening has already checked the chain of the log and the checkpoint's record; pages are checked as they are read.
package struct IntegrityCheck: Sendable {
  /// Each a sentence with its place; empty when all is well.
  package private(set) var problems: [String] = []
  /// What was not as it should be but cost nothing.
  package private(set) var notes: [String] = []
  /// Entries by tree: documents, indexes, catalog.
  package private(set) var entryCounts: [Int] = []
  package private(set) var stateBytes = 0

  /// - Parameter inspect: Called for every entry; returns what is wrong with it, or `nil`.
  package init(
    _ engine: StorageEngine,
    inspect: (TreeID, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> String?
  ) throws {
    notes = engine.openNotes
    if let damage = engine.openDamage { problems.append(damage.description) }
    let view = try engine.view()
    for tree in TreeID.allCases {
      var count = 0
      var last: [UInt8] = []
      var isReadable = true
      do {
        try view.scan(tree) { key, value in
          if count > 0, !last.lexicographicallyPrecedes(key) {
            problems.append("\(tree): keys out of order at entry \(count)")
          }
          last = [UInt8](key)
          if let problem = inspect(tree, key, value) { problems.append(problem) }
          count += 1
          stateBytes += key.count + value.count
          return problems.count < 1000
        }
      } catch let error as StorageError where error.code == .corruption {
        // What lies behind a page that can't be read is not looked at.
        problems.append("\(tree): after entry \(count): \(error)")
        isReadable = false
      }
      entryCounts.append(count)
      guard isReadable else { continue }
      let counted = try view.count(tree)
      if counted != count, problems.count < 1000 {
        problems.append("\(tree): \(count) entries were read, the tree counts \(counted)")
      }
    }
  }
}
