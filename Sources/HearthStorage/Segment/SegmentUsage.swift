/// What is alive in one segment.
struct SegmentUsage: Equatable, Sendable {
  let segment: UInt64
  /// The checkpoint at which its content was written; compaction passes on that of what it moves.
  let age: UInt64
  let blockCount: Int
  /// Of the blocks that are alive, headers included.
  private(set) var liveBytes: UInt64
  private(set) var liveCount: Int
  /// A bit per block, the first in the lowest bit; bits behind the last are 0.
  private(set) var live: [UInt64]

  /// All blocks alive.
  init(segment: UInt64, age: UInt64, blocks: [SegmentBlock]) {
    self.segment = segment
    self.age = age
    blockCount = blocks.count
    liveBytes = blocks.reduce(0) { $0 + UInt64($1.reference.byteCount) }
    liveCount = blocks.count
    live = [UInt64](repeating: .max, count: (blocks.count + 63) / 64)
    if let last = live.indices.last, blocks.count % 64 != 0 { live[last] = 1 << UInt64(blocks.count % 64) - 1 }
  }

  private init(segment: UInt64, age: UInt64, blockCount: Int, liveBytes: UInt64, liveCount: Int, live: [UInt64]) {
    self.segment = segment
    self.age = age
    self.blockCount = blockCount
    self.liveBytes = liveBytes
    self.liveCount = liveCount
    self.live = live
  }

  func isLive(_ ordinal: Int) -> Bool {
    precondition(ordinal >= 0 && ordinal < blockCount, "block \(ordinal) of \(blockCount)")
    return live[ordinal / 64] >> UInt64(ordinal % 64) & 1 == 1
  }

  /// Notes that a block of `byteCount` bytes, header included, is dead from now on. It was alive.
  mutating func kill(_ ordinal: Int, byteCount: Int) {
    precondition(isLive(ordinal), "block \(ordinal) of segment \(segment) is dead already")
    live[ordinal / 64] &= ~(1 << UInt64(ordinal % 64))
    liveCount -= 1
    liveBytes -= UInt64(byteCount)
  }

  /// Bytes in a usage block.
  var encodedBytes: Int { UsageFormat.segmentBytes + live.count * 8 }

  /// The raw payload of a usage block of level 0, which must not exceed what such a block may have.
  ///
  /// - Parameter usages: by segment.
  static func encode(_ usages: [SegmentUsage]) -> [UInt8] {
    var image = [UInt8](repeating: 0, count: UsageFormat.headerBytes + usages.reduce(0) { $0 + $1.encodedBytes })
    image.withUnsafeMutableBytes { buffer in
      guard var p = buffer.baseAddress else { return }
      p.store(u32: UInt32(usages.count), at: UsageFormat.count)
      p += UsageFormat.headerBytes
      var before: UInt64 = 0
      for usage in usages {
        precondition(usage.segment > before, "segment \(usage.segment) after \(before)")
        before = usage.segment
        p.store(u64: usage.segment, at: UsageFormat.Segment.segment)
        p.store(u64: usage.age, at: UsageFormat.Segment.age)
        p.store(u64: usage.liveBytes, at: UsageFormat.Segment.liveBytes)
        p.store(u32: UInt32(usage.blockCount), at: UsageFormat.Segment.blockCount)
        p.store(u32: UInt32(usage.liveCount), at: UsageFormat.Segment.liveCount)
        for (index, word) in usage.live.enumerated() {
          p.store(u64: word, at: UsageFormat.segmentBytes + 8 * index)
        }
        p += usage.encodedBytes
      }
    }
    return image
  }

  /// What a usage block of level 0 says.
  ///
  /// - Throws: `.corruption` when it could not have been written.
  static func read(_ bytes: UnsafeRawBufferPointer) throws(StorageError) -> [SegmentUsage] {
    let count = try UsageIndex.readCount(bytes, itemBytesMin: UsageFormat.segmentBytes)
    guard let p = bytes.baseAddress else { return [] }
    var usages: [SegmentUsage] = []
    usages.reserveCapacity(count)
    var offset = UsageFormat.headerBytes
    for _ in 0..<count {
      guard offset + UsageFormat.segmentBytes <= bytes.count else { throw UsageIndex.damage("it is cut off") }
      let usage = try readOne(p + offset, room: bytes.count - offset)
      guard usage.segment > usages.last?.segment ?? 0 else {
        throw UsageIndex.damage("segment \(usage.segment) is out of order")
      }
      usages.append(usage)
      offset += usage.encodedBytes
    }
    guard offset == bytes.count else { throw UsageIndex.damage("\(bytes.count - offset) bytes too many") }
    return usages
  }

  private static func readOne(_ p: UnsafeRawPointer, room: Int) throws(StorageError) -> SegmentUsage {
    let blockCount = Int(p.u32(UsageFormat.Segment.blockCount))
    let words = (blockCount + 63) / 64
    guard words <= (room - UsageFormat.segmentBytes) / 8 else { throw UsageIndex.damage("it is cut off") }
    let usage = SegmentUsage(
      segment: p.u64(UsageFormat.Segment.segment), age: p.u64(UsageFormat.Segment.age), blockCount: blockCount,
      liveBytes: p.u64(UsageFormat.Segment.liveBytes), liveCount: Int(p.u32(UsageFormat.Segment.liveCount)),
      live: (0..<words).map { p.u64(UsageFormat.segmentBytes + 8 * $0) })
    let spare = blockCount % 64 == 0 ? 0 : (usage.live.last ?? 0) >> UInt64(blockCount % 64)
    guard usage.segment <= BlockFormat.segmentMax, usage.age.isCountable, spare == 0,
      usage.live.reduce(0, { $0 + $1.nonzeroBitCount }) == usage.liveCount,
      usage.liveBytes <= SegmentFormat.byteCountMax,
      usage.liveBytes >= UInt64(usage.liveCount * (BlockFormat.headerBytes + 1)),
      usage.liveCount > 0 || usage.liveBytes == 0
    else {
      throw UsageIndex.damage(
        "segment \(usage.segment) with \(usage.liveCount) live blocks of \(blockCount), \(usage.liveBytes) bytes")
    }
    return usage
  }
}
