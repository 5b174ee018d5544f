/// Layout of the raw payloads of usage blocks (FORMAT.md, "Usage"). All numbers are little-endian. On disk since format 0.
///
/// A usage block of level 0 says what is alive in some segments, by number: a header, then for each segment a head and a
/// bit per block, the first block in the lowest bit, filled with zeros to a multiple of 8 bytes. One of level 1 lists
/// blocks of level 0, so that only those change whose segments did.
///
/// | offset | size | header field, both levels |
/// |---|---|---|
/// | 0 | 4 | number of segments, or of blocks |
/// | 4 | 4 | reserved, 0 |
///
/// | offset | size | segment field |
/// |---|---|---|
/// | 0 | 8 | segment |
/// | 8 | 8 | age: number of the checkpoint at which it was written, or that of what compaction moved there |
/// | 16 | 8 | bytes of the blocks that are alive, headers included |
/// | 24 | 4 | number of blocks |
/// | 28 | 4 | number of blocks that are alive |
///
/// | offset | size | index field |
/// |---|---|---|
/// | 0 | 8 | the first segment in the block |
/// | 8 | 20 | reference to the block |
/// | 28 | 4 | reserved, 0 |
enum UsageFormat {
  static let headerBytes = 8
  static let count = 0
  static let reserved = 4

  static let segmentBytes = 32

  enum Segment {
    static let segment = 0
    static let age = 8
    static let liveBytes = 16
    static let blockCount = 24
    static let liveCount = 28
  }

  static let indexBytes = 32

  enum Index {
    static let firstSegment = 0
    static let reference = 8
    static let reserved = 28
  }
}
