/// The segments that references lead into, by number.
struct SegmentSet: Sendable {
  private var readers: [UInt64: SegmentReader] = [:]

  init(_ readers: [SegmentReader] = []) {
    for reader in readers { insert(reader) }
  }

  mutating func insert(_ reader: SegmentReader) { readers[reader.header.segment] = reader }

  /// - Throws: `.corruption` when a reference names a segment that is not there.
  func reader(_ segment: UInt64) throws(StorageError) -> SegmentReader {
    guard let reader = readers[segment] else {
      throw StorageError(.corruption, "a reference names segment \(segment), which is not one of the database's")
    }
    return reader
  }

  mutating func remove(_ segment: UInt64) { readers[segment] = nil }

  /// The reader of a segment, if it is here.
  subscript(segment: UInt64) -> SegmentReader? { readers[segment] }
}
