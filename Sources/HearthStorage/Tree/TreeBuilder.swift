/// Builds a tree bottom-up from entries in key order: pages go out as blocks through a segment writer, each before the
/// one that names it.
///
/// Memory is bounded by a few pages per level. After an error of the writer both are used up. Not thread-safe.
final class TreeBuilder {
  private struct Level {
    let builder: PageBuilder
    /// The level's first page, as long as it is the only one.
    var first: ChildReference?
  }

  private let writer: SegmentWriter
  private let tree: TreeID
  private let sizing: PageSizing
  private var levels: [Level] = []

  /// - Parameter sizing: filled to 95 % unless said otherwise, as for a tree that grows at its end.
  init(_ writer: SegmentWriter, _ tree: TreeID, sizing: PageSizing = PageSizing()) {
    self.writer = writer
    self.tree = tree
    self.sizing = sizing
    levels.append(Level(builder: PageBuilder(level: 0, sizing: sizing)))
  }

  /// Adds an entry.
  ///
  /// - Throws: `.invalidArgument` if the key is not above the one before or a size is out of range, and then the builder
  ///   can go on; errors of the writer.
  func append(_ key: KeyBytes, _ value: UnsafeRawBufferPointer) throws(StorageError) {
    try levels[0].builder.append(key, value) { (page) throws(StorageError) in try write(page) }
  }

  /// Writes what is left and returns the root, `nil` of a tree without entries. The builder is used up.
  func finish() throws(StorageError) -> TreeRoot? {
    var level = 0
    // A level's last pages may be the first to need a parent.
    while level < levels.count {
      try levels[level].builder.finish { (page) throws(StorageError) in try write(page) }
      level += 1
    }
    guard let top = levels.last, let root = top.first else { return nil }
    return TreeRoot(child: root, level: top.builder.level)
  }

  /// Writes a page and tells its parent, which exists from the second page of a level on.
  private func write(_ page: BuiltPage) throws(StorageError) {
    let level = Int(page.level)
    let block = try writer.append(page.bytes, kind: .page, tree: tree, level: page.level)
    let child = ChildReference(base: block, entryCount: page.entryCount, hasBlobs: level == 0 && page.hasBlobs)
    if level + 1 == levels.count {
      guard let first = levels[level].first else {
        levels[level].first = child
        return
      }
      let parent = PageBuilder(level: page.level + 1, sizing: sizing)
      levels.append(Level(builder: parent))
      try [].withKeyBytes { (lowest) throws(StorageError) in try parent.append(lowest, first) { _ in } }
    }
    try levels[level + 1].builder.append(page.lower, child) { (page) throws(StorageError) in try write(page) }
  }
}
