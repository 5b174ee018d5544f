/// What a checkpoint consists of: the one block that a superblock needs to name.
struct CheckpointRecord: Equatable, Sendable {
  struct Segment: Equatable, Sendable {
    var segment: UInt64
    /// 0 for the segment that the record itself stands in, whose length is not known when the record is written.
    var fileBytes: UInt64
    /// The checkpoint that it was written for.
    var checkpoint: UInt64
  }

  var number: UInt64
  var lineage: UInt64
  var commitVersion: UInt64
  var commitTime: Int64
  var logPosition: UInt64
  var logGeneration: UInt64
  var logChain: UInt32
  /// Above the number of every segment ever begun.
  var nextSegment: UInt64
  /// Of all keys and values.
  var stateBytes: UInt64
  /// `nil` when there are no segments.
  var usageRoot: BlockReference?
  /// By `TreeID.rawValue`; `nil` for an empty tree.
  var roots: [TreeRoot?]
  /// By number.
  var segments: [Segment]

  /// The raw payload of the record's block. What ``read(_:)`` would refuse traps here.
  func encoded() -> [UInt8] {
    precondition(fault == nil, "a checkpoint record with \(fault ?? "")")
    typealias Format = CheckpointRecordFormat
    var image = [UInt8](repeating: 0, count: Format.segments + segments.count * Format.segmentBytes)
    image.withUnsafeMutableBytes { buffer in
      guard let p = buffer.baseAddress else { return }
      p.store(u64: number, at: Format.number)
      p.store(u64: lineage, at: Format.lineage)
      p.store(u64: commitVersion, at: Format.commitVersion)
      p.store(u64: UInt64(bitPattern: commitTime), at: Format.commitTime)
      p.store(u64: logPosition, at: Format.logPosition)
      p.store(u64: logGeneration, at: Format.logGeneration)
      p.store(u32: logChain, at: Format.logChain)
      p.store(u32: UInt32(segments.count), at: Format.segmentCount)
      p.store(u64: nextSegment, at: Format.nextSegment)
      p.store(u64: stateBytes, at: Format.stateBytes)
      usageRoot?.encode(to: p + Format.usageRoot)
      for (index, root) in roots.enumerated() {
        guard let root else { continue }
        let at = p + Format.roots + index * Format.rootBytes
        at.store(u64: UInt64(root.child.entryCount), at: Format.Root.entryCount)
        at.store(u8: root.level, at: Format.Root.level)
        root.child.encode(to: at + Format.Root.child)
      }
      for (index, segment) in segments.enumerated() {
        let at = p + Format.segments + index * Format.segmentBytes
        at.store(u64: segment.segment, at: Format.Segment.segment)
        at.store(u64: segment.fileBytes, at: Format.Segment.fileBytes)
        at.store(u64: segment.checkpoint, at: Format.Segment.checkpoint)
      }
    }
    return image
  }

  /// The record in a block's raw payload.
  ///
  /// - Throws: `.corruption` when it is not one that could have been written.
  static func read(_ bytes: UnsafeRawBufferPointer) throws(StorageError) -> CheckpointRecord {
    typealias Format = CheckpointRecordFormat
    guard let p = bytes.baseAddress, bytes.count >= Format.segments else { throw damage("\(bytes.count) bytes") }
    let segmentCount = Int(p.u32(Format.segmentCount))
    guard bytes.count == Format.segments + segmentCount * Format.segmentBytes, p.u32(Format.reserved) == 0 else {
      throw damage("\(segmentCount) segments in \(bytes.count) bytes")
    }
    var roots: [TreeRoot?] = []
    for index in TreeID.allCases.indices {
      roots.append(try readRoot(p + Format.roots + index * Format.rootBytes))
    }
    let record = CheckpointRecord(
      number: p.u64(Format.number), lineage: p.u64(Format.lineage), commitVersion: p.u64(Format.commitVersion),
      commitTime: Int64(bitPattern: p.u64(Format.commitTime)), logPosition: p.u64(Format.logPosition),
      logGeneration: p.u64(Format.logGeneration), logChain: p.u32(Format.logChain),
      nextSegment: p.u64(Format.nextSegment), stateBytes: p.u64(Format.stateBytes),
      usageRoot: try BlockReference.read(p + Format.usageRoot, kind: .usage), roots: roots,
      segments: (0..<segmentCount).map { index in
        let at = p + Format.segments + index * Format.segmentBytes
        return Segment(
          segment: at.u64(Format.Segment.segment), fileBytes: at.u64(Format.Segment.fileBytes),
          checkpoint: at.u64(Format.Segment.checkpoint))
      })
    if let fault = record.fault { throw damage(fault) }
    return record
  }

  private static func readRoot(_ p: UnsafeRawPointer) throws(StorageError) -> TreeRoot? {
    typealias Root = CheckpointRecordFormat.Root
    if (0..<CheckpointRecordFormat.rootBytes).allSatisfy({ p.u8($0) == 0 }) { return nil }
    let (entryCount, level) = (p.u64(Root.entryCount), p.u8(Root.level))
    guard entryCount > 0, entryCount.isCountable, level <= BlockFormat.levelMax,
      (Root.reserved..<Root.child).allSatisfy({ p.u8($0) == 0 })
    else { throw damage("a root of \(entryCount) entries at level \(level)") }
    return TreeRoot(child: try ChildReference.read(p + Root.child, entryCount: Int(entryCount)), level: level)
  }

  /// What makes a record one that cannot be; `nil` for a good one.
  private var fault: String? {
    let numbers = [number, commitVersion, logPosition, logGeneration, nextSegment, stateBytes, commitTime.magnitude]
    guard numbers.allSatisfy(\.isCountable) else { return "a number out of range" }
    guard nextSegment <= BlockFormat.segmentMax else { return "next segment \(nextSegment)" }
    guard roots.count == TreeID.allCases.count else { return "\(roots.count) roots" }
    var before: UInt64 = 0
    for item in segments {
      guard item.segment > before, item.segment < nextSegment, item.fileBytes <= SegmentFormat.byteCountMax,
        item.checkpoint <= number
      else { return "segment \(item.segment) of checkpoint \(item.checkpoint)" }
      before = item.segment
    }
    for root in roots {
      guard let root else { continue }
      guard root.level == 0 || (root.child.deadBytes == 0 && !root.child.hasBlobs) else {
        return "dead bytes or blobs in an inner root"
      }
      for reference in [root.child.base, root.child.delta ?? root.child.base] where !names(reference) {
        return "a root in segment \(reference.place.segment)"
      }
    }
    if let usageRoot, !names(usageRoot) { return "usage in segment \(usageRoot.place.segment)" }
    return nil
  }

  /// Whether a reference leads into a segment of the list, and there to where blocks can be.
  private func names(_ reference: BlockReference) -> Bool {
    var low = 0
    var length = segments.count
    while length > 0 {
      let half = length / 2
      if segments[low + half].segment < reference.place.segment {
        low += half + 1
        length -= half + 1
      } else {
        length = half
      }
    }
    guard low < segments.count, segments[low].segment == reference.place.segment else { return false }
    let (offset, fileBytes) = (reference.place.offset, segments[low].fileBytes)
    return offset >= SegmentFormat.blocksOffset
      && (fileBytes == 0 || offset + UInt64(reference.byteCount) <= fileBytes)
  }

  private static func damage(_ what: String) -> StorageError {
    StorageError(.corruption, "damaged checkpoint record: \(what)")
  }
}
