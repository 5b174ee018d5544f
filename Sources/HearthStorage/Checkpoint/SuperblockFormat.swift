/// Layout of `SUPER` (FORMAT.md, "Superblock"): four slots of 4 KiB, written in turn. Little-endian. On disk since
/// format 0.
///
/// | offset | size | slot field |
/// |---|---|---|
/// | 0 | 8 | magic `HEARTHSB` |
/// | 8 | 4 | format version |
/// | 12 | 4 | CRC-32C of bytes 16–255, seeded by the slot's index |
/// | 16 | 8 | checkpoint number; the highest valid slot counts |
/// | 24 | 8 | lineage |
/// | 32 | 8 | features a reader must know, 0 so far |
/// | 40 | 8 | reserved, 0 |
/// | 48 | 20 | checkpoint record: reference to its block; zeros when there is none |
/// | 68 | 4 | reserved, 0 |
/// | 72 | 8 | length of the segment that the record stands in |
/// | 80 | 8 | commit version of the checkpoint |
/// | 88 | 8 | commit time of the checkpoint |
/// | 96 | 8 | position at which the log goes on |
/// | 104 | 8 | generation of the log when the slot was written |
/// | 112 | 4 | chain of the frame before that position |
/// | 116 | 4 | reserved, 0 |
/// | 120 | 8 | bytes of all keys and values in the checkpoint |
/// | 128 | 24 | entries of the checkpoint: documents, indexes, catalog |
///
/// A slot counts only if its checksum is right, its record can be read and agrees with it, and all segments that the
/// record lists are there with their lengths.
enum SuperblockFormat {
  static let magic: UInt64 = 0x4253_4854_5241_4548  // "HEARTHSB"
  static let version: UInt32 = 0
  static let slotBytes = 4096
  static let slotCount = 4
  static let checkedBytes = 256

  enum Slot {
    static let magic = 0
    static let version = 8
    static let crc = 12
    static let number = 16
    static let lineage = 24
    static let features = 32
    static let record = 48
    static let recordSegmentBytes = 72
    static let commitVersion = 80
    static let commitTime = 88
    static let logPosition = 96
    static let logGeneration = 104
    static let logChain = 112
    static let stateBytes = 120
    static let entryCounts = 128
  }
}
