import HearthStorage

/// One planned failure: which call fails, and how.
package struct SimulatedFault: Sendable {
  package enum Call: String, Sendable, CaseIterable {
    case open, create, read, write, allocate, truncate, sync, syncDirectory, rename, remove, createDirectory
    case removeDirectory, contents, kind, size, lock
  }

  package enum Effect: Sendable {
    /// Nothing happens but the error. A sync that fails so leaves its pages dirty.
    case fail(StorageError.Code)
    /// A write puts that many of its bytes into the file before the error.
    case short(Int, StorageError.Code)
    /// A sync fails and its pages are marked clean: they may or may not be on disk, and no later sync writes them.
    case loseDirtyPages(StorageError.Code)
  }

  var calls: Set<Call>
  var pathSuffix: String
  var effect: Effect
  /// Matching calls to let pass before the first failure.
  var remainingPasses: Int
  var remainingFailures: Int

  /// - Parameters:
  ///   - nth: The first matching call from now on that fails, counted from 1.
  ///   - times: How many in a row fail from there.
  ///   - pathSuffix: Only calls on paths that end so; for renames, the old one.
  package init(
    _ calls: Set<Call>, nth: Int = 1, times: Int = 1, pathSuffix: String = "", effect: Effect = .fail(.io)
  ) {
    precondition(nth >= 1 && times >= 1, "A fault that never strikes")
    self.calls = calls
    self.pathSuffix = pathSuffix
    self.effect = effect
    remainingPasses = nth - 1
    remainingFailures = times
  }

  package init(_ call: Call, nth: Int = 1, times: Int = 1, pathSuffix: String = "", effect: Effect = .fail(.io)) {
    self.init([call], nth: nth, times: times, pathSuffix: pathSuffix, effect: effect)
  }
}
