/// Writes one segment front to back: blocks into a buffer, the buffer in large pieces into a file that is nobody's until
/// ``finish(syncsDirectory:)`` has made it durable and named it.
///
/// After any error the file is removed, as far as that goes, and every later call fails: what was written goes into
/// another segment. Not thread-safe.
final class SegmentWriter {
  /// A finished segment.
  struct Summary: Equatable, Sendable {
    var segment: UInt64
    var fileBytes: UInt64
    var blockCount: Int
  }

  let header: SegmentHeader
  private(set) var blocks: [SegmentBlock] = []
  private let directory: SegmentDirectory
  private let file: any File
  private let buffer: ByteBuffer
  /// Where in the file the buffer begins.
  private var flushedBytes: UInt64 = 0
  /// The file's name as far as it has come.
  private var path: String
  private var ending: StorageError?
  private let faults = StorageFaults.injected

  /// So much is written at a time.
  static let bufferBytes = 1 << 20

  /// - Parameter segment: a number that no segment had before.
  init(
    _ directory: SegmentDirectory, segment: UInt64, lineage: UInt64, checkpoint: UInt64
  ) throws(StorageError) {
    precondition(segment > 0, "a segment without a number")
    header = SegmentHeader(lineage: lineage, segment: segment, checkpoint: checkpoint)
    self.directory = directory
    path = directory.freshPath(segment)
    file = try directory.fileSystem.open(path, .create)
    buffer = ByteBuffer(capacity: SegmentWriter.bufferBytes + (256 << 10))
    header.encode(to: buffer.extend(Int(SegmentFormat.blocksOffset)))
  }

  /// Where the next block begins.
  var offset: UInt64 { flushedBytes + UInt64(buffer.count) }

  /// What the file has once it is finished, if nothing more is added.
  var fileBytes: UInt64 { offset + SegmentFormat.footerBytes(blockCount: blocks.count) }

  /// Adds a block. It is in the file for sure once the segment is finished.
  ///
  /// - Parameters: see `BlockWriter.append`.
  /// - Throws: `.resourceExhausted` or `.io` when writing failed, `.closed` after that or after the end.
  func append(
    _ raw: UnsafeRawBufferPointer, kind: BlockKind, tree: TreeID?, level: UInt8 = 0, compresses: Bool = true
  ) throws(StorageError) -> BlockReference {
    try checkOpen()
    let worst = offset + UInt64(BlockFormat.headerBytes + raw.count) + BlockFormat.alignment
    guard worst < SegmentFormat.byteCountMax, blocks.count < SegmentFormat.blockCountMax else {
      throw StorageError(.invalidArgument, "the segment is full", file: path, offset: offset)
    }
    let place = BlockPlace(
      segment: header.segment, unit: UInt32(truncatingIfNeeded: offset / BlockFormat.alignment))
    let reference = BlockWriter.append(
      raw, kind: kind, tree: tree, level: level, checkpoint: header.checkpoint, at: place, compresses: compresses,
      to: buffer)
    buffer.appendZeros(Int(alignUp(offset, BlockFormat.alignment) - offset))
    blocks.append(SegmentBlock(reference: reference, kind: kind, tree: tree, level: level))
    if buffer.count >= SegmentWriter.bufferBytes { try flush() }
    return reference
  }

  /// Writes the footer, makes the file durable and gives it its name.
  ///
  /// - Parameter syncsDirectory: `false` for a caller that syncs the folder once for several segments; the name is
  ///   durable only after that.
  func finish(syncsDirectory: Bool = true) throws(StorageError) -> Summary {
    try checkOpen()
    let summary = Summary(segment: header.segment, fileBytes: fileBytes, blockCount: blocks.count)
    try attempt { () throws(StorageError) in
      SegmentFooter.append(blocks, segment: header.segment, at: offset, to: buffer)
      try writeBuffer()
      if !faults.contains(.segmentNotSynced) { try file.sync() }
      let target = directory.filePath(header.segment)
      try directory.fileSystem.rename(path, to: target)
      path = target
      if syncsDirectory, !faults.contains(.segmentNameNotSynced) {
        try directory.fileSystem.syncDirectory(directory.path)
      }
    }
    file.close()
    ending = StorageError(.closed, "the segment is finished", file: path)
    return summary
  }

  /// Gives up: takes back what the file occupies, as far as that goes.
  func abandon() {
    guard ending == nil else { return }
    ending = StorageError(.closed, "the segment was abandoned", file: path)
    file.close()
    try? directory.fileSystem.remove(path)
  }

  /// Writes what is in the buffer.
  func flush() throws(StorageError) {
    try checkOpen()
    try attempt { () throws(StorageError) in try writeBuffer() }
  }

  private func writeBuffer() throws(StorageError) {
    try file.write(buffer.bytes, at: flushedBytes)
    flushedBytes += UInt64(buffer.count)
    buffer.removeAll()
  }

  private func attempt(_ body: () throws(StorageError) -> Void) throws(StorageError) {
    do throws(StorageError) {
      try body()
    } catch {
      abandon()
      ending = StorageError(
        .closed, "the segment was abandoned after an error", at: error.place, cause: error.description)
      throw error
    }
  }

  private func checkOpen() throws(StorageError) {
    if let ending { throw ending }
  }
}
