/// Builds a tree bottom-up, in key order, from entries and from whole subtrees of another one: pages go out as blocks, each
/// before the one that names it.
///
/// Memory is bounded by a few pages per level. After an error of the sink both are used up. Not thread-safe.
final class TreeBuilder {
  private struct Level {
    let builder: PageBuilder
    /// The level's first page, as long as it is the only one and has no parent.
    var first: (child: ChildReference, lower: [UInt8])?
  }

  /// Sees each page as it is written, to keep it in memory for instance.
  typealias Observer = (BuiltPage, BlockReference) -> Void

  private let sink: any BlockSink
  private let tree: TreeID
  private let sizing: PageSizing
  private let observer: Observer?
  private var levels: [Level] = []

  /// - Parameter sizing: filled to 95 % unless said otherwise, as for a tree that grows at its end.
  init(
    _ sink: any BlockSink, _ tree: TreeID, sizing: PageSizing = PageSizing(), observer: Observer? = nil
  ) {
    self.sink = sink
    self.tree = tree
    self.sizing = sizing
    self.observer = observer
    levels.append(Level(builder: PageBuilder(level: 0, sizing: sizing)))
  }

  /// Adds an entry. A long value goes into a block of its own.
  ///
  /// - Throws: `.invalidArgument` if the key is not above the one before or a size is out of range, and then the builder
  ///   can go on; errors of the sink.
  func append(_ key: KeyBytes, _ value: UnsafeRawBufferPointer) throws(StorageError) {
    guard value.count > PageFormat.valueBytesMax else {
      return try levels[0].builder.append(key, value) { (page) throws(StorageError) in try write(page) }
    }
    guard value.count <= StorageLimits.valueBytesMax else {
      throw StorageError(.invalidArgument, "a value of \(value.count) bytes is too long")
    }
    let block = try sink.append(value, kind: .blob, tree: tree, level: 0, compresses: true)
    try BlobReference(block: block, valueBytes: value.count).withBytes { (reference) throws(StorageError) in
      try levels[0].builder.append(key, reference, isBlob: true) { (page) throws(StorageError) in try write(page) }
    }
  }

  /// Adds an entry of another tree's leaf, as it is there.
  func append(_ index: Int, of leaf: PageReader) throws(StorageError) {
    try levels[0].builder.append(leaf.key(index), leaf.value(index), isBlob: leaf.isBlob(index)) {
      (page) throws(StorageError) in try write(page)
    }
  }

  /// Says from which key on the next entry's leaf is to be responsible, unless a leaf is being filled.
  func begin(lower: KeyBytes) { levels[0].builder.begin(lower: lower) }

  /// Whether a page that is being filled, of `level` or below it, should be joined with what follows rather than end here:
  /// it is small, or it is to be the only child of its parent.
  func wantsMore(upTo level: UInt8) -> Bool {
    for (index, filled) in levels.prefix(Int(level) + 1).enumerated() {
      if filled.builder.isSmall { return true }
      guard index < Int(level), filled.first != nil || !filled.builder.isEmpty else { continue }
      if index + 1 == levels.count || levels[index + 1].builder.isEmpty { return true }
    }
    return false
  }

  /// Adds a whole subtree with the keys from `lower` on. What is below its level and to the left of it is finished.
  func append(_ child: ChildReference, level: UInt8, lower: KeyBytes) throws(StorageError) {
    makeLevel(Int(level) + 1)
    for finished in 0...Int(level) {
      try finish(finished, upper: lower)
      // It is not alone any more, even if nothing of its own level follows.
      try raiseFirst(of: finished)
    }
    try add(child, to: Int(level) + 1, lower: lower)
  }

  /// Writes what is left and returns the root, `nil` of a tree without entries. The builder is used up.
  func finish() throws(StorageError) -> TreeRoot? {
    var level = 0
    // A level's last pages may be the first to need a parent.
    while level < levels.count {
      let isTop = level + 1 == levels.count
      if isTop, levels[level].first == nil, let child = levels[level].builder.onlyChild {
        return TreeRoot(child: child, level: UInt8(level - 1))
      }
      try finish(level, upper: nil)
      level += 1
    }
    guard let top = levels.last, let root = top.first else { return nil }
    return TreeRoot(child: root.child, level: top.builder.level)
  }

  private func finish(_ level: Int, upper: KeyBytes?) throws(StorageError) {
    try levels[level].builder.finish(upper: upper) { (page) throws(StorageError) in try write(page) }
  }

  private func makeLevel(_ level: Int) {
    while levels.count <= level {
      levels.append(Level(builder: PageBuilder(level: UInt8(levels.count), sizing: sizing)))
    }
  }

  /// Writes a page and tells its parent, which exists from the second page of a level on.
  private func write(_ page: BuiltPage) throws(StorageError) {
    let level = Int(page.level)
    let block = try sink.append(page.bytes, kind: .page, tree: tree, level: page.level, compresses: true)
    observer?(page, block)
    let child = ChildReference(base: block, entryCount: page.entryCount, hasBlobs: level == 0 && page.hasBlobs)
    if level + 1 == levels.count, levels[level].first == nil {
      levels[level].first = (child, [UInt8](page.lower.bytes))
      return
    }
    try appendToParent(child, level: level, lower: page.lower)
  }

  private func appendToParent(_ child: ChildReference, level: Int, lower: KeyBytes) throws(StorageError) {
    makeLevel(level + 1)
    try raiseFirst(of: level)
    try add(child, to: level + 1, lower: lower)
  }

  /// Tells the parent, which exists now, of the page that had none.
  private func raiseFirst(of level: Int) throws(StorageError) {
    guard let (first, lower) = levels[level].first else { return }
    levels[level].first = nil
    try lower.withKeyBytes { (lower) throws(StorageError) in try add(first, to: level + 1, lower: lower) }
  }

  private func add(_ child: ChildReference, to level: Int, lower: KeyBytes) throws(StorageError) {
    let builder = levels[level].builder
    builder.begin(lower: lower)
    try builder.append(lower, child) { (page) throws(StorageError) in try write(page) }
  }
}
