/// The usage of a checkpoint, segment by segment as they are asked for. Holds one usage block at a time.
final class UsageStream {
  enum Answer {
    case usage(SegmentUsage)
    /// Usage does not speak of the segment.
    case none
    /// What would speak of it can't be read.
    case unknown
  }

  private let check: TreeCheck
  /// Blocks of level 0 that are still to be read, by segment.
  private var items: [UsageIndex.Item] = []
  private var usages: ArraySlice<SegmentUsage> = []
  /// Segments from here up to the next item's are unknown.
  private var isBroken = false
  private var lastSegment: UInt64 = 0

  init(_ check: TreeCheck) {
    self.check = check
    guard let root = check.record.usageRoot else { return }
    do throws(StorageError) {
      let source = try check.claim(root, .usage, tree: nil, level: try level(of: root))
      check.advance(root.byteCount)
      try check.raw(root, .usage, source.reader) { (raw) throws(StorageError) in
        if try source.reader.readHeader(root.place).level == 1 {
          items = try UsageIndex.read(raw)
        } else {
          usages = try SegmentUsage.read(raw)[...]
        }
      }
    } catch {
      isBroken = true
      refuse(error, root)
    }
  }

  /// The usage of a segment; segments are asked for in order.
  func usage(of segment: UInt64) -> Answer {
    while true {
      while let next = usages.first, next.segment < segment {
        usages.removeFirst()
        surplus(next)
      }
      if usages.first?.segment == segment { return .usage(usages.removeFirst()) }
      guard usages.isEmpty, let item = items.first, item.firstSegment <= segment else {
        return isBroken && usages.isEmpty ? .unknown : .none
      }
      load()
    }
  }

  /// Meets what is left: usage of segments that nobody asked for.
  func finish() {
    while check.report.isComplete {
      for usage in usages { surplus(usage) }
      usages = []
      if items.isEmpty { return }
      load()
    }
  }

  private func load() {
    let item = items.removeFirst()
    isBroken = false
    do throws(StorageError) {
      let source = try check.claim(item.reference, .usage, tree: nil, level: 0)
      check.advance(item.reference.byteCount)
      usages = try check.raw(item.reference, .usage, source.reader) { (raw) throws(StorageError) in
        try SegmentUsage.read(raw)[...]
      }
      guard let first = usages.first, let last = usages.last, first.segment == item.firstSegment,
        first.segment > lastSegment, items.first.map({ last.segment < $0.firstSegment }) ?? true
      else {
        usages = []
        throw StorageError(.corruption, "it does not tell of the segments that the index says")
      }
      lastSegment = last.segment
    } catch {
      isBroken = true
      refuse(error, item.reference)
    }
  }

  private func level(of root: BlockReference) throws(StorageError) -> UInt8 {
    guard let reader = check.sources[root.place.segment]?.reader else { return 0 }
    return min(1, try reader.readHeader(root.place).level)
  }

  private func surplus(_ usage: SegmentUsage) {
    check.find(
      Finding(
        kind: .usageTooHigh,
        message:
          "usage counts \(usage.liveCount) live blocks in segment \(usage.segment), which the checkpoint does not"
          + " list"))
  }

  private func refuse(_ error: StorageError, _ reference: BlockReference) {
    check.find(Finding(kind: .usage, error, at: reference, check.sources[reference.place.segment]?.reader))
  }
}
