/// The entries of one tree of a snapshot as a merged cursor walks them: each copied out of its page, so that it looks like
/// an entry of a layer and stays readable when the page does not.
///
/// Moves happen with the cache's epochs pinned; a source that is parked finds its place again when it moves.
struct TreeSource {
  private let snapshot: TreeSnapshot
  private let tree: TreeID
  private var cursor: SnapshotCursor
  private var isParked = true
  private var buffer = ByteBuffer(capacity: 1024)
  /// What was current before the last `…Keeping` move.
  private var kept = ByteBuffer(capacity: 1024)

  /// The entry after (or, going down, before) the place; `nil` when there is none. Its version is 0: the tree remembers
  /// none.
  private(set) var current: Entry?

  init(_ snapshot: TreeSnapshot, _ tree: TreeID) {
    self.snapshot = snapshot
    self.tree = tree
    cursor = SnapshotCursor(snapshot, tree)
  }

  /// Called before a pin ends.
  mutating func park() {
    guard !isParked else { return }
    cursor.park()
    isParked = true
  }

  mutating func seekForward(_ key: KeyBytes?, isAfter: Bool) throws(StorageError) {
    isParked = false
    // The key may be the current entry's own.
    try cursor.seekForward(key, isAfter: isAfter)
    try copyOut()
  }

  mutating func seekBackward(_ key: KeyBytes?, isAfter: Bool) throws(StorageError) {
    isParked = false
    try cursor.seekBackward(key, isAfter: isAfter)
    try copyOut()
  }

  /// Goes on; the entry that was current is gone.
  @inline(__always)
  mutating func next() throws(StorageError) {
    if isParked {
      isParked = false
      try cursor.seekForward(current?.key, isAfter: true)
    } else {
      try cursor.next()
    }
    try copyOut()
  }

  @inline(__always)
  mutating func previous() throws(StorageError) {
    if isParked {
      isParked = false
      try cursor.seekBackward(current?.key, isAfter: false)
    } else {
      try cursor.previous()
    }
    try copyOut()
  }

  /// Goes on; the entry that was current stays readable until the next such move.
  @inline(__always)
  mutating func nextKeepingCurrent() throws(StorageError) {
    swap(&buffer, &kept)
    try next()
  }

  @inline(__always)
  mutating func previousKeepingCurrent() throws(StorageError) {
    swap(&buffer, &kept)
    try previous()
  }

  @inline(__always)
  private mutating func copyOut() throws(StorageError) {
    guard let (leaf, index) = cursor.current else {
      current = nil
      return
    }
    let key = leaf.key(index)
    buffer.removeAll()
    if leaf.isBlob(index) { return try copyOutLong(leaf, index, key) }
    let value = leaf.value(index)
    let keyBytes = key.count
    let start = buffer.extend(Entry.headerBytes &+ keyBytes &+ value.count)
    Entry.writeHeader(to: start, version: 0, oldSize: 0, keyBytes: keyBytes, valueBytes: value.count)
    key.copy(to: start + Entry.headerBytes)
    if let source = value.baseAddress {
      (start + (Entry.headerBytes &+ keyBytes)).copyMemory(from: source, byteCount: value.count)
    }
    current = Entry(UnsafeRawPointer(start), .insert)
  }

  private mutating func copyOutLong(_ leaf: PageReader, _ index: Int, _ key: PageKey) throws(StorageError) {
    let blob = try BlobReference(leaf.value(index))
    let start = buffer.extend(Entry.headerBytes + key.count)
    Entry.writeHeader(to: start, version: 0, oldSize: 0, keyBytes: key.count, valueBytes: blob.valueBytes)
    key.copy(to: start + Entry.headerBytes)
    // The buffer may move while it grows.
    try blob.appendValue(snapshot.segments, tree, to: buffer)
    current = Entry(UnsafeRawPointer(buffer.base), .insert)
  }
}
