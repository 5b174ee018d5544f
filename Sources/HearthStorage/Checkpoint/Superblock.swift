import CHearth

/// One checkpoint as a slot of `SUPER` names it: its record, and where the log goes on after it.
struct Superblock: Equatable, Sendable {
  var number: UInt64
  var lineage: UInt64
  /// `nil` when there is no checkpoint: the state before the log is empty.
  var record: BlockReference?
  /// Length of the segment that the record stands in.
  var recordSegmentBytes: UInt64
  var commitVersion: UInt64
  var commitTime: Int64
  var logPosition: UInt64
  var logGeneration: UInt64
  var logChain: UInt32
  var stateBytes: UInt64
  /// By `TreeID.rawValue`.
  var entryCounts: [UInt64]

  var logStart: WALReplay.Start {
    WALReplay.Start(
      position: logPosition, generation: logGeneration, chain: logChain, commitVersion: commitVersion,
      commitTime: commitTime)
  }

  /// What one slot holds.
  enum Reading: Equatable, Sendable {
    case valid(Superblock)
    case otherFormat(version: UInt32)
    case unknownFeatures(UInt64)
    /// Never written: zeros.
    case empty
    case invalid
  }

  func encoded(slot: Int) -> [UInt8] {
    var image = [UInt8](repeating: 0, count: SuperblockFormat.slotBytes)
    image.withUnsafeMutableBytes { buffer in
      let p = buffer.baseAddress!
      p.store(u64: SuperblockFormat.magic, at: SuperblockFormat.Slot.magic)
      p.store(u32: SuperblockFormat.version, at: SuperblockFormat.Slot.version)
      p.store(u64: number, at: SuperblockFormat.Slot.number)
      p.store(u64: lineage, at: SuperblockFormat.Slot.lineage)
      record?.encode(to: p + SuperblockFormat.Slot.record)
      p.store(u64: recordSegmentBytes, at: SuperblockFormat.Slot.recordSegmentBytes)
      p.store(u64: commitVersion, at: SuperblockFormat.Slot.commitVersion)
      p.store(u64: UInt64(bitPattern: commitTime), at: SuperblockFormat.Slot.commitTime)
      p.store(u64: logPosition, at: SuperblockFormat.Slot.logPosition)
      p.store(u64: logGeneration, at: SuperblockFormat.Slot.logGeneration)
      p.store(u32: logChain, at: SuperblockFormat.Slot.logChain)
      p.store(u64: stateBytes, at: SuperblockFormat.Slot.stateBytes)
      for (index, count) in entryCounts.enumerated() {
        p.store(u64: count, at: SuperblockFormat.Slot.entryCounts + 8 * index)
      }
      p.store(u32: Self.checksum(UnsafeRawPointer(p), slot: slot), at: SuperblockFormat.Slot.crc)
    }
    return image
  }

  /// - Parameter bytes: the slot's 4 KiB, or what there is of them.
  static func read(_ bytes: UnsafeRawBufferPointer, slot: Int) -> Reading {
    guard let p = bytes.baseAddress, bytes.count >= SuperblockFormat.checkedBytes else { return .invalid }
    guard p.u64(SuperblockFormat.Slot.magic) == SuperblockFormat.magic else {
      return bytes.allSatisfy { $0 == 0 } ? .empty : .invalid
    }
    let version = p.u32(SuperblockFormat.Slot.version)
    guard version == SuperblockFormat.version else { return .otherFormat(version: version) }
    guard p.u32(SuperblockFormat.Slot.crc) == checksum(p, slot: slot) else { return .invalid }
    let features = p.u64(SuperblockFormat.Slot.features)
    guard features == 0 else { return .unknownFeatures(features) }
    // Of an absent record all fields are 0.
    let reference: BlockReference?
    do throws(StorageError) {
      reference = try BlockReference.read(p + SuperblockFormat.Slot.record, kind: .checkpoint)
    } catch {
      return .invalid
    }
    let superblock = Superblock(
      number: p.u64(SuperblockFormat.Slot.number), lineage: p.u64(SuperblockFormat.Slot.lineage),
      record: reference, recordSegmentBytes: p.u64(SuperblockFormat.Slot.recordSegmentBytes),
      commitVersion: p.u64(SuperblockFormat.Slot.commitVersion),
      commitTime: Int64(bitPattern: p.u64(SuperblockFormat.Slot.commitTime)),
      logPosition: p.u64(SuperblockFormat.Slot.logPosition),
      logGeneration: p.u64(SuperblockFormat.Slot.logGeneration), logChain: p.u32(SuperblockFormat.Slot.logChain),
      stateBytes: p.u64(SuperblockFormat.Slot.stateBytes),
      entryCounts: (0..<TreeID.allCases.count).map { p.u64(SuperblockFormat.Slot.entryCounts + 8 * $0) })
    return superblock.isPossible ? .valid(superblock) : .invalid
  }

  /// Whether counting on from every number is safe, also from those of a slot that was made to look whole: no database
  /// gets to a quarter of what 64 bits count.
  private var isPossible: Bool {
    let numbers = [number, recordSegmentBytes, commitVersion, logPosition, logGeneration, stateBytes] + entryCounts
    return numbers.allSatisfy { $0 <= UInt64(Int64.max / 2) } && commitTime.magnitude <= UInt64(Int64.max / 2)
      && logPosition % WALFormat.sectorBytes == 0
      && recordSegmentBytes <= SegmentFormat.byteCountMax
      // Without a checkpoint nothing is there yet.
      && (record != nil || (recordSegmentBytes == 0 && stateBytes == 0 && entryCounts.allSatisfy { $0 == 0 }))
  }

  private static func checksum(_ p: UnsafeRawPointer, slot: Int) -> UInt32 {
    hearth_crc32c(
      WALFormat.seed(position: UInt64(slot)), p + SuperblockFormat.Slot.number,
      SuperblockFormat.checkedBytes - SuperblockFormat.Slot.number)
  }
}
