/// Layout of a page, the raw payload of a page block (FORMAT.md, "Page"). All numbers are little-endian. On disk since
/// format 0.
///
///     0    header
///     64   prefix: what all keys of the page begin with, filled with zeros to the next multiple of 8
///          slots: one per entry or child and one for the end
///          inner pages: entries before each child, one per child and one for all
///          inner pages: child references
///          lower fence, upper fence, each without what it shares with the prefix
///          content: entries or separators in order, without gaps, to the end of the page
///
/// | offset | size | header field |
/// |---|---|---|
/// | 0 | 4 | length of the page |
/// | 4 | 4 | number of entries (leaf) or children |
/// | 8 | 1 | level: 0 leaf |
/// | 9 | 1 | flags |
/// | 10 | 2 | length of the prefix |
/// | 12 | 2 | length of the lower fence behind what it shares with the prefix |
/// | 14 | 2 | length of the upper fence behind what it shares with the prefix |
/// | 16 | 8 | entries of the subtree |
/// | 24 | 20 | reference to the filter of the leaves below (level 1); 0, there are none yet |
/// | 44 | 2 | how much of the prefix the lower fence begins with |
/// | 46 | 2 | how much of the prefix the upper fence begins with |
/// | 48 | 16 | reserved, 0 |
///
/// | offset | size | slot field |
/// |---|---|---|
/// | 0 | 4 | head: the four key bytes after the prefix as a number that orders as they do, zeros behind the key's end |
/// | 4 | 4 | offset in the page of the entry or separator; of the slot for the end, the length of the page |
///
/// | offset | size | entry field |
/// |---|---|---|
/// | 0 | 2 | bits 0–14: length of the key after the prefix; bit 15: the value is a blob |
/// | 2 | n | the key after the prefix, then the value up to the next entry |
///
/// The keys of a page lie from the lower fence up to below the upper fence; without the latter up to the end of the
/// tree. Child i holds the keys from separator i (the first: the lower fence, and its separator is empty and does not
/// have the prefix) to separator i + 1. A separator is no longer than it takes to tell its neighbours apart.
///
/// The prefix is that of the keys and not of the fences, so that the last page of a tree and its root, whose fences are
/// open, have heads that tell keys apart as well.
enum PageFormat {
  static let headerBytes = 64
  static let byteCountMax = 128 << 10
  /// A longer value is a blob.
  static let valueBytesMax = 64 << 10

  enum Header {
    static let byteCount = 0
    static let count = 4
    static let level = 8
    static let flags = 9
    static let prefixLength = 10
    static let lowerLength = 12
    static let upperLength = 14
    static let entryCount = 16
    static let filter = 24
    static let lowerShared = 44
    static let upperShared = 46
    static let reserved = 48
  }

  static let blobsFlag: UInt8 = 1
  /// There is an upper fence.
  static let upperFlag: UInt8 = 2

  static let slotBytes = 8

  enum Slot {
    static let head = 0
    static let offset = 4
  }

  /// Bytes of an entry before its key.
  static let entryHeaderBytes = 2
  static let blobBit: UInt16 = 0x8000

  static let countBytes = 8

  static func padded(prefix: Int) -> Int { (prefix &+ 7) & ~7 }
}

/// Layout of a child reference (FORMAT.md, "Child reference"). On disk since format 0.
///
/// | offset | size | field |
/// |---|---|---|
/// | 0 | 20 | base: the child's block |
/// | 20 | 20 | delta: the block of its changes; none so far |
/// | 40 | 4 | leaves: bytes inside the base that are dead: of each dead entry its value and 8 |
/// | 44 | 1 | bit 0: a value of the leaf is a blob |
/// | 45 | 3 | reserved, 0 |
enum ChildFormat {
  static let byteCount = 48
  static let base = 0
  static let delta = 20
  static let deadBytes = 40
  static let flags = 44
  static let reserved = 45
  static let blobsFlag: UInt8 = 1
}
