/// Reads a tree block by block, with no cache: for checks, and for trees that are read once.
///
/// Every page is checked against its parent on the way, so that a damaged or forged tree gives a typed error and no
/// answer takes longer than the tree is high, whatever the references say. Not thread-safe.
final class TreeReader {
  /// `nil` is a tree without entries.
  let root: TreeRoot?
  private let tree: TreeID
  private let segments: SegmentSet
  private let buffer = ByteBuffer()

  init(_ root: TreeRoot?, _ tree: TreeID, _ segments: SegmentSet) {
    self.root = root
    self.tree = tree
    self.segments = segments
  }

  var entryCount: Int { root?.child.entryCount ?? 0 }

  func loadRoot() throws(StorageError) -> LoadedPage? {
    guard let root else { return nil }
    return try LoadedPage(
      root.child, tree: tree, level: root.level, lower: .empty, upper: nil, segments, using: buffer)
  }

  func load(child index: Int, of parent: LoadedPage) throws(StorageError) -> LoadedPage {
    let page = parent.reader
    return try LoadedPage(
      page.child(index), tree: tree, level: page.level - 1, lower: page.lowerFence(ofChild: index),
      upper: page.upperFence(ofChild: index), segments, using: buffer)
  }

  /// Calls `body` with the value of `key`, which is valid inside it alone; `nil` when there is no such key.
  func get<R>(_ key: KeyBytes, _ body: (UnsafeRawBufferPointer) -> R) throws(StorageError) -> R? {
    guard var page = try loadRoot() else { return nil }
    while !page.reader.isLeaf { page = try load(child: page.reader.childIndex(key), of: page) }
    // The value lies in the page.
    return withExtendedLifetime(page) { page.reader.find(key).map { body(page.reader.value($0)) } }
  }

  /// How many keys are below `key`.
  func rank(_ key: KeyBytes) throws(StorageError) -> Int {
    guard var page = try loadRoot() else { return 0 }
    var rank = 0
    while !page.reader.isLeaf {
      let index = page.reader.childIndex(key)
      rank += page.reader.entriesBefore(child: index)
      page = try load(child: index, of: page)
    }
    return rank + withExtendedLifetime(page) { page.reader.lowerBound(key) }
  }

  /// How many keys lie in `range`: two descents.
  func count(_ range: KeyRange) throws(StorageError) -> Int {
    try range.withKeyBytes { (lower, upper) throws(StorageError) in
      guard let upper else { return entryCount - (try rank(lower)) }
      return max(0, try rank(upper) - rank(lower))
    }
  }

  /// Calls `body` with the entry that has `offset` keys before it; `nil` when there are not so many. One descent.
  func entry<R>(
    at offset: Int, _ body: (PageKey, UnsafeRawBufferPointer) -> R
  ) throws(StorageError) -> R? {
    guard offset >= 0, offset < entryCount, var page = try loadRoot() else { return nil }
    var rank = offset
    while !page.reader.isLeaf {
      let index = page.reader.childIndex(ofEntry: rank)
      rank -= page.reader.entriesBefore(child: index)
      page = try load(child: index, of: page)
    }
    return withExtendedLifetime(page) { body(page.reader.key(rank), page.reader.value(rank)) }
  }

  /// Calls `body` with the entries of `range` in key order or against it, until it returns `false`. Key and value are
  /// valid inside it alone.
  func scan(
    _ range: KeyRange = .everything, descending: Bool = false, _ body: (PageKey, UnsafeRawBufferPointer) -> Bool
  ) throws(StorageError) {
    try range.withKeyBytes { (lower, upper) throws(StorageError) in
      if let upper, lower.compare(upper) >= 0 { return }
      var cursor = TreeCursor(self)
      if descending { try cursor.seek(before: upper) } else { try cursor.seek(lower) }
      while let entry = cursor.current {
        let isInside = descending ? entry.key.compare(lower) >= 0 : upper.map { entry.key.compare($0) < 0 } ?? true
        guard isInside, body(entry.key, entry.value) else { return }
        if descending { try cursor.previous() } else { try cursor.next() }
      }
    }
  }
}
