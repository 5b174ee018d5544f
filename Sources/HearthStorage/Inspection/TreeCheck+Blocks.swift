/// Following references to blocks, each once.
extension TreeCheck {
  /// Why a reference is not followed.
  struct Refusal: Error {
    let kind: Finding.Kind
    let error: StorageError
  }

  /// Notes that a reference leads to a block, after looking at the block's header alone.
  ///
  /// - Throws: what is wrong, as an error and as the kind of finding that it is: a segment that is not there, a block that
  ///   something else leads to as well, a header that says otherwise.
  func claim(
    _ reference: BlockReference, _ kind: BlockKind, tree: TreeID?, level: UInt8
  ) throws(StorageError) -> Source {
    do throws(Refusal) {
      return try claimOrRefuse(reference, kind, tree: tree, level: level)
    } catch { throw error.error }
  }

  func claimOrRefuse(
    _ reference: BlockReference, _ kind: BlockKind, tree: TreeID?, level: UInt8
  ) throws(Refusal) -> Source {
    let place = reference.place
    guard let source = sources[place.segment] else {
      let isListed = listedSegments.contains(place.segment)
      throw Refusal(
        kind: isListed ? .block : .reference,
        error: StorageError(
          .corruption,
          "a \(kind) block in segment \(place.segment), which "
            + (isListed ? "can't be read" : "the checkpoint does not list")))
    }
    let end = place.offset + UInt64(reference.byteCount)
    guard place.offset >= SegmentFormat.blocksOffset, end <= source.reader.fileBytes else {
      throw Refusal(
        kind: .reference,
        error: StorageError(
          .corruption, "a \(kind) block from \(place.offset) to \(end) in a file of \(source.reader.fileBytes) bytes"))
    }
    let units = UnitSet.units(of: place, byteCount: reference.byteCount)
    guard source.claimed.cover(units) == .none else {
      throw Refusal(
        kind: .sharedBlock,
        error: StorageError(
          .corruption, "a second reference to this \(kind) block of \(reference.byteCount) bytes, or to a part of it"))
    }
    let header = try header(reference, kind, source.reader)
    guard header.tree == tree, header.level == level else {
      throw Refusal(
        kind: .level,
        error: StorageError(
          .corruption,
          "a block of tree \(header.tree?.rawValue ?? BlockFormat.noTree), level \(header.level) where one of tree "
            + "\(tree?.rawValue ?? BlockFormat.noTree), level \(level) belongs"))
    }
    source.claimed.insert(units)
    return source
  }

  /// The header of a block, which is what the reference says of it. The checksum itself is not computed.
  private func header(
    _ reference: BlockReference, _ kind: BlockKind, _ reader: SegmentReader
  ) throws(Refusal) -> BlockHeader {
    do throws(StorageError) {
      let header = try reader.readHeader(reference.place)
      guard header.kind == kind, header.byteCount == reference.byteCount, header.crc == reference.check else {
        throw StorageError(
          .corruption,
          "a \(header.kind) block of \(header.byteCount) bytes with checksum 0x\(hex(header.crc)) where a \(kind) block of"
            + " \(reference.byteCount) with 0x\(hex(reference.check)) belongs")
      }
      return header
    } catch {
      throw Refusal(kind: error.code == .unsupportedFormat ? .unsupported : .block, error: error)
    }
  }

  /// Reads a block that was claimed, checks and decodes it, and calls `body` with the raw payload.
  func raw<R>(
    _ reference: BlockReference, _ kind: BlockKind, _ reader: SegmentReader,
    _ body: (UnsafeRawBufferPointer) throws(StorageError) -> R
  ) throws(StorageError) -> R {
    try reader.withRaw(reference, expecting: kind, using: buffer) { (_, raw) throws(StorageError) in try body(raw) }
  }
}

extension SegmentReader {
  /// What the block at a place says of itself; only its fields are checked.
  func readHeader(_ place: BlockPlace) throws(StorageError) -> BlockHeader {
    let bytes = try file.readBytes(BlockFormat.headerBytes, at: place.offset)
    do throws(StorageError) {
      guard bytes.count == BlockFormat.headerBytes else {
        throw StorageError(.corruption, "the block's header is cut off")
      }
      return try bytes.withUnsafeBufferPointer { (bytes) throws(StorageError) in
        try BlockHeader.read(UnsafeRawPointer(bytes.baseAddress!))
      }
    } catch { throw error.placed(file: path, offset: place.offset) }
  }
}
