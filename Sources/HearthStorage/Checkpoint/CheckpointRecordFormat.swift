/// Layout of a checkpoint record, the raw payload of a checkpoint block (FORMAT.md, "Checkpoint record"). All numbers are
/// little-endian. On disk since format 0.
///
/// | offset | size | field |
/// |---|---|---|
/// | 0 | 8 | number of the checkpoint |
/// | 8 | 8 | lineage |
/// | 16 | 8 | commit version that the trees hold |
/// | 24 | 8 | commit time, signed microseconds since 1970 |
/// | 32 | 8 | position where the log goes on |
/// | 40 | 8 | generation of the log then |
/// | 48 | 4 | chain of the frame before that position |
/// | 52 | 4 | number of segments |
/// | 56 | 8 | the next segment's number, above that of every segment ever begun |
/// | 64 | 8 | bytes of all keys and values |
/// | 72 | 20 | usage root: reference to a usage block |
/// | 92 | 4 | reserved, 0 |
/// | 96 | 64 × 3 | roots of documents, indexes, catalog; zeros for an empty tree |
/// | 288 | 24 × n | segments, by number |
///
/// | offset | size | root field |
/// |---|---|---|
/// | 0 | 8 | entries of the tree |
/// | 8 | 1 | level of the root page |
/// | 9 | 7 | reserved, 0 |
/// | 16 | 48 | child reference |
///
/// | offset | size | segment field |
/// |---|---|---|
/// | 0 | 8 | number |
/// | 8 | 8 | length of the file; 0 for the segment that this record stands in |
/// | 16 | 8 | number of the checkpoint that it was written for |
enum CheckpointRecordFormat {
  static let number = 0
  static let lineage = 8
  static let commitVersion = 16
  static let commitTime = 24
  static let logPosition = 32
  static let logGeneration = 40
  static let logChain = 48
  static let segmentCount = 52
  static let nextSegment = 56
  static let stateBytes = 64
  static let usageRoot = 72
  static let reserved = 92
  static let roots = 96
  static let segments = 288

  static let rootBytes = 64

  enum Root {
    static let entryCount = 0
    static let level = 8
    static let reserved = 9
    static let child = 16
  }

  static let segmentBytes = 24

  enum Segment {
    static let segment = 0
    static let fileBytes = 8
    static let checkpoint = 16
  }
}
