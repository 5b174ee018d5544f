/// Turns raw payloads into blocks.
enum BlockWriter {
  /// Appends a block to `buffer`, whose end is to be written at `place`, and returns what names it. Allocates nothing
  /// unless the buffer must grow.
  ///
  /// - Parameters:
  ///   - raw: 1 byte up to the bound of the kind.
  ///   - tree: `nil` just for kinds that belong to no tree.
  ///   - compresses: `false` for payloads known not to shrink.
  static func append(
    _ raw: UnsafeRawBufferPointer, kind: BlockKind, tree: TreeID?, level: UInt8 = 0, checkpoint: UInt64,
    at place: BlockPlace, compresses: Bool = true, to buffer: ByteBuffer
  ) -> BlockReference {
    precondition(!raw.isEmpty && raw.count <= kind.rawBytesMax, "a \(kind) block of \(raw.count) raw bytes")
    precondition(kind.belongsToTree == (tree != nil), "a \(kind) block of tree \(String(describing: tree))")
    precondition(level <= BlockFormat.levelMax, "a block of level \(level)")
    let start = buffer.extend(BlockFormat.headerBytes + raw.count)
    let payload = UnsafeMutableRawBufferPointer(start: start + BlockFormat.headerBytes, count: raw.count)
    let compressed = compresses ? LZ4Block.compress(raw, into: .init(rebasing: payload[..<storedMax(raw.count)])) : nil
    if compressed == nil { payload.copyMemory(from: raw) }
    let header = BlockHeader(
      kind: kind, codec: compressed == nil ? .raw : .lz4, tree: tree, level: level,
      storedLength: compressed ?? raw.count, rawLength: raw.count, checkpoint: checkpoint)
    let check = header.seal(at: start, place)
    buffer.removeLast(raw.count - header.storedLength)
    return BlockReference(place: place, byteCount: header.byteCount, check: check)
  }

  /// The most bytes that are worth storing compressed.
  private static func storedMax(_ rawCount: Int) -> Int {
    rawCount - (rawCount * BlockFormat.savingPercentMin + 99) / 100
  }
}
