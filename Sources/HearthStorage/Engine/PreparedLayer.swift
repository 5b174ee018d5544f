/// A large batch as a memtable layer of its own, built by its caller outside the sequencer (E17).
///
/// Version and stamps are not known while it is built; ``stamp(_:version:)`` fills them in, in one pass over memory,
/// before anyone else sees the layer.
struct PreparedLayer {
  let memtable: Memtable
  private(set) var roots = Roots()
  private(set) var growth = 0
  /// By operation, the entry made for it; `nil` where an insert and its remove vanished.
  private var entries: [Entry?] = []

  /// Throws what ``Memtable/apply`` throws: a wrong claim.
  init(_ batch: KeyValueBatch) throws(StorageError) {
    memtable = Memtable()
    var roots = Roots()
    var growth = 0
    var entries: [Entry?] = []
    entries.reserveCapacity(batch.count)
    var failure: StorageError?
    batch.withOperations { reader in
      while failure == nil, let operation = reader.next() {
        growth &+= operation.stateGrowth
        do throws(StorageError) {
          entries.append(
            try memtable.apply(
              operation.kind, operation.tree, key: operation.key, value: operation.value, oldSize: operation.oldSize,
              version: 1, number: 1, to: &roots))
        } catch {
          failure = error
        }
      }
    }
    if let failure { throw failure }
    self.roots = roots
    self.growth = growth
    self.entries = entries
  }

  /// Nobody else may know the layer yet.
  mutating func stamp(_ batch: KeyValueBatch, version: UInt64) {
    for entry in entries { entry?.setVersion(version) }
    for stamp in batch.stamps {
      guard let entry = entries[stamp.operation] else { continue }
      batch.payload.withUnsafeBytes { payload in
        let stamped = UnsafeRawBufferPointer(rebasing: payload[stamp.offset..<(stamp.offset + 8)])
        entry.overwriteValue(at: stamp.offset - stamp.valueStart, with: stamped)
      }
    }
    for tree in TreeID.allCases { roots[tree] = roots[tree].withVersions(version) }
  }
}
