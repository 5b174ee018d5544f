/// The three trees of one checkpoint, read through the page cache.
///
/// Threading: any thread. Every method that takes or returns a page, or a pointer into one, is called with the cache's
/// epochs pinned (``withPin(_:)``), and nothing of a page is kept beyond that pin.
final class TreeSnapshot: Sendable {
  /// The last commit that the trees hold.
  let commitVersion: UInt64
  /// By `TreeID.rawValue`; `nil` for an empty tree.
  let roots: [TreeRoot?]
  let segments: SegmentSet
  let cache: PageCache

  init(commitVersion: UInt64, roots: [TreeRoot?], segments: SegmentSet, cache: PageCache) {
    self.commitVersion = commitVersion
    self.roots = roots
    self.segments = segments
    self.cache = cache
  }

  @inline(__always)
  func withPin<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R { try cache.epochs.withPin(body) }

  @inline(__always) func root(_ tree: TreeID) -> TreeRoot? { roots[Int(tree.rawValue)] }

  @inline(__always) func entryCount(_ tree: TreeID) -> Int { root(tree)?.child.entryCount ?? 0 }

  // MARK: Pages

  /// The root page of a tree that is not empty.
  @inline(__always)
  func rootPage(_ root: TreeRoot, _ tree: TreeID) throws(StorageError) -> PageReader {
    let frame = try cache.page(root.child.base.place.word, root.level == 0 ? .leaf : .inner) {
      () throws(StorageError) in
      try load(root.child, tree, level: root.level, lower: .empty, upper: nil)
    }
    return try checked(PageReader(unchecked: frame.content), level: root.level, entryCount: root.child.entryCount)
  }

  /// A child of an inner page.
  @inline(__always)
  func child(
    _ index: Int, of parent: PageReader, _ tree: TreeID, _ leafWeight: PageCache.Weight = .leaf
  ) throws(StorageError) -> PageReader {
    let level = parent.level &- 1
    let frame = try cache.page(parent.childPlace(index), level == 0 ? leafWeight : .inner) {
      () throws(StorageError) in
      try load(
        parent.child(index), tree, level: level, lower: parent.lowerFence(ofChild: index),
        upper: parent.upperFence(ofChild: index))
    }
    return try checked(
      PageReader(unchecked: frame.content), level: level,
      entryCount: parent.entriesBefore(child: index &+ 1) &- parent.entriesBefore(child: index))
  }

  /// A page that was already in memory has been checked against the parent it was first read for. A forged tree may have
  /// two of them; descents end all the same.
  @inline(__always)
  private func checked(_ page: PageReader, level: UInt8, entryCount: Int) throws(StorageError) -> PageReader {
    guard page.level == level, page.entryCount == entryCount else {
      throw StorageError(
        .corruption,
        "a page of level \(page.level) with \(page.entryCount) entries has a parent that says \(level) and"
          + " \(entryCount)")
    }
    return page
  }

  @inline(never)
  private func load(
    _ child: ChildReference, _ tree: TreeID, level: UInt8, lower: PageKey, upper: PageKey?
  ) throws(StorageError) -> PageFrame {
    var frame: PageFrame?
    let buffer = ByteBuffer(capacity: max(4096, child.base.byteCount))
    do throws(StorageError) {
      try LoadedPage.read(child, tree: tree, level: level, lower: lower, upper: upper, segments, using: buffer) {
        let made = cache.arena.allocate($0, place: child.base.place.word)
        frame = made
        return made.mutableBytes
      }
    } catch {
      if let frame { cache.arena.free(frame) }
      throw error
    }
    guard let frame else { throw StorageError(.corruption, "an empty page") }
    return frame
  }

  // MARK: Keys

  /// The leaf that `key` belongs to; `nil` in an empty tree.
  @inline(__always)
  func leaf(_ tree: TreeID, _ key: KeyBytes) throws(StorageError) -> PageReader? {
    guard let root = root(tree) else { return nil }
    var page = try rootPage(root, tree)
    while !page.isLeaf { page = try child(page.childIndex(key), of: page, tree) }
    return page
  }

  /// Calls `body` with the value of an entry.
  @inline(__always)
  func withValue<R>(
    _ index: Int, of leaf: PageReader, _ tree: TreeID, _ body: (UnsafeRawBufferPointer) throws -> R
  ) throws -> R {
    guard leaf.isBlob(index) else { return try body(leaf.value(index)) }
    let value = ByteBuffer(capacity: 4096)
    try BlobReference(leaf.value(index)).appendValue(segments, tree, to: value)
    return try withExtendedLifetime(value) { try body(value.bytes) }
  }

  /// The size of the value of `key`, `nil` when there is no such key. Pins by itself.
  func valueSize(_ tree: TreeID, _ key: KeyBytes) throws(StorageError) -> Int? {
    try withPin { () throws(StorageError) -> Int? in
      guard let leaf = try leaf(tree, key), let index = leaf.find(key) else { return nil }
      return try valueSize(index, of: leaf)
    }
  }

  func valueSize(_ index: Int, of leaf: PageReader) throws(StorageError) -> Int {
    leaf.isBlob(index) ? try BlobReference(leaf.value(index)).valueBytes : leaf.value(index).count
  }

  // MARK: Counts

  /// How many keys are below `key`. One descent. Pins by itself.
  func rank(_ tree: TreeID, _ key: KeyBytes) throws(StorageError) -> Int {
    try withPin { () throws(StorageError) -> Int in
      guard let root = root(tree) else { return 0 }
      var page = try rootPage(root, tree)
      var rank = 0
      while !page.isLeaf {
        let index = page.childIndex(key)
        rank += page.entriesBefore(child: index)
        page = try child(index, of: page, tree)
      }
      return rank + page.lowerBound(key)
    }
  }
}
