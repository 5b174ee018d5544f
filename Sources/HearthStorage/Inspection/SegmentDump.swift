/// Shows what one segment holds, whole or damaged, without its database. Reads only.
package final class SegmentDump: Sendable {
  /// A block as the segment lists it.
  package struct Block: Sendable {
    package let ordinal: Int
    package let offset: UInt64
    /// Header and payload.
    package let byteCount: Int
    /// `page`, `usage`, `checkpoint`, and those that are reserved.
    package let kind: String
    package let tree: TreeID?
    package let level: UInt8
    package let check: UInt32
  }

  package let path: String
  package let fileBytes: UInt64
  /// What is wrong with the header; number and checkpoint are then guesses by the file's name.
  package let headerProblem: String?
  package let segment: UInt64
  package let lineage: UInt64
  /// That it was written for.
  package let checkpoint: UInt64
  /// What is wrong with the footer; the blocks were then found one by one.
  package let footerProblem: String?
  package let blocks: [Block]
  /// Where the last block ends.
  package let blocksEnd: UInt64
  let reader: SegmentReader

  /// - Throws: `.unsupportedFormat` for a segment of another build, and what opening and reading throws. A damaged file
  ///   is no error.
  package init(_ path: String, fileSystem: any FileSystem) throws(StorageError) {
    let file = try fileSystem.open(path, .read)
    var problem: String?
    var header: SegmentHeader
    do throws(StorageError) {
      header = try SegmentHeader.read(from: file, path: path)
    } catch {
      guard error.code == .corruption else {
        file.close()
        throw error
      }
      problem = error.message
      let name = path.split(separator: "/").last.map(String.init) ?? path
      header = SegmentHeader(lineage: 0, segment: SegmentDirectory.number(of: name) ?? 0, checkpoint: 0)
    }
    let reader = try SegmentReader(file, path: path, trusting: header)
    let listing = try reader.listBlocks()
    self.path = path
    self.reader = reader
    fileBytes = reader.fileBytes
    headerProblem = problem
    (segment, lineage, checkpoint) = (header.segment, header.lineage, header.checkpoint)
    footerProblem = listing.footerDamage?.message
    blocksEnd = listing.end
    blocks = listing.blocks.enumerated().map { ordinal, block in
      Block(
        ordinal: ordinal, offset: block.reference.place.offset, byteCount: block.reference.byteCount,
        kind: "\(block.kind)", tree: block.tree, level: block.level, check: block.reference.check)
    }
  }

  /// The block that begins at `offset`, or what is there instead.
  ///
  /// - Throws: what reading the file throws.
  package func block(at offset: UInt64) throws(StorageError) -> BlockReport {
    try BlockReport(reader, offset: offset, ordinal: blocks.firstIndex { $0.offset == offset })
  }
}
