/// Names one block so that no other can be taken for it: place, length and check.
struct BlockReference: Hashable, Sendable {
  var place: BlockPlace
  /// Header and payload.
  var byteCount: Int
  /// The block's checksum.
  var check: UInt32

  func encode(to p: UnsafeMutableRawPointer) {
    p.store(u64: place.segment, at: BlockFormat.Reference.segment)
    p.store(u32: place.unit, at: BlockFormat.Reference.unit)
    p.store(u32: UInt32(byteCount), at: BlockFormat.Reference.byteCount)
    p.store(u32: check, at: BlockFormat.Reference.check)
  }

  /// Writes "no block".
  static func encodeAbsent(to p: UnsafeMutableRawPointer) {
    p.initializeMemory(as: UInt8.self, repeating: 0, count: BlockFormat.referenceBytes)
  }

  /// The reference at `p`, `nil` for "no block".
  ///
  /// - Throws: `.corruption` when it cannot name a block of that kind.
  static func read(_ p: UnsafeRawPointer, kind: BlockKind) throws(StorageError) -> BlockReference? {
    let reference = BlockReference(unchecked: p)
    if reference.place.segment == 0 {
      guard reference.place.unit == 0, reference.byteCount == 0, reference.check == 0 else {
        throw StorageError(.corruption, "a block reference without a segment has other fields")
      }
      return nil
    }
    guard reference.place.segment <= BlockFormat.segmentMax else {
      throw StorageError(.corruption, "a block reference names segment \(reference.place.segment)")
    }
    guard reference.byteCount > BlockFormat.headerBytes,
      reference.byteCount <= BlockFormat.headerBytes + kind.rawBytesMax
    else {
      throw StorageError(.corruption, "a reference names a \(kind) block of \(reference.byteCount) bytes")
    }
    return reference
  }

  /// The reference at `p`, which was checked before and is one.
  @inline(__always)
  init(unchecked p: UnsafeRawPointer) {
    place = BlockPlace(segment: p.u64(BlockFormat.Reference.segment), unit: p.u32(BlockFormat.Reference.unit))
    byteCount = Int(p.u32(BlockFormat.Reference.byteCount))
    check = p.u32(BlockFormat.Reference.check)
  }

  init(place: BlockPlace, byteCount: Int, check: UInt32) {
    self.place = place
    self.byteCount = byteCount
    self.check = check
  }
}
