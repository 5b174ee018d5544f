/// Reads blocks of one segment.
///
/// Threading: any thread; each call has a buffer of its own.
final class SegmentReader: Sendable {
  let path: String
  let header: SegmentHeader
  let fileBytes: UInt64
  let file: any File

  /// Opens a segment and checks that it is the one it should be.
  ///
  /// - Parameter lineage: of the database that it should belong to; `nil` for any.
  /// - Throws: `.corruption` when its header is damaged or names another segment or database, `.unsupportedFormat` for
  ///   another format, `.notFound` and others of the file system.
  static func open(
    _ directory: SegmentDirectory, segment: UInt64, lineage: UInt64? = nil
  ) throws(StorageError) -> SegmentReader {
    let path = directory.filePath(segment)
    let file = try directory.fileSystem.open(path, .read)
    return try SegmentReader(file, path: path, segment: segment, lineage: lineage)
  }

  /// - Parameter file: closed by the reader's end, or here when it is not that segment.
  init(_ file: any File, path: String, segment: UInt64, lineage: UInt64?) throws(StorageError) {
    do throws(StorageError) {
      let header = try SegmentHeader.read(from: file, path: path)
      guard header.segment == segment, lineage == nil || lineage == header.lineage else {
        throw StorageError(
          .corruption,
          "the file holds segment \(header.segment) of database \(String(header.lineage, radix: 16)), expected"
            + " \(segment) of \(String(lineage ?? header.lineage, radix: 16))", file: path, offset: 0)
      }
      fileBytes = try file.size()
      self.header = header
    } catch {
      file.close()
      throw error
    }
    self.file = file
    self.path = path
  }

  deinit { file.close() }

  /// A segment whose header is damaged, by what is known of it elsewhere.
  init(_ file: any File, path: String, trusting header: SegmentHeader) throws(StorageError) {
    do throws(StorageError) { fileBytes = try file.size() } catch {
      file.close()
      throw error
    }
    self.file = file
    self.path = path
    self.header = header
  }

  /// Reads one block into `buffer`, where it stays valid until the buffer is used again, and checks it against the
  /// reference. What does not agree is read a second time.
  ///
  /// - Throws: `.corruption` with file and offset when it is still not that block.
  func read(
    _ reference: BlockReference, expecting kind: BlockKind, using buffer: ByteBuffer
  ) throws(StorageError) -> BlockView {
    precondition(reference.place.segment == header.segment, "a block of segment \(reference.place.segment)")
    do throws(StorageError) {
      return try readOnce(reference, kind, buffer)
    } catch {
      guard error.code == .corruption else { throw error }
      return try readOnce(reference, kind, buffer)
    }
  }

  private func readOnce(
    _ reference: BlockReference, _ kind: BlockKind, _ buffer: ByteBuffer
  ) throws(StorageError) -> BlockView {
    do throws(StorageError) {
      let view = try view(reference.place, byteCount: reference.byteCount, buffer)
      guard view.header.crc == reference.check, view.header.byteCount == reference.byteCount,
        view.header.kind == kind
      else {
        throw StorageError(
          .corruption,
          "a \(view.header.kind) block with checksum 0x\(hex(view.header.crc)) where a \(kind) block with 0x"
            + "\(hex(reference.check)) belongs")
      }
      return view
    } catch { throw error.placed(file: path, offset: reference.place.offset) }
  }

  private func view(_ place: BlockPlace, byteCount: Int, _ buffer: ByteBuffer) throws(StorageError) -> BlockView {
    guard place.offset >= SegmentFormat.blocksOffset, place.offset + UInt64(byteCount) <= fileBytes else {
      throw StorageError(.corruption, "a block of \(byteCount) bytes reaches out of a file of \(fileBytes)")
    }
    buffer.removeAll()
    let memory = UnsafeMutableRawBufferPointer(start: buffer.extend(byteCount), count: byteCount)
    let count = try file.read(into: memory, at: place.offset)
    return try BlockView(UnsafeRawBufferPointer(rebasing: memory[..<count]), at: place)
  }

  /// Reads one block as ``read(_:expecting:using:)`` does, and calls `body` with its header and its raw payload.
  ///
  /// - Throws: `.corruption` with file and offset when the block or its payload is not as it was written; what `body`
  ///   throws, with that place.
  func withRaw<R>(
    _ reference: BlockReference, expecting kind: BlockKind, using buffer: ByteBuffer = ByteBuffer(),
    _ body: (BlockHeader, UnsafeRawBufferPointer) throws(StorageError) -> R
  ) throws(StorageError) -> R {
    // The payload lies in the buffer.
    defer { withExtendedLifetime(buffer) {} }
    let block = try read(reference, expecting: kind, using: buffer)
    do throws(StorageError) {
      return try block.withRaw { (raw) throws(StorageError) in try body(block.header, raw) }
    } catch {
      throw error.placed(file: path, offset: reference.place.offset)
    }
  }

  // MARK: Listing

  /// The blocks of a segment, front to back.
  struct Listing {
    var blocks: [SegmentBlock]
    /// Why the footer was of no use and the blocks were found by walking; `nil` when the footer lists them.
    var footerDamage: StorageError?
    /// Of a walk: where it ended, at the first place that holds no block.
    var end: UInt64
  }

  /// Lists the blocks from the footer or, when there is none that checks, by walking from block to block.
  ///
  /// - Throws: what the file system throws.
  func listBlocks() throws(StorageError) -> Listing {
    let damage: StorageError
    do throws(StorageError) {
      let blocks = try readFooter()
      return Listing(blocks: blocks, footerDamage: nil, end: blocks.last?.end ?? SegmentFormat.blocksOffset)
    } catch {
      guard error.code == .corruption else { throw error }
      damage = error
    }
    var listing = Listing(blocks: [], footerDamage: damage, end: SegmentFormat.blocksOffset)
    let buffer = ByteBuffer()
    while let block = try block(at: listing.end, buffer) {
      listing.blocks.append(block)
      listing.end = block.end
    }
    return listing
  }

  /// The list of blocks as the footer has it.
  ///
  /// - Throws: `.corruption` when there is no footer that checks.
  func readFooter() throws(StorageError) -> [SegmentBlock] {
    let trailerBytes = UInt64(SegmentFormat.trailerBytes)
    guard fileBytes >= SegmentFormat.blocksOffset + trailerBytes, fileBytes <= SegmentFormat.byteCountMax else {
      throw StorageError(.corruption, "the segment is cut off", file: path, offset: fileBytes)
    }
    let trailerOffset = fileBytes - trailerBytes
    do throws(StorageError) {
      let trailer = try file.readBytes(SegmentFormat.trailerBytes, at: trailerOffset)
      guard trailer.count == SegmentFormat.trailerBytes else {
        throw StorageError(.corruption, "the segment is cut off")
      }
      let offset = try trailer.withUnsafeBufferPointer { (trailer) throws(StorageError) in
        try SegmentFooter.offset(
          trailer: UnsafeRawPointer(trailer.baseAddress!), segment: header.segment, fileBytes: fileBytes)
      }
      let footer = try file.readBytes(Int(fileBytes - offset), at: offset)
      return try footer.withUnsafeBufferPointer { (footer) throws(StorageError) in
        try SegmentFooter.read(UnsafeRawBufferPointer(footer), segment: header.segment, offset: offset)
      }
    } catch { throw error.placed(file: path, offset: trailerOffset) }
  }

  /// The block that begins at `offset`, or `nil` when none does that checks.
  private func block(at offset: UInt64, _ buffer: ByteBuffer) throws(StorageError) -> SegmentBlock? {
    guard offset + UInt64(BlockFormat.headerBytes) <= fileBytes, offset < SegmentFormat.byteCountMax else { return nil }
    let place = BlockPlace(
      segment: header.segment, unit: UInt32(truncatingIfNeeded: offset / BlockFormat.alignment))
    do throws(StorageError) {
      let head = try file.readBytes(BlockFormat.headerBytes, at: offset)
      guard head.count == BlockFormat.headerBytes else { return nil }
      let claimed = try head.withUnsafeBufferPointer { (head) throws(StorageError) in
        try BlockHeader.read(UnsafeRawPointer(head.baseAddress!))
      }
      let found = try view(place, byteCount: claimed.byteCount, buffer).header
      return SegmentBlock(
        reference: BlockReference(place: place, byteCount: found.byteCount, check: found.crc), kind: found.kind,
        tree: found.tree, level: found.level)
    } catch {
      if error.code == .corruption || error.code == .unsupportedFormat { return nil }
      throw error
    }
  }
}
