/// What a block says about itself.
struct BlockHeader: Equatable, Sendable {
  var kind: BlockKind
  var codec: BlockCodec
  /// `nil` for kinds that belong to no tree.
  var tree: TreeID?
  var level: UInt8
  var storedLength: Int
  var rawLength: Int
  var checkpoint: UInt64
  /// The checksum as it stands.
  var crc: UInt32 = 0

  /// Header and payload.
  var byteCount: Int { BlockFormat.headerBytes + storedLength }

  /// Writes the header in front of a payload that already stands behind it; returns the checksum.
  func seal(at p: UnsafeMutableRawPointer, _ place: BlockPlace) -> UInt32 {
    p.store(u32: UInt32(storedLength), at: BlockFormat.Header.storedLength)
    p.store(u32: UInt32(rawLength), at: BlockFormat.Header.rawLength)
    p.store(u8: kind.rawValue, at: BlockFormat.Header.kind)
    p.store(u8: codec.rawValue, at: BlockFormat.Header.codec)
    p.store(u8: tree?.rawValue ?? BlockFormat.noTree, at: BlockFormat.Header.tree)
    p.store(u8: level, at: BlockFormat.Header.level)
    p.store(u16: 0, at: BlockFormat.Header.dictionary)
    p.store(u16: 0, at: BlockFormat.Header.reserved)
    p.store(u32: 0, at: BlockFormat.Header.keyEpoch)
    p.store(u64: checkpoint, at: BlockFormat.Header.checkpoint)
    let crc = BlockHeader.checksum(UnsafeRawPointer(p), place, storedLength: storedLength)
    p.store(u32: crc, at: BlockFormat.Header.crc)
    return crc
  }

  static func checksum(_ p: UnsafeRawPointer, _ place: BlockPlace, storedLength: Int) -> UInt32 {
    CRC32C.checksum(
      of: UnsafeRawBufferPointer(
        start: p + BlockFormat.Header.storedLength,
        count: BlockFormat.headerBytes - BlockFormat.Header.storedLength + storedLength),
      continuing: place.seed)
  }

  /// The fields of the 32 bytes at `p`. Lengths are within the bounds of the kind; the checksum is not looked at.
  ///
  /// - Throws: `.corruption` when a field cannot be.
  static func read(_ p: UnsafeRawPointer) throws(StorageError) -> BlockHeader {
    guard let kind = BlockKind(rawValue: p.u8(BlockFormat.Header.kind)),
      let codec = BlockCodec(rawValue: p.u8(BlockFormat.Header.codec)),
      p.u16(BlockFormat.Header.reserved) == 0
    else { throw StorageError(.corruption, "no block header") }
    let treeNumber = p.u8(BlockFormat.Header.tree)
    let tree = TreeID(rawValue: treeNumber)
    guard kind.belongsToTree ? tree != nil : treeNumber == BlockFormat.noTree else {
      throw StorageError(.corruption, "a \(kind) block of tree \(treeNumber)")
    }
    let header = BlockHeader(
      kind: kind, codec: codec, tree: tree, level: p.u8(BlockFormat.Header.level),
      storedLength: Int(p.u32(BlockFormat.Header.storedLength)), rawLength: Int(p.u32(BlockFormat.Header.rawLength)),
      checkpoint: p.u64(BlockFormat.Header.checkpoint), crc: p.u32(BlockFormat.Header.crc))
    guard header.level <= BlockFormat.levelMax else {
      throw StorageError(.corruption, "a \(kind) block of level \(header.level)")
    }
    let (stored, raw) = (header.storedLength, header.rawLength)
    guard stored > 0, raw <= kind.rawBytesMax,
      codec == .raw ? stored == raw : stored < raw && raw <= stored * BlockFormat.expansionMax
    else { throw StorageError(.corruption, "a \(kind) block of \(stored) stored and \(raw) raw bytes") }
    guard header.checkpoint.isCountable else {
      throw StorageError(.corruption, "a \(kind) block of checkpoint \(header.checkpoint)")
    }
    return header
  }

  /// Refuses a dictionary or an encryption, which later builds may write. The checksum at `p` was right: else damage could
  /// pass for a newer format.
  static func checkFormat(_ p: UnsafeRawPointer) throws(StorageError) {
    let (dictionary, keyEpoch) = (p.u16(BlockFormat.Header.dictionary), p.u32(BlockFormat.Header.keyEpoch))
    guard dictionary == 0, keyEpoch == 0 else {
      throw StorageError(
        .unsupportedFormat, "a block with dictionary \(dictionary), key epoch \(keyEpoch): use a newer build")
    }
  }
}
