/// Takes blocks for segments, in the order in which they will lie there.
protocol BlockSink: AnyObject {
  /// Adds a block and returns what names it.
  ///
  /// - Parameters: see `BlockWriter.append`.
  /// - Throws: `.resourceExhausted` or `.io` when writing failed; then nothing of what was written counts.
  func append(
    _ raw: UnsafeRawBufferPointer, kind: BlockKind, tree: TreeID?, level: UInt8, compresses: Bool
  ) throws(StorageError) -> BlockReference
}

extension SegmentWriter: BlockSink {}
