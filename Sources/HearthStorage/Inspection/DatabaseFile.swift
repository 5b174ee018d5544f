/// Which of a database's files a file is, by its content alone.
package enum DatabaseFile: String, Sendable {
  case superblocks, log, segment

  /// - Returns: `nil` for a file that is none of ours, or of which nothing is left that tells.
  /// - Throws: what opening and reading throws.
  package static func kind(of path: String, fileSystem: any FileSystem) throws(StorageError) -> DatabaseFile? {
    let file = try fileSystem.open(path, .read)
    defer { file.close() }
    // Headers are there twice, slots four times.
    for slot in 0..<SuperblockFormat.slotCount {
      let bytes = try file.readBytes(8, at: UInt64(slot * SuperblockFormat.slotBytes))
      guard bytes.count == 8 else { break }
      switch bytes.withUnsafeBytes({ $0.baseAddress!.u64(0) }) {
      case SuperblockFormat.magic: return .superblocks
      case WALFormat.magic: return .log
      case SegmentFormat.magic: return .segment
      default: continue
      }
    }
    // What is left of a segment without headers.
    let size = try file.size()
    guard size >= UInt64(SegmentFormat.trailerBytes) else { return nil }
    let trailer = try file.readBytes(8, at: size - UInt64(SegmentFormat.trailerBytes))
    let isSegment = trailer.withUnsafeBytes { $0.count == 8 && $0.baseAddress!.u64(0) == SegmentFormat.trailerMagic }
    return isSegment ? .segment : nil
  }

  /// The slots of a file of superblocks.
  package static func slots(_ path: String, fileSystem: any FileSystem) throws(StorageError) -> [DatabaseReport.Slot] {
    try SuperblockStore.read(file: path, fileSystem: fileSystem).enumerated().map { DatabaseReport.Slot($0, $1) }
  }
}
