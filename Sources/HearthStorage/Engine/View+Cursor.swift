extension View {
  /// Steps through a range of one tree in runs of entries, up or down from any key.
  ///
  /// The cursor stands in a gap between entries. ``next(_:entriesMax:bytesMax:)`` copies what follows the gap and moves
  /// behind it, ``previous(_:entriesMax:bytesMax:)`` what is before it, nearest first. So turning around returns the
  /// last entry again.
  ///
  /// Threading: one thread at a time. It keeps its view alive.
  package final class Cursor {
    private let view: View
    private var merged: MergedCursor

    init(_ view: View, _ tree: TreeID, _ range: KeyRange) {
      self.view = view
      merged = MergedCursor(view.stack, tree, range)
    }

    /// Puts the gap before the first entry at or above `key`, not leaving the range.
    package func seek(_ key: [UInt8]) { merged.seek(key) }

    /// Puts the gap before the range's first entry.
    package func seekToStart() { merged.seek([]) }

    /// Puts the gap behind the range's last entry.
    package func seekToEnd() { merged.seekToEnd() }

    /// Replaces `run` by the entries that follow, ascending: at most `entriesMax`, and no more once they hold
    /// `bytesMax` bytes. An empty run means the end of the range.
    ///
    /// - Throws: what reading the files throws; the cursor must be put somewhere by a seek then.
    package func next(
      _ run: inout EntryRun, entriesMax: Int = 256, bytesMax: Int = 256 << 10
    ) throws(StorageError) {
      try fill(&run, .up, entriesMax, bytesMax)
    }

    /// As ``next(_:entriesMax:bytesMax:)``, descending from the gap.
    package func previous(
      _ run: inout EntryRun, entriesMax: Int = 256, bytesMax: Int = 256 << 10
    ) throws(StorageError) {
      try fill(&run, .down, entriesMax, bytesMax)
    }

    private func fill(
      _ run: inout EntryRun, _ direction: MergedCursor.Direction, _ entriesMax: Int, _ bytesMax: Int
    ) throws(StorageError) {
      run.removeAll()
      guard entriesMax > 0, bytesMax > 0 else { return }
      _ = try merged.visit(direction) { key, value in
        run.append(key, value)
        return run.count < entriesMax && run.bytes.count < bytesMax
      }
    }
  }
}
