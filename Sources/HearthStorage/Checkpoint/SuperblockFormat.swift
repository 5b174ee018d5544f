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
/// | 40 | 8 | salt of the base file, 0 when there is none |
/// | 48 | 8 | bytes of the base file |
/// | 56 | 8 | commit version of the base |
/// | 64 | 8 | commit time of the base |
/// | 72 | 8 | position at which the log goes on |
/// | 80 | 8 | generation of the log when the slot was written |
/// | 88 | 4 | chain of the frame before that position |
/// | 96 | 8 | bytes of all keys and values in the base |
/// | 104 | 24 | entries of the base: documents, indexes, catalog |
///
/// A slot counts only if its checksum is right and its base file exists, says the same salt, and is as long.
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
    static let baseSalt = 40
    static let baseBytes = 48
    static let commitVersion = 56
    static let commitTime = 64
    static let logPosition = 72
    static let logGeneration = 80
    static let logChain = 88
    static let stateBytes = 96
    static let entryCounts = 104
  }
}
