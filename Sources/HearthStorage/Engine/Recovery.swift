/// Reads a database: the newest superblock that counts, its checkpoint, and the log after it. Changes nothing on disk.
struct Recovery {
  private let directory: String
  private let fileSystem: any FileSystem
  private let options: StorageOptions
  private var notes: [String] = []
  private var nextCheckpoint: UInt64 = 1
  private var checkpointedVersion: UInt64 = 0

  /// All changes of a recovery share one number: nobody sees a state in between.
  private static let number: UInt64 = 1

  init(directory: String, fileSystem: any FileSystem, options: StorageOptions) {
    self.directory = directory
    self.fileSystem = fileSystem
    self.options = options
  }

  /// - Throws: `.corruption` when no superblock counts, `.unsupportedFormat`, or what reading
  ///   throws. Damage in the log does not throw: `replay.damage` says it, and the state is the good prefix.
  mutating func run() throws(StorageError) -> RecoveredState {
    let readings = try SuperblockStore.read(directory: directory, fileSystem: fileSystem)
    let superPath = directory + "/" + SuperblockStore.fileName
    var lineage: UInt64?
    for (slot, reading) in readings.enumerated() {
      switch reading {
      case .valid(let superblock):
        lineage = lineage ?? superblock.lineage
        nextCheckpoint = max(nextCheckpoint, superblock.number &+ 1)
        checkpointedVersion = max(checkpointedVersion, superblock.commitVersion)
      case .otherFormat(let version):
        throw StorageError(
          .unsupportedFormat,
          "format \(version) is not the one this build reads (\(SuperblockFormat.version)); use the build that wrote it",
          file: superPath, offset: UInt64(slot * SuperblockFormat.slotBytes + SuperblockFormat.Slot.version))
      case .unknownFeatures(let features):
        throw StorageError(
          .unsupportedFormat, "the database uses features (0x\(String(features, radix: 16))) this build doesn't know",
          file: superPath, offset: UInt64(slot * SuperblockFormat.slotBytes + SuperblockFormat.Slot.features))
      case .invalid: notes.append("slot \(slot) of SUPER is damaged")
      case .empty: break
      }
    }
    guard let lineage else {
      throw StorageError(.corruption, "none of the four slots of SUPER is readable", file: superPath, offset: 0)
    }
    let inventory = try WALInventory(
      WALDirectory(database: directory, fileSystem: fileSystem), lineage: lineage)
    let segmentDirectory = SegmentDirectory(database: directory, fileSystem: fileSystem)
    var slots = [Superblock?](repeating: nil, count: readings.count)
    var checkpoints: [UInt64: Checkpoint] = [:]
    var usages: [UInt64: SegmentUsage]?
    var open = SegmentSet()
    var damage: StorageError?
    let valid = readings.enumerated().compactMap { slot, reading -> (slot: Int, superblock: Superblock)? in
      if case .valid(let superblock) = reading { (slot, superblock) } else { nil }
    }
    // The newest first: what is wrong with it is what people should hear of.
    for (slot, superblock) in valid.sorted(by: { $0.superblock.number > $1.superblock.number }) {
      do throws(StorageError) {
        let checkpoint = try Checkpoint(superblock, segmentDirectory, open: &open)
        // Who writes on must know what is alive; it is of no use to learn that it can't when files have gone already.
        if !options.readOnly, usages == nil { usages = try checkpoint?.readUsage() ?? [:] }
        checkpoints[superblock.number] = checkpoint
        slots[slot] = superblock
      } catch {
        guard [.corruption, .notFound].contains(error.code) else { throw error }
        // Old slots lose their segments in the ordinary course of things.
        if slots.allSatisfy({ $0 == nil }) {
          notes.append("checkpoint \(superblock.number) can't be used: \(error)")
          damage = damage ?? error
        }
      }
    }
    guard let superblock = slots.compactMap({ $0 }).max(by: { $0.number < $1.number }) else {
      throw StorageError(
        .corruption, "no slot of SUPER names a checkpoint that is there", file: damage?.place?.file ?? superPath,
        offset: damage?.place?.offset ?? 0, cause: damage?.description)
    }
    let segments = try SegmentInventory(segmentDirectory)
    checkpointedVersion = max(
      checkpointedVersion, versionOfUnlisted(segments, in: segmentDirectory, lineage: lineage, listed: open))
    return try replay(
      superblock, slots: slots, inventory: inventory, segments: segments, checkpoints: checkpoints,
      usages: usages ?? [:], damage: damage)
  }

  /// The newest commit that a checkpoint held which no slot names any more. It was written when the log up to there was
  /// synced: so it is evidence of how far the log must reach.
  private func versionOfUnlisted(
    _ segments: SegmentInventory, in directory: SegmentDirectory, lineage: UInt64, listed: SegmentSet
  ) -> UInt64 {
    var newest: UInt64 = 0
    for segment in segments.finished where listed[segment] == nil {
      // One that can't be read says nothing.
      guard let reader = try? SegmentReader.open(directory, segment: segment, lineage: lineage),
        let blocks = try? reader.readFooter(), let last = CheckpointRecord.last(of: blocks, in: reader)
      else { continue }
      newest = max(newest, last.record.commitVersion)
    }
    return newest
  }

  private func replay(
    _ superblock: Superblock, slots: [Superblock?], inventory: WALInventory, segments: SegmentInventory,
    checkpoints: [UInt64: Checkpoint], usages: [UInt64: SegmentUsage], damage: StorageError?
  ) throws(StorageError) -> RecoveredState {
    let cache = PageCache(budgetBytes: options.pageCacheBytes, epochs: EpochDomain())
    let checkpoint = checkpoints[superblock.number]
    let snapshot = checkpoint.map {
      TreeSnapshot(
        commitVersion: $0.record.commitVersion, roots: $0.record.roots, segments: $0.segments, cache: cache)
    }
    let applier = ReplayApplier(number: Self.number)
    var replay = WALReplay(
      from: superblock.logStart, inventory: inventory, fileSystem: fileSystem, checkpointedVersion: checkpointedVersion)
    try replay.run { (frame, payload) throws(StorageError) in try applier.apply(frame, payload) }
    replay.blame(damage)
    return RecoveredState(
      superblock: superblock, slots: slots, nextCheckpoint: nextCheckpoint, inventory: inventory, segments: segments,
      checkpoint: checkpoint, usages: usages, needed: checkpoints.mapValues(\.segmentNumbers), cache: cache,
      replay: replay,
      stack: LayerStack(
        top: LayerStack.Layer(memtable: applier.memtable, roots: applier.roots), snapshot: snapshot),
      number: Self.number, version: replay.lastVersion, time: replay.lastTime,
      stateBytes: Int(superblock.stateBytes) + applier.growth, notes: notes)
  }
}

/// Applies the log's frames to a fresh memtable. A batch in parts waits in a layer of its own for its last part.
private final class ReplayApplier {
  let memtable = Memtable()
  var roots = Roots()
  var growth = 0
  private let number: UInt64
  private var open: (memtable: Memtable, roots: Roots, growth: Int)?

  init(number: UInt64) {
    self.number = number
  }

  func apply(_ frame: WALFrame, _ payload: UnsafeRawBufferPointer) throws(StorageError) {
    switch frame.kind {
    case .seal: break
    case .commit:
      open = nil
      growth += try apply(payload, frame, to: memtable, &roots)
    case .firstPart, .part, .lastPart:
      if StorageFaults.injected.contains(.partsCountWithoutMark) {
        growth += try apply(payload, frame, to: memtable, &roots)
        return
      }
      var part = frame.kind == .firstPart ? nil : open
      open = nil
      if part == nil {
        // A part without its beginning can't be in a log that checks.
        guard frame.kind == .firstPart else {
          throw StorageError(.corruption, "a batch of several parts lacks its first (position \(frame.position))")
        }
        part = (Memtable(), Roots(), 0)
      }
      guard var current = part else { return }
      current.growth += try apply(payload, frame, to: current.memtable, &current.roots)
      if frame.kind == .lastPart {
        var fold = LayerFold(current.memtable, current.roots, into: memtable)
        while try !fold.step(entriesMax: .max, number: number, to: &roots) {}
        growth += current.growth
      } else {
        open = current
      }
    }
  }

  private func apply(
    _ payload: UnsafeRawBufferPointer, _ frame: WALFrame, to memtable: Memtable, _ roots: inout Roots
  ) throws(StorageError) -> Int {
    var reader = BatchReader(payload)
    var growth = 0
    var count: UInt32 = 0
    do throws(StorageError) {
      while let operation = reader.next() {
        _ = try memtable.apply(
          operation.kind, operation.tree, key: operation.key, value: operation.value, oldSize: operation.oldSize,
          version: frame.commitVersion, number: number, to: &roots)
        growth &+= operation.stateGrowth
        count &+= 1
      }
    } catch {
      throw StorageError(
        .corruption, "commit \(frame.commitVersion) contradicts those before it (position \(frame.position))",
        cause: error.description)
    }
    guard !reader.isDamaged, count == frame.operationCount else {
      throw StorageError(
        .corruption, "commit \(frame.commitVersion) holds bytes that are no operation (position \(frame.position))")
    }
    return growth
  }
}
