/// What stands in a leaf for a value that is too long for it: where the value is, and how long.
///
/// | offset | size | field |
/// |---|---|---|
/// | 0 | 20 | reference to a blob block, whose raw payload is the value |
/// | 20 | 4 | bytes of the value |
///
/// On disk since format 0 (FORMAT.md, "Blob reference").
struct BlobReference: Equatable, Sendable {
  static let byteCount = BlockFormat.referenceBytes + 4

  let block: BlockReference
  let valueBytes: Int

  init(block: BlockReference, valueBytes: Int) {
    self.block = block
    self.valueBytes = valueBytes
  }

  /// - Throws: `.corruption` when it cannot be one.
  init(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
    guard let p = bytes.baseAddress, bytes.count == BlobReference.byteCount,
      let block = try BlockReference.read(p, kind: .blob)
    else { throw StorageError(.corruption, "\(bytes.count) bytes are no reference to a long value") }
    self.block = block
    valueBytes = Int(p.u32(BlockFormat.referenceBytes))
    guard valueBytes > 0, valueBytes <= StorageLimits.valueBytesMax else {
      throw StorageError(.corruption, "a reference to a value of \(valueBytes) bytes")
    }
  }

  /// Calls `body` with the bytes that stand for the value.
  func withBytes<R>(_ body: (UnsafeRawBufferPointer) throws(StorageError) -> R) throws(StorageError) -> R {
    try withUnsafeTemporaryAllocation(byteCount: BlobReference.byteCount, alignment: 8) {
      (bytes) throws(StorageError) -> R in
      guard let p = bytes.baseAddress else { throw StorageError(.io, "no memory for a reference") }
      block.encode(to: p)
      p.store(u32: UInt32(valueBytes), at: BlockFormat.referenceBytes)
      return try body(UnsafeRawBufferPointer(bytes))
    }
  }

  /// Reads the value and appends it to `target`.
  func appendValue(
    _ segments: SegmentSet, _ tree: TreeID, to target: ByteBuffer
  ) throws(StorageError) {
    let segment = try segments.reader(self.block.place.segment)
    let stored = ByteBuffer(capacity: self.block.byteCount)
    let block = try segment.read(self.block, expecting: .blob, using: stored)
    guard block.header.tree == tree, block.header.rawLength == valueBytes else {
      throw StorageError(
        .corruption, "a long value of \(block.header.rawLength) bytes where one of \(valueBytes) belongs",
        file: segment.path, offset: self.block.place.offset)
    }
    let value = UnsafeMutableRawBufferPointer(start: target.extend(valueBytes), count: valueBytes)
    do throws(StorageError) {
      try block.decode(into: value)
      withExtendedLifetime(stored) {}
    } catch {
      throw error.placed(file: segment.path, offset: self.block.place.offset)
    }
  }
}
