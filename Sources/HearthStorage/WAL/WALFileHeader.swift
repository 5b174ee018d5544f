import CHearth

/// Who a log file is: read from its header, never from its name.
struct WALFileHeader: Equatable, Sendable {
  enum Kind: UInt8, Sendable {
    case log = 0
  }

  var kind: Kind
  var lineage: UInt64
  var generation: UInt64
  var salt: UInt64
  var firstPosition: UInt64
  var commitVersion: UInt64
  var checkpoint: UInt64
  var copiedEnd: UInt64
  var chain: UInt32
  var fileBytes: UInt64

  /// Where in the file the frame at `position` begins.
  func offset(of position: UInt64) -> UInt64 { position - firstPosition + WALFormat.framesOffset }
  func position(ofOffset offset: UInt64) -> UInt64 { offset - WALFormat.framesOffset + firstPosition }
  /// The position just past the file.
  var endPosition: UInt64 { position(ofOffset: fileBytes) }

  /// Both copies, each padded to its sector: the first 8 KiB of the file.
  func encoded() -> [UInt8] {
    var image = [UInt8](repeating: 0, count: Int(WALFormat.framesOffset))
    image.withUnsafeMutableBytes { buffer in
      for copy in WALFormat.headerCopyOffsets {
        let p = buffer.baseAddress! + Int(copy)
        p.store(u64: WALFormat.magic, at: WALFormat.Header.magic)
        p.store(u32: WALFormat.version, at: WALFormat.Header.version)
        p.storeBytes(of: kind.rawValue, toByteOffset: WALFormat.Header.kind, as: UInt8.self)
        p.store(u64: lineage, at: WALFormat.Header.lineage)
        p.store(u64: generation, at: WALFormat.Header.generation)
        p.store(u64: salt, at: WALFormat.Header.salt)
        p.store(u64: firstPosition, at: WALFormat.Header.firstPosition)
        p.store(u64: commitVersion, at: WALFormat.Header.commitVersion)
        p.store(u64: checkpoint, at: WALFormat.Header.checkpoint)
        p.store(u64: copiedEnd, at: WALFormat.Header.copiedEnd)
        p.store(u32: chain, at: WALFormat.Header.chain)
        p.store(u64: fileBytes, at: WALFormat.Header.fileBytes)
        p.store(u32: Self.checksum(UnsafeRawPointer(p), copyOffset: copy), at: WALFormat.Header.crc)
      }
    }
    return image
  }

  private static func checksum(_ p: UnsafeRawPointer, copyOffset: UInt64) -> UInt32 {
    hearth_crc32c(
      WALFormat.seed(position: copyOffset), p + WALFormat.Header.kind,
      WALFormat.headerBytes - WALFormat.Header.kind)
  }

  /// What the first 8 KiB of a file say.
  enum Reading: Equatable {
    case valid(WALFileHeader)
    /// Written by a build with another format.
    case otherFormat(UInt32)
    /// Neither copy checks.
    case invalid
  }

  /// Reads either copy. Where both are good but differ (a crash while a file was being recycled), the newer counts.
  static func read(from file: any File) throws(StorageError) -> Reading {
    let image = try file.readBytes(Int(WALFormat.framesOffset), at: 0)
    var best: WALFileHeader?
    var otherFormat: UInt32?
    image.withUnsafeBytes { buffer in
      for copy in WALFormat.headerCopyOffsets where Int(copy) + WALFormat.headerBytes <= buffer.count {
        let p = buffer.baseAddress! + Int(copy)
        guard p.u64(WALFormat.Header.magic) == WALFormat.magic else { continue }
        guard p.u32(WALFormat.Header.version) == WALFormat.version else {
          otherFormat = p.u32(WALFormat.Header.version)
          continue
        }
        guard p.u32(WALFormat.Header.crc) == checksum(p, copyOffset: copy),
          let header = decode(p)
        else { continue }
        if best.map({ ($0.generation, $0.firstPosition) < (header.generation, header.firstPosition) }) ?? true {
          best = header
        }
      }
    }
    if let best { return .valid(best) }
    return otherFormat.map { .otherFormat($0) } ?? .invalid
  }

  private static func decode(_ p: UnsafeRawPointer) -> WALFileHeader? {
    guard let kind = Kind(rawValue: p.load(fromByteOffset: WALFormat.Header.kind, as: UInt8.self)) else { return nil }
    let header = WALFileHeader(
      kind: kind, lineage: p.u64(WALFormat.Header.lineage), generation: p.u64(WALFormat.Header.generation),
      salt: p.u64(WALFormat.Header.salt), firstPosition: p.u64(WALFormat.Header.firstPosition),
      commitVersion: p.u64(WALFormat.Header.commitVersion), checkpoint: p.u64(WALFormat.Header.checkpoint),
      copiedEnd: p.u64(WALFormat.Header.copiedEnd), chain: p.u32(WALFormat.Header.chain),
      fileBytes: p.u64(WALFormat.Header.fileBytes))
    guard
      WALFormat.canCountOn(
        header.firstPosition, header.fileBytes, header.generation, header.commitVersion, header.checkpoint),
      header.firstPosition % WALFormat.sectorBytes == 0,
      header.fileBytes >= WALFormat.framesOffset,
      header.fileBytes % WALFormat.sectorBytes == 0,
      header.copiedEnd == 0 || (header.firstPosition...header.endPosition).contains(header.copiedEnd)
    else { return nil }
    return header
  }
}
