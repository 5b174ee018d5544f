/// Layout of a segment (FORMAT.md, "Segment header"). All numbers are little-endian. On disk since format 0.
///
///     0      header, first copy          4096   header, second copy          8192   blocks …
///     footer: one entry per block, zeros to the next multiple of 64, then the trailer, which ends the file
///
/// | offset | size | header field | may be trusted |
/// |---|---|---|---|
/// | 0 | 8 | magic `HEARTHSG` | |
/// | 8 | 4 | format version | when the magic is right |
/// | 12 | 4 | CRC-32C of bytes 16–127, seeded by segment 0 and the copy's offset | |
/// | 16 | 8 | lineage | from here on: when the CRC is right |
/// | 24 | 8 | segment: its number, from 1, never given twice | |
/// | 32 | 8 | checkpoint that it was written for | |
/// | 40 | 8 | features that a reader must know, 0 so far | |
/// | 48 | 80 | reserved, 0 | |
///
/// | offset | size | footer entry field |
/// |---|---|---|
/// | 0 | 4 | offset of the block in units of 64 bytes |
/// | 4 | 4 | length of header and payload |
/// | 8 | 4 | check: the block's CRC |
/// | 12 | 1 | kind |
/// | 13 | 1 | tree, 255 for none |
/// | 14 | 1 | level |
/// | 15 | 1 | reserved, 0 |
///
/// | offset | size | trailer field |
/// |---|---|---|
/// | 0 | 8 | magic `HEARTHSF` |
/// | 8 | 4 | format version |
/// | 12 | 4 | CRC-32C of entries, zeros and bytes 16–63, seeded by segment and offset of the footer |
/// | 16 | 8 | segment |
/// | 24 | 8 | offset of the footer, where the last block ends |
/// | 32 | 8 | length of the file |
/// | 40 | 4 | number of blocks |
/// | 44 | 20 | reserved, 0 |
///
/// A file gets the name `.seg` only when all of it is durable. The footer only lists what a reader also finds by walking
/// from block to block.
enum SegmentFormat {
  static let magic: UInt64 = 0x4753_4854_5241_4548  // "HEARTHSG"
  static let version: UInt32 = 0
  static let headerBytes = 128
  static let headerCopyOffsets: [UInt64] = [0, 4096]
  static let blocksOffset: UInt64 = 8192
  /// So that nobody reads a list that a forged number makes endless.
  static let blockCountMax = 1 << 22
  /// What a reference can name: 2^32 units of 64 bytes.
  static let byteCountMax: UInt64 = BlockFormat.alignment << 32

  enum Header {
    static let magic = 0
    static let version = 8
    static let crc = 12
    static let lineage = 16
    static let segment = 24
    static let checkpoint = 32
    static let features = 40
    static let reserved = 48
  }

  static let footerEntryBytes = 16

  enum FooterEntry {
    static let unit = 0
    static let byteCount = 4
    static let check = 8
    static let kind = 12
    static let tree = 13
    static let level = 14
    static let reserved = 15
  }

  static let trailerMagic: UInt64 = 0x4653_4854_5241_4548  // "HEARTHSF"
  static let trailerBytes = 64

  enum Trailer {
    static let magic = 0
    static let version = 8
    static let crc = 12
    static let segment = 16
    static let footerOffset = 24
    static let fileBytes = 32
    static let blockCount = 40
    static let reserved = 44
  }

  /// Footer and trailer of so many blocks.
  static func footerBytes(blockCount: Int) -> UInt64 {
    alignUp(UInt64(blockCount * footerEntryBytes), BlockFormat.alignment) + UInt64(trailerBytes)
  }
}
