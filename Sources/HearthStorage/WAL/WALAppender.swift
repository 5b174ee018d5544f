/// The sequencer's half of the log: gives frames their places and collects their bytes. No I/O.
///
/// Not thread-safe: it lives under the sequencer's lock. `take` hands what was collected to the ``WALWriter``.
struct WALAppender {
  /// Bytes that follow one another in one file.
  struct Segment {
    let file: WALFile
    let position: UInt64
    let bytes: ByteBuffer
  }

  /// What is put back when frames that were never written are given up.
  struct Mark {
    fileprivate var file: WALFile?
    fileprivate var fileIsClosed: Bool
    fileprivate var position: UInt64
    fileprivate var framesEnd: UInt64
    fileprivate var chain: UInt32
    fileprivate var lastFrameIsSeal: Bool
  }

  let lineage: UInt64
  let generation: UInt64
  /// Where the next frame goes at the earliest.
  private(set) var position: UInt64
  /// Where the last frame ends: ``position`` without the padding of a sync.
  private(set) var framesEnd: UInt64
  private(set) var chain: UInt32
  /// Every frame that ends at or below is known to be synced. The end of a frame and not of the sector that the sync
  /// claimed: a reader could not tell padding that was synced from a frame that is missing there.
  private(set) var syncedThrough: UInt64
  /// The kind of the last frame, for seals: an idle log gets one.
  private(set) var lastFrameIsSeal = true
  var spares: [SpareWALFile] = []

  private var file: WALFile?
  private var fileIsClosed = false
  private var segments: [Segment] = []
  private var idleBuffers: [ByteBuffer] = []
  private let options: StorageOptions
  private let faults = StorageFaults.injected

  /// - Parameter position: where the last frame ends; it and all before are synced.
  init(
    lineage: UInt64, generation: UInt64, position: UInt64, chain: UInt32, file: WALFile?, options: StorageOptions
  ) {
    self.lineage = lineage
    self.generation = generation
    self.position = alignUp(position, WALFormat.sectorBytes)
    framesEnd = position
    self.chain = chain
    self.file = file
    self.options = options
    syncedThrough = position
  }

  /// Of the file that takes frames now.
  var fileFirstPosition: UInt64? { file?.header.firstPosition }
  var hasPending: Bool { !segments.isEmpty }
  /// Whether a sync has covered every frame.
  var isSynced: Bool { syncedThrough >= framesEnd }
  var mark: Mark {
    Mark(
      file: file, fileIsClosed: fileIsClosed, position: position, framesEnd: framesEnd, chain: chain,
      lastFrameIsSeal: lastFrameIsSeal)
  }

  /// Adds one frame.
  ///
  /// - Parameter previousVersion: of the commit before. Versions of commits that were given up are skipped, so it need
  ///   not be the one below.
  mutating func append(
    _ kind: FrameKind, payload: UnsafeRawBufferPointer, commitVersion: UInt64, commitTime: Int64,
    after previousVersion: UInt64,
    operationCount: UInt32, checkpoint: UInt64, random: any RandomSource
  ) {
    let frameBytes = WALFormat.frameBytes(payload: payload.count)
    let target = fileWithRoom(frameBytes, after: previousVersion, checkpoint: checkpoint, random: random)
    let claim = faults.contains(.syncedThroughTooHigh) ? framesEnd : syncedThrough
    let frame = WALFrame(
      kind: kind, codec: .raw, storedLength: payload.count, rawLength: payload.count,
      position: position, salt: target.header.salt, generation: generation, syncedThrough: claim,
      commitVersion: commitVersion, commitTime: commitTime, chain: chain, operationCount: operationCount)
    let buffer = openBuffer(for: target)
    let p = buffer.extend(Int(frameBytes))
    if let base = payload.baseAddress {
      (p + WALFormat.frameHeaderBytes).copyMemory(from: base, byteCount: payload.count)
    }
    let padding = Int(frameBytes) - WALFormat.frameHeaderBytes - payload.count
    (p + WALFormat.frameHeaderBytes + payload.count).initializeMemory(as: UInt8.self, repeating: 0, count: padding)
    chain = frame.seal(at: p)
    position += frameBytes
    framesEnd = position
    lastFrameIsSeal = kind == .seal
  }

  /// Ends the current file: the next frame begins another, at the returned position.
  mutating func closeFile() -> UInt64 {
    fileIsClosed = true
    padToSector()
    return position
  }

  /// Hands over everything collected. Before a sync the end is padded to a sector, so that the sync claims whole sectors
  /// that no later frame touches. `end` is where the last frame ends.
  mutating func take(padded: Bool) -> (segments: [Segment], end: UInt64) {
    if padded, !faults.contains(.claimedSectorRewritten) { padToSector() }
    defer { segments.removeAll() }
    return (segments, framesEnd)
  }

  mutating func synced(through end: UInt64) {
    syncedThrough = max(syncedThrough, end)
  }

  mutating func giveBack(_ segments: [Segment]) {
    for segment in segments where idleBuffers.count < 4 {
      segment.bytes.removeAll()
      idleBuffers.append(segment.bytes)
    }
  }

  /// Forgets every frame since `mark`, those of `taken` and those still here; none of them may have been written.
  mutating func rollback(to mark: Mark, taken: [Segment]) {
    // Plans that nobody carried out give their spare files back.
    for plan in taken + segments {
      guard plan.file !== mark.file, plan.file.path == nil, let spare = plan.file.spare, !spares.contains(spare) else {
        continue
      }
      spares.append(spare)
    }
    file = mark.file
    fileIsClosed = mark.fileIsClosed
    position = mark.position
    framesEnd = mark.framesEnd
    chain = mark.chain
    lastFrameIsSeal = mark.lastFrameIsSeal
    segments.removeAll()
  }

  private mutating func padToSector() {
    let gap = alignUp(position, WALFormat.sectorBytes) - position
    guard gap > 0 else { return }
    if let last = segments.last, last.position + UInt64(last.bytes.count) == position {
      last.bytes.appendZeros(Int(gap))
    }
    position += gap
  }

  private mutating func openBuffer(for target: WALFile) -> ByteBuffer {
    if let last = segments.last, last.file === target, last.position + UInt64(last.bytes.count) == position {
      return last.bytes
    }
    let buffer = idleBuffers.popLast() ?? ByteBuffer()
    segments.append(Segment(file: target, position: position, bytes: buffer))
    return buffer
  }

  /// How long the next file is to be, when it is time to make it ahead: its zeros are then not written by a commit.
  var spareBytesWanted: UInt64? {
    guard spares.isEmpty, let file, !fileIsClosed else { return nil }
    let used = position - file.header.firstPosition
    let wanted = grownFileBytes
    return wanted >= WALAppender.spareBytesMin && used > file.header.fileBytes / 2 ? wanted : nil
  }

  /// Smaller files cost a commit less than the thread switch would.
  private static let spareBytesMin: UInt64 = 1 << 20

  /// Files double from the smallest size to the largest.
  private var grownFileBytes: UInt64 {
    let previous = file?.header.fileBytes ?? UInt64(options.logFileBytesMin) / 2
    return min(max(previous * 2, UInt64(options.logFileBytesMin)), UInt64(options.logFileBytesMax))
  }

  /// The current file if `frameBytes` fit, else a newly planned one.
  private mutating func fileWithRoom(
    _ frameBytes: UInt64, after previousVersion: UInt64, checkpoint: UInt64, random: any RandomSource
  ) -> WALFile {
    if let file, !fileIsClosed, position + frameBytes <= file.header.endPosition { return file }
    padToSector()
    let needed = WALFormat.framesOffset + alignUp(frameBytes, WALFormat.sectorBytes)
    var spare: SpareWALFile?
    if let index = spares.firstIndex(where: { $0.fileBytes >= needed }) { spare = spares.remove(at: index) }
    let header = WALFileHeader(
      kind: .log, lineage: lineage, generation: generation, salt: random.next(), firstPosition: position,
      commitVersion: previousVersion, checkpoint: checkpoint, copiedEnd: 0, chain: chain,
      fileBytes: spare?.fileBytes ?? max(grownFileBytes, needed))
    let planned = WALFile(header: header, spare: spare)
    file = planned
    fileIsClosed = false
    return planned
  }
}
