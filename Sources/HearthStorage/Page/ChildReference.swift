/// What a parent knows of a child, and a checkpoint of a root.
struct ChildReference: Equatable, Sendable {
  var base: BlockReference
  /// The changes since the base, in a block of their own.
  var delta: BlockReference?
  /// Entries of the subtree, delta included.
  var entryCount: Int
  /// Leaves: bytes inside the base that are dead, of each dead entry its value and 8.
  var deadBytes = 0
  /// Whether a value of the leaf is a blob.
  var hasBlobs = false

  /// Writes everything but the entry count, which stands elsewhere.
  func encode(to p: UnsafeMutableRawPointer) {
    base.encode(to: p + ChildFormat.base)
    if let delta {
      delta.encode(to: p + ChildFormat.delta)
    } else {
      BlockReference.encodeAbsent(to: p + ChildFormat.delta)
    }
    p.store(u32: UInt32(deadBytes), at: ChildFormat.deadBytes)
    p.store(u32: UInt32(hasBlobs ? ChildFormat.blobsFlag : 0), at: ChildFormat.flags)
  }

  /// - Throws: `.corruption` when the bytes cannot be a reference.
  static func read(_ p: UnsafeRawPointer, entryCount: Int) throws(StorageError) -> ChildReference {
    guard let base = try BlockReference.read(p + ChildFormat.base, kind: .page) else {
      throw StorageError(.corruption, "a child without a block")
    }
    let delta = try BlockReference.read(p + ChildFormat.delta, kind: .delta)
    let flags = p.u32(ChildFormat.flags)
    let deadBytes = Int(p.u32(ChildFormat.deadBytes))
    guard flags <= UInt32(ChildFormat.blobsFlag), deadBytes <= PageFormat.byteCountMax else {
      throw StorageError(.corruption, "a child with \(deadBytes) dead bytes and flags \(flags)")
    }
    return ChildReference(
      base: base, delta: delta, entryCount: entryCount, deadBytes: deadBytes, hasBlobs: flags != 0)
  }

  /// The reference at `p`, which was checked before.
  init(unchecked p: UnsafeRawPointer, entryCount: Int) {
    base = BlockReference(unchecked: p + ChildFormat.base)
    delta = p.u64(ChildFormat.delta) == 0 ? nil : BlockReference(unchecked: p + ChildFormat.delta)
    self.entryCount = entryCount
    deadBytes = Int(p.u32(ChildFormat.deadBytes))
    hasBlobs = p.u8(ChildFormat.flags) & ChildFormat.blobsFlag != 0
  }

  init(
    base: BlockReference, delta: BlockReference? = nil, entryCount: Int, deadBytes: Int = 0, hasBlobs: Bool = false
  ) {
    self.base = base
    self.delta = delta
    self.entryCount = entryCount
    self.deadBytes = deadBytes
    self.hasBlobs = hasBlobs
  }
}
