/// Each segment's list of blocks against what the trees lead to and what usage says.
extension TreeCheck {
  /// Blocks of a segment that something is wrong with: the first, and how many.
  private struct Misfits {
    var first: (ordinal: Int, block: SegmentBlock)?
    var count = 0

    mutating func add(_ ordinal: Int, _ block: SegmentBlock) {
      if first == nil { first = (ordinal, block) }
      count += 1
    }
  }

  func checkBlocks(of listed: CheckpointRecord.Segment, _ usageStream: UsageStream) {
    let answer = usageStream.usage(of: listed.segment)
    guard let source = sources[listed.segment] else { return }
    let reader = source.reader
    var tally = CheckReport.Segment(segment: listed.segment, path: reader.path, fileBytes: reader.fileBytes)
    let listing: SegmentReader.Listing
    do throws(StorageError) {
      listing = try reader.listBlocks()
    } catch {
      find(Finding(kind: .segmentUnusable, message: error.description, file: reader.path))
      return
    }
    if let damage = listing.footerDamage {
      find(Finding(kind: .segmentFooter, message: damage.message, file: reader.path, offset: damage.place?.offset))
    }
    tally.blockCount = listing.blocks.count
    var (unseen, leaked, cut) = (Misfits(), Misfits(), Misfits())
    var listedUnits = 0
    var usage: SegmentUsage?
    if case .usage(let found) = answer { usage = found }
    for (ordinal, block) in listing.blocks.enumerated() {
      let units = UnitSet.units(of: block.reference.place, byteCount: block.reference.byteCount)
      let cover = source.claimed.cover(units)
      if cover != .none { listedUnits += units.count }
      if cover == .part { cut.add(ordinal, block) }
      checkListed(block, ordinal, isClaimed: cover != .none, reader)
      let isLive = cover != .none && block.kind.belongsToTree
      if isLive {
        tally.liveCount += 1
        tally.liveBytes += UInt64(block.reference.byteCount)
      } else if cover == .none {
        tally.deadBytes += UInt64(block.reference.byteCount)
      }
      let isCounted = usage.map { ordinal < $0.blockCount && $0.isLive(ordinal) } ?? isLive
      if isLive, !isCounted { unseen.add(ordinal, block) }
      if !isLive, isCounted { leaked.add(ordinal, block) }
      guard report.isComplete else { return }
    }
    report.segments.append(tally)
    if cut.count > 0 || source.claimed.count > listedUnits {
      find(
        finding(
          .unlistedBlock, cut,
          "references lead to \(max(0, source.claimed.count - listedUnits) + cut.count) places where the segment lists"
            + " no block of that length", reader))
    }
    if unseen.count > 0 {
      find(finding(.usageTooLow, unseen, "\(unseen.count) blocks are needed that usage says are dead", reader))
    }
    if leaked.count > 0, isWalkWhole {
      find(finding(.usageTooHigh, leaked, "\(leaked.count) blocks are alive in usage that nothing needs", reader))
    }
    switch answer {
    case .usage(let usage): compare(usage, tally, reader, hasMisfits: unseen.count + leaked.count > 0)
    case .none where tally.liveCount > 0:
      find(
        Finding(
          kind: .usageTooLow, message: "\(tally.liveCount) blocks are needed in a segment that usage leaves out",
          file: reader.path))
    case .none, .unknown: break
    }
  }

  private func finding(
    _ kind: Finding.Kind, _ misfits: Misfits, _ message: String, _ reader: SegmentReader
  ) -> Finding {
    let first = misfits.first
    return Finding(
      kind: kind, message: message, file: reader.path, offset: first?.block.reference.place.offset,
      block: first?.ordinal, tree: first?.block.tree, level: first?.block.level)
  }

  /// The sums of a segment's usage.
  private func compare(
    _ usage: SegmentUsage, _ tally: CheckReport.Segment, _ reader: SegmentReader, hasMisfits: Bool
  ) {
    if usage.age > record.number {
      find(
        Finding(
          kind: .usageTooHigh, message: "the segment's age is checkpoint \(usage.age), after \(record.number)",
          file: reader.path))
    }
    if usage.blockCount > tally.blockCount {
      find(
        Finding(
          kind: .usageTooHigh,
          message: "usage counts \(usage.blockCount) blocks, the segment has \(tally.blockCount)", file: reader.path))
      return
    }
    // What single blocks have told already is not said again.
    guard !hasMisfits, isWalkWhole else { return }
    if usage.liveCount != tally.liveCount || usage.liveBytes != tally.liveBytes {
      find(
        Finding(
          kind: usage.liveBytes < tally.liveBytes ? .usageTooLow : .usageTooHigh,
          message:
            "usage counts \(usage.liveCount) live blocks of \(usage.liveBytes) bytes, there are \(tally.liveCount)"
            + " of \(tally.liveBytes)", file: reader.path))
    }
  }

  /// One block against the list: what is needed was read on the way, what is dead only now. Not in a quick check, whose
  /// list has a checksum of its own.
  private func checkListed(_ block: SegmentBlock, _ ordinal: Int, isClaimed: Bool, _ reader: SegmentReader) {
    guard depth == .full else { return }
    let reference = block.reference
    do throws(StorageError) {
      if !isClaimed {
        advance(reference.byteCount)
        try raw(reference, block.kind, reader) { _ in }
      }
      let header = try reader.readHeader(reference.place)
      guard header.kind == block.kind, header.tree == block.tree, header.level == block.level,
        header.byteCount == reference.byteCount, header.crc == reference.check
      else { throw StorageError(.corruption, "the segment's list has another block here") }
    } catch {
      var finding = Finding(
        kind: isClaimed ? .segmentFooter : .deadBlock, error, at: reference, reader, tree: block.tree,
        level: block.level)
      finding.block = ordinal
      find(finding)
    }
  }
}
