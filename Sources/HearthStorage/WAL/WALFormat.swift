/// Layout of a log file (FORMAT.md, "Log file"). All numbers are little-endian. On disk since format 0.
///
/// A file is two copies of one header, each in a sector of its own, then frames on 8-byte bounds:
///
///     0      header, first copy          4096   header, second copy          8192   frames …
///
/// | offset | size | header field | may be trusted |
/// |---|---|---|---|
/// | 0 | 8 | magic `HEARTHWL` | |
/// | 8 | 4 | format version | when the magic is right |
/// | 12 | 4 | CRC-32C of bytes 16–127, seeded by the copy's offset | |
/// | 16 | 1 | kind: 0, a log | from here on: when the CRC is right |
/// | 24 | 8 | lineage: the database's random identity | |
/// | 32 | 8 | generation: one more after each unclean open | |
/// | 40 | 8 | salt of this file's frames, random | |
/// | 48 | 8 | position of the first frame; positions are logical and go on across files | |
/// | 56 | 8 | commit version before the first frame (of a base: the version it holds) | |
/// | 64 | 8 | number of the checkpoint it follows (of a base: the one that names it) | |
/// | 72 | 8 | end of the copied range of a recovery, else 0; all frames below it were synced | |
/// | 80 | 4 | chain: CRC of the frame before the first | |
/// | 88 | 8 | size of the file in bytes | |
///
/// | offset | size | frame field |
/// |---|---|---|
/// | 0 | 4 | CRC-32C of bytes 4… of header and payload, seeded by the position |
/// | 4 | 4 | stored length of the payload |
/// | 8 | 1 | kind (``FrameKind``) |
/// | 9 | 1 | codec: 0 raw, 1 LZ4 |
/// | 12 | 4 | raw length of the payload |
/// | 16 | 8 | position of this frame |
/// | 24 | 8 | salt |
/// | 32 | 8 | generation |
/// | 40 | 8 | synced through: every byte of the log below this position had been synced when this frame was made |
/// | 48 | 8 | commit version |
/// | 56 | 8 | commit time, microseconds since 1970 |
/// | 64 | 4 | chain: CRC of the frame before, across files too |
/// | 68 | 4 | number of operations |
///
/// After a frame comes the next one on the next 8-byte bound or, where a sync came between, on the next 4 KiB bound:
/// a sector that a sync has claimed is never written again.
enum WALFormat {
  static let magic: UInt64 = 0x4C57_4854_5241_4548  // "HEARTHWL"
  static let version: UInt32 = 0
  static let sectorBytes: UInt64 = 4096
  static let headerBytes = 128
  static let headerCopyOffsets: [UInt64] = [0, 4096]
  static let framesOffset: UInt64 = 8192

  enum Header {
    static let magic = 0
    static let version = 8
    static let crc = 12
    static let kind = 16
    static let lineage = 24
    static let generation = 32
    static let salt = 40
    static let firstPosition = 48
    static let commitVersion = 56
    static let checkpoint = 64
    static let copiedEnd = 72
    static let chain = 80
    static let fileBytes = 88
  }

  static let frameHeaderBytes = 72
  static let frameAlignment: UInt64 = 8
  /// A frame never holds more, so that a reader's memory is bounded: one operation of the largest key and value.
  static let framePayloadBytesMax = 32 << 20

  enum Frame {
    static let crc = 0
    static let storedLength = 4
    static let kind = 8
    static let codec = 9
    static let rawLength = 12
    static let position = 16
    static let salt = 24
    static let generation = 32
    static let syncedThrough = 40
    static let commitVersion = 48
    static let commitTime = 56
    static let chain = 64
    static let operationCount = 68
  }

  /// Bytes that a frame of `payload` stored bytes takes in the log.
  static func frameBytes(payload: Int) -> UInt64 {
    alignUp(UInt64(frameHeaderBytes + payload), frameAlignment)
  }

  /// Whether counting on from every number is safe, also from those of a header or frame that was made to look whole: no
  /// database gets to a quarter of what 64 bits count.
  static func canCountOn(_ numbers: UInt64..., time: Int64 = 0) -> Bool {
    numbers.allSatisfy { $0 <= UInt64.max / 4 } && time.magnitude <= UInt64.max / 4
  }

  /// The seed by which a checksum also proves where its bytes belong.
  static func seed(position: UInt64) -> UInt32 {
    UInt32(truncatingIfNeeded: position ^ (position &>> 32)) ^ 0x4845_4152
  }
}

/// What a frame holds. On disk since format 0; never renumber.
enum FrameKind: UInt8, Sendable {
  /// One whole commit.
  case commit = 1
  /// The beginning of a batch too large for one frame; nothing of it counts without its `lastPart`.
  case firstPart = 2
  case part = 3
  /// The end of such a batch: its commit mark.
  case lastPart = 4
  /// No change; its `synced through` covers the last batch of an idle log.
  case seal = 5
}

enum FrameCodec: UInt8, Sendable {
  case raw = 0
  case lz4 = 1
}
