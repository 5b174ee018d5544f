/// Finds the newest checkpoint by the segments alone, for a database whose superblock is lost or not asked.
///
/// A record is the last of its kind in its segment. Whether a superblock ever named it cannot be told from here.
enum CheckpointScan {
  struct Found {
    var record: CheckpointRecord
    /// Names the record's block.
    var place: BlockReference
  }

  /// - Returns: `nil` when no segment holds a record that checks.
  /// - Throws: what reading the folder throws.
  static func newest(_ directory: SegmentDirectory) throws(StorageError) -> Found? {
    guard try directory.fileSystem.kind(of: directory.path) == .directory else { return nil }
    var readers = try SegmentInventory(directory).finished.compactMap { segment in
      try? SegmentReader.open(directory, segment: segment)
    }
    // A record stands in a segment that was written for its checkpoint.
    readers.sort { ($0.header.checkpoint, $0.header.segment) > ($1.header.checkpoint, $1.header.segment) }
    for reader in readers {
      if let found = record(in: reader) { return found }
    }
    return nil
  }

  /// The last record of a segment that checks.
  static func record(in reader: SegmentReader) -> Found? {
    guard let blocks = try? reader.listBlocks().blocks else { return nil }
    return CheckpointRecord.last(of: blocks, in: reader).map { Found(record: $0.record, place: $0.place) }
  }
}
