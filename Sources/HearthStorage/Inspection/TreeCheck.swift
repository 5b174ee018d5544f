/// Checks a whole checkpoint: its record, the segments that it lists, its trees page by page, and what usage says of them.
///
/// It reads the files and nothing else, and goes on behind what it finds. Whatever they hold, it ends: no block is entered
/// twice, since each is noted in a set of units when something leads to it, and levels fall on the way down. Memory: a
/// bit per 64 bytes of file that is in use, one path of pages, one segment's list of blocks. Not thread-safe.
final class TreeCheck {
  /// A segment while it is being checked.
  final class Source {
    let reader: SegmentReader
    /// What something leads to.
    var claimed: UnitSet

    init(_ reader: SegmentReader) {
      self.reader = reader
      claimed = UnitSet(byteCount: reader.fileBytes)
    }
  }

  let record: CheckpointRecord
  let place: BlockReference?
  private(set) var sources: [UInt64: Source] = [:]
  let failures: [UInt64: StorageError]
  let listedSegments: Set<UInt64>
  let depth: CheckReport.Depth
  var report: CheckReport
  /// Whether every reference of the trees was followed, so that what is not claimed is not needed.
  var isWalkWhole = true
  let buffer = ByteBuffer()
  private var progress = CheckReport.Progress()
  private let onProgress: (CheckReport.Progress) -> Bool

  /// - Parameters:
  ///   - place: names the record's block, when it is known.
  ///   - segments: of those that the record lists, all that could be opened.
  ///   - failures: why others could not.
  ///   - onProgress: called now and then; `false` ends the check.
  init(
    _ record: CheckpointRecord, at place: BlockReference?, _ segments: [SegmentReader],
    failures: [UInt64: StorageError] = [:], depth: CheckReport.Depth, findingsMax: Int = 200,
    onProgress: @escaping (CheckReport.Progress) -> Bool = { _ in true }
  ) {
    self.record = record
    self.place = place
    self.failures = failures
    listedSegments = Set(record.segments.map(\.segment))
    self.depth = depth
    self.onProgress = onProgress
    for reader in segments {
      sources[reader.header.segment] = Source(reader)
      progress.bytesInAll += reader.fileBytes
    }
    report = CheckReport(
      depth: depth, checkpoint: record.number, commitVersion: record.commitVersion,
      findings: FindingList(countMax: findingsMax), entryCounts: record.roots.map { $0?.child.entryCount ?? 0 })
  }

  func run() -> CheckReport {
    checkListedSegments()
    checkRecord()
    for (tree, root) in zip(TreeID.allCases, record.roots) {
      if let root { check(root, of: tree) }
    }
    let usage = UsageStream(self)
    for listed in record.segments where report.isComplete { checkBlocks(of: listed, usage) }
    usage.finish()
    return report
  }

  func find(_ finding: Finding) { report.findings.add(finding) }

  /// Notes that a block was looked at, and asks whether to go on.
  func advance(_ byteCount: Int) {
    progress.blockCount += 1
    progress.bytes += UInt64(byteCount)
    if progress.blockCount % 256 == 0, !onProgress(progress) { report.isComplete = false }
  }

  // MARK: Record and segments

  private func checkRecord() {
    guard let place else { return }
    do throws(StorageError) {
      let source = try claim(place, .checkpoint, tree: nil, level: 0)
      let same = try raw(place, .checkpoint, source.reader) { (raw) throws(StorageError) in
        try CheckpointRecord.read(raw) == record
      }
      if !same { throw StorageError(.corruption, "the block holds another record") }
    } catch {
      find(Finding(kind: .record, error, at: place, sources[place.place.segment]?.reader))
    }
  }

  private func checkListedSegments() {
    for listed in record.segments {
      guard let reader = sources[listed.segment]?.reader else {
        let error = failures[listed.segment] ?? StorageError(.notFound, "segment \(listed.segment) is not there")
        find(
          Finding(
            kind: error.code == .notFound ? .segmentMissing : .segmentUnusable,
            message: error.code == .notFound ? "segment \(listed.segment) is not there" : error.message,
            file: error.place?.file, offset: error.place?.offset))
        continue
      }
      let hasNoLength = place.map { $0.place.segment == listed.segment } ?? (listed.fileBytes == 0)
      if hasNoLength ? listed.fileBytes != 0 : listed.fileBytes != reader.fileBytes {
        find(
          Finding(
            kind: .segmentLength,
            message: "segment \(listed.segment) has \(reader.fileBytes) bytes, the record says \(listed.fileBytes)",
            file: reader.path))
      }
      if listed.checkpoint != reader.header.checkpoint {
        find(
          Finding(
            kind: .segmentUnusable,
            message: "segment \(listed.segment) was written for checkpoint \(reader.header.checkpoint), the record says"
              + " \(listed.checkpoint)", file: reader.path))
      }
      checkHeaderCopies(reader)
    }
  }

  /// Each copy alone must give what both together gave.
  private func checkHeaderCopies(_ reader: SegmentReader) {
    for copy in SegmentFormat.headerCopyOffsets {
      do throws(StorageError) {
        var image = try reader.file.readBytes(Int(SegmentFormat.blocksOffset), at: 0)
        for other in SegmentFormat.headerCopyOffsets where other != copy && Int(other) + 8 <= image.count {
          for index in 0..<8 { image[Int(other) + index] = 0 }
        }
        let header = try image.withUnsafeBufferPointer { (image) throws(StorageError) in
          try SegmentHeader.read(UnsafeRawBufferPointer(image))
        }
        guard header == reader.header else { throw StorageError(.corruption, "it names another segment") }
      } catch {
        find(
          Finding(
            kind: .segmentHeader,
            message: "the copy of the segment's header at offset \(copy) does not count: \(error.message)",
            file: reader.path, offset: copy))
      }
    }
  }
}

extension Finding {
  /// An error met at the block that `reference` names.
  init(
    kind: Kind, _ error: StorageError, at reference: BlockReference, _ reader: SegmentReader?, tree: TreeID? = nil,
    level: UInt8? = nil, keyPrefix: [UInt8]? = nil
  ) {
    self.init(
      kind: error.code == .unsupportedFormat ? .unsupported : kind, message: error.message,
      file: reader?.path ?? error.place?.file, offset: reference.place.offset, block: nil, tree: tree, level: level,
      keyPrefix: keyPrefix)
  }
}
