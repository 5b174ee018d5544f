import CHearth

/// The header of one frame; its payload lies elsewhere.
struct WALFrame: Equatable, Sendable {
  var kind: FrameKind
  var codec: FrameCodec
  var storedLength: Int
  var rawLength: Int
  var position: UInt64
  var salt: UInt64
  var generation: UInt64
  var syncedThrough: UInt64
  var commitVersion: UInt64
  var commitTime: Int64
  var chain: UInt32
  var operationCount: UInt32
  /// The frame's own checksum, which the next frame carries as its chain.
  var crc: UInt32 = 0

  /// The position just past the frame.
  var end: UInt64 { position + WALFormat.frameBytes(payload: storedLength) }

  /// Writes the header in front of a payload that already stands at `p + frameHeaderBytes`; returns the checksum.
  func seal(at p: UnsafeMutableRawPointer) -> UInt32 {
    p.store(u32: UInt32(storedLength), at: WALFormat.Frame.storedLength)
    p.storeBytes(of: kind.rawValue, toByteOffset: WALFormat.Frame.kind, as: UInt8.self)
    p.storeBytes(of: codec.rawValue, toByteOffset: WALFormat.Frame.codec, as: UInt8.self)
    p.storeBytes(of: 0, toByteOffset: WALFormat.Frame.codec + 1, as: UInt16.self)
    p.store(u32: UInt32(rawLength), at: WALFormat.Frame.rawLength)
    p.store(u64: position, at: WALFormat.Frame.position)
    p.store(u64: salt, at: WALFormat.Frame.salt)
    p.store(u64: generation, at: WALFormat.Frame.generation)
    p.store(u64: syncedThrough, at: WALFormat.Frame.syncedThrough)
    p.store(u64: commitVersion, at: WALFormat.Frame.commitVersion)
    p.store(u64: UInt64(bitPattern: commitTime), at: WALFormat.Frame.commitTime)
    p.store(u32: chain, at: WALFormat.Frame.chain)
    p.store(u32: operationCount, at: WALFormat.Frame.operationCount)
    let crc = Self.checksum(UnsafeRawPointer(p), position: position, storedLength: storedLength)
    p.store(u32: crc, at: WALFormat.Frame.crc)
    return crc
  }

  static func checksum(_ p: UnsafeRawPointer, position: UInt64, storedLength: Int) -> UInt32 {
    hearth_crc32c(
      WALFormat.seed(position: position), p + WALFormat.Frame.storedLength,
      WALFormat.frameHeaderBytes - WALFormat.Frame.storedLength + storedLength)
  }

  /// The fields as they stand, or `nil` when one of them cannot be; the checksum is not looked at.
  init?(reading p: UnsafeRawPointer) {
    guard let kind = FrameKind(rawValue: p.load(fromByteOffset: WALFormat.Frame.kind, as: UInt8.self)),
      let codec = FrameCodec(rawValue: p.load(fromByteOffset: WALFormat.Frame.codec, as: UInt8.self))
    else { return nil }
    self.kind = kind
    self.codec = codec
    storedLength = Int(p.u32(WALFormat.Frame.storedLength))
    rawLength = Int(p.u32(WALFormat.Frame.rawLength))
    guard storedLength <= WALFormat.framePayloadBytesMax, rawLength <= WALFormat.framePayloadBytesMax,
      codec != .raw || rawLength == storedLength
    else { return nil }
    position = p.u64(WALFormat.Frame.position)
    salt = p.u64(WALFormat.Frame.salt)
    generation = p.u64(WALFormat.Frame.generation)
    syncedThrough = p.u64(WALFormat.Frame.syncedThrough)
    commitVersion = p.u64(WALFormat.Frame.commitVersion)
    commitTime = Int64(bitPattern: p.u64(WALFormat.Frame.commitTime))
    chain = p.u32(WALFormat.Frame.chain)
    operationCount = p.u32(WALFormat.Frame.operationCount)
    crc = p.u32(WALFormat.Frame.crc)
    guard WALFormat.canCountOn(position, generation, syncedThrough, commitVersion, time: commitTime) else { return nil }
  }

  init(
    kind: FrameKind, codec: FrameCodec, storedLength: Int, rawLength: Int, position: UInt64, salt: UInt64,
    generation: UInt64, syncedThrough: UInt64, commitVersion: UInt64, commitTime: Int64, chain: UInt32,
    operationCount: UInt32
  ) {
    self.kind = kind
    self.codec = codec
    self.storedLength = storedLength
    self.rawLength = rawLength
    self.position = position
    self.salt = salt
    self.generation = generation
    self.syncedThrough = syncedThrough
    self.commitVersion = commitVersion
    self.commitTime = commitTime
    self.chain = chain
    self.operationCount = operationCount
  }
}
