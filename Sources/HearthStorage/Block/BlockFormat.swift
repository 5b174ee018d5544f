/// Layout of a block and of references to blocks (FORMAT.md, "Block" and "Block reference"). All numbers are
/// little-endian. On disk since format 0.
///
/// A block begins in its segment on a 64-byte bound: a header, then the payload, then zeros up to the next bound.
///
/// | offset | size | header field | may be trusted |
/// |---|---|---|---|
/// | 0 | 4 | CRC-32C of bytes 4… of header and payload, seeded by the place | |
/// | 4 | 4 | stored length of the payload | within its bounds, for reading on |
/// | 8 | 4 | raw length of the payload | from here on: when the CRC is right |
/// | 12 | 1 | kind (``BlockKind``) | |
/// | 13 | 1 | codec (``BlockCodec``) | |
/// | 14 | 1 | tree (`TreeID`), 255 for blocks of no tree | |
/// | 15 | 1 | level: 0 leaf, its parent 1, and so on | |
/// | 16 | 2 | dictionary of the codec; 0, there are none yet | |
/// | 18 | 2 | reserved, 0 | |
/// | 20 | 4 | key epoch of the encryption; 0, there is none yet | |
/// | 24 | 8 | number of the checkpoint that the block was written for | |
///
/// | offset | size | reference field |
/// |---|---|---|
/// | 0 | 8 | segment; 0 when there is no block, and then all other fields are 0 |
/// | 8 | 4 | offset in the segment in units of 64 bytes |
/// | 12 | 4 | length of header and payload |
/// | 16 | 4 | check: the block's CRC |
enum BlockFormat {
  static let headerBytes = 32
  static let alignment: UInt64 = 64
  /// No tree is higher: two children a page would already make it hold more entries than any disk.
  static let levelMax: UInt8 = 31
  static let noTree: UInt8 = 0xFF
  /// The highest number of a segment: it and a unit make one word that names a place (``BlockPlace/word``).
  static let segmentMax: UInt64 = 1 << 31 - 1

  enum Header {
    static let crc = 0
    static let storedLength = 4
    static let rawLength = 8
    static let kind = 12
    static let codec = 13
    static let tree = 14
    static let level = 15
    static let dictionary = 16
    static let reserved = 18
    static let keyEpoch = 20
    static let checkpoint = 24
  }

  static let referenceBytes = 20

  enum Reference {
    static let segment = 0
    static let unit = 8
    static let byteCount = 12
    static let check = 16
  }

  /// A compressed payload saves at least this share of the raw one.
  static let savingPercentMin = 6
  /// LZ4 makes at most so many bytes of one.
  static let expansionMax = 255
}

/// What a block holds. On disk since format 0; never renumber.
enum BlockKind: UInt8, Sendable, CaseIterable {
  /// A page of a tree (`PageFormat`).
  case page = 1
  /// The sorted changes of one page since its base block. Reserved.
  case delta = 2
  /// A filter of the keys below one lowest inner page. Reserved.
  case filter = 3
  /// A value that is too long for its page. Reserved.
  case blob = 4
  /// What is alive in segments.
  case usage = 5
  /// What a checkpoint consists of.
  case checkpoint = 6

  /// The most raw bytes a block of this kind has, so that a reader's memory is bounded.
  var rawBytesMax: Int {
    switch self {
    case .page, .delta: 128 << 10
    case .filter: 1 << 20
    case .blob: 17 << 20
    case .usage: 1 << 20
    case .checkpoint: 16 << 20
    }
  }

  var belongsToTree: Bool {
    switch self {
    case .page, .delta, .filter, .blob: true
    case .usage, .checkpoint: false
    }
  }
}

/// How a payload is stored. On disk since format 0; never renumber.
enum BlockCodec: UInt8, Sendable {
  case raw = 0
  case lz4 = 1
}
