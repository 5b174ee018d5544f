/// Reads the frames of one log file front to back, with memory bounded by the largest frame.
///
/// It accepts a frame only where everything about it agrees: place, salt, generation, checksum, and the chain to the
/// frame before. The first that does not ends the file; whether that end is torn or damaged is `WALRecovery`'s to say.
/// Not thread-safe.
final class WALFileReader {
  let header: WALFileHeader
  let path: String
  private let file: any File
  private let faults = StorageFaults.injected
  /// What the file really is long, which a cut file's header doesn't tell.
  private let readableEnd: UInt64
  private var window = UnsafeMutableRawBufferPointer(start: nil, count: 0)
  private var windowOffset: UInt64 = 0
  private var windowLength = 0

  /// Where the next frame is looked for; after the end, where the last good frame ended.
  private(set) var position: UInt64
  private(set) var chain: UInt32
  /// Why reading ended; `nil` before that.
  private(set) var fault: Fault?

  enum Fault: Equatable, Sendable {
    /// Nothing but zeros: the log was never written here.
    case unwritten
    /// Something stands here that is no frame of this log, or one that does not check.
    case invalid(String)
  }

  init(_ file: any File, path: String, header: WALFileHeader) throws(StorageError) {
    self.file = file
    self.path = path
    self.header = header
    readableEnd = min(try file.size(), header.fileBytes)
    position = header.firstPosition
    chain = header.chain
  }

  deinit { window.deallocate() }

  /// The next frame and its stored payload (valid until the next call), or `nil` at the end.
  func next() throws(StorageError) -> (frame: WALFrame, payload: UnsafeRawBufferPointer)? {
    guard fault == nil else { return nil }
    let here = try check(position, chain: chain)
    if case .success(let found) = here { return advance(to: found) }
    let nextSector = alignUp(position, WALFormat.sectorBytes)
    let there = nextSector == position ? here : try check(nextSector, chain: chain)
    if case .success(let found) = there { return advance(to: found) }
    // Zeros here and something bad on the next sector: the latter is what is worth telling.
    if case .failure(let failure) = here, failure.fault != .unwritten { fault = failure.fault }
    if fault == nil, case .failure(let failure) = there { fault = failure.fault }
    return nil
  }

  private func advance(
    to found: (frame: WALFrame, payload: UnsafeRawBufferPointer)
  ) -> (frame: WALFrame, payload: UnsafeRawBufferPointer) {
    position = found.frame.end
    chain = found.frame.crc
    return found
  }

  private struct CheckFailure: Error { var fault: Fault }

  /// - Parameter chain: `nil` skips the check of the chain.
  private func check(
    _ position: UInt64, chain: UInt32?
  ) throws(StorageError) -> Result<(frame: WALFrame, payload: UnsafeRawBufferPointer), CheckFailure> {
    func failure(_ text: String) -> Result<(frame: WALFrame, payload: UnsafeRawBufferPointer), CheckFailure> {
      .failure(CheckFailure(fault: .invalid(text)))
    }
    let offset = header.offset(of: position)
    guard offset + UInt64(WALFormat.frameHeaderBytes) <= readableEnd,
      let head = try bytes(at: offset, count: WALFormat.frameHeaderBytes)
    else { return .failure(CheckFailure(fault: .unwritten)) }
    guard let frame = WALFrame(reading: head) else {
      let zero = UnsafeRawBufferPointer(start: head, count: WALFormat.frameHeaderBytes).allSatisfy { $0 == 0 }
      return zero ? .failure(CheckFailure(fault: .unwritten)) : failure("no frame header")
    }
    guard frame.position == position else { return failure("position is \(frame.position), expected \(position)") }
    guard frame.salt == header.salt, frame.generation == header.generation else {
      return failure("frame of another use of this file")
    }
    guard offset + WALFormat.frameBytes(payload: frame.storedLength) <= readableEnd,
      let whole = try bytes(at: offset, count: WALFormat.frameHeaderBytes + frame.storedLength)
    else { return failure("frame of \(frame.storedLength) bytes reaches past the file") }
    let crc = WALFrame.checksum(whole, position: position, storedLength: frame.storedLength)
    guard crc == frame.crc || faults.contains(.checksumNotChecked) else {
      return failure("checksum is 0x\(hex(frame.crc)), computed 0x\(hex(crc))")
    }
    if let chain, frame.chain != chain, !faults.contains(.chainNotChecked) {
      return failure("chain is 0x\(hex(frame.chain)), expected 0x\(hex(chain))")
    }
    let payload = UnsafeRawBufferPointer(start: whole + WALFormat.frameHeaderBytes, count: frame.storedLength)
    return .success((frame, payload))
  }

  /// After the end, for inspection only: goes on at the next frame behind it that checks, whatever its chain.
  /// - Returns: whether there is one.
  func resumeBehindFault() throws(StorageError) -> Bool {
    var candidate = alignUp(position + 1, WALFormat.frameAlignment)
    while let suspect = try nextSuspect(from: candidate) {
      if case .success(let good) = try check(suspect, chain: nil) {
        position = suspect
        chain = good.frame.chain
        fault = nil
        return true
      }
      candidate = suspect + WALFormat.frameAlignment
    }
    return false
  }

  /// After the end: the last frame that stands anywhere behind it and checks, whatever its chain. A frame whose
  /// `syncedThrough` lies beyond the end proves that what is missing there had been synced.
  func laterFrame(syncedBeyond limit: UInt64) throws(StorageError) -> WALFrame? {
    var found: WALFrame?
    var candidate = alignUp(position + 1, WALFormat.frameAlignment)
    while let suspect = try nextSuspect(from: candidate) {
      if case .success(let good) = try check(suspect, chain: nil) {
        if good.frame.syncedThrough > limit { found = good.frame }
        candidate = good.frame.end
      } else {
        candidate = suspect + WALFormat.frameAlignment
      }
    }
    return found
  }

  /// The first place from `candidate` on whose eight bytes of "position" name that very place.
  private func nextSuspect(from candidate: UInt64) throws(StorageError) -> UInt64? {
    var candidate = candidate
    while true {
      let offset = header.offset(of: candidate)
      guard offset < readableEnd else { return nil }
      let stretch = Int(min(readableEnd - offset, 1 << 20))
      guard stretch >= WALFormat.frameHeaderBytes, let p = try bytes(at: offset, count: stretch) else { return nil }
      var step = 0
      while step <= stretch - WALFormat.frameHeaderBytes {
        if p.u64(step &+ WALFormat.Frame.position) == candidate &+ UInt64(step) { return candidate + UInt64(step) }
        step &+= Int(WALFormat.frameAlignment)
      }
      candidate += UInt64(step)
    }
  }

  /// Memory that holds `count` bytes from `offset` of the file, or `nil` when the file ends before.
  private func bytes(at offset: UInt64, count: Int) throws(StorageError) -> UnsafeRawPointer? {
    if offset >= windowOffset, offset + UInt64(count) <= windowOffset + UInt64(windowLength) {
      return UnsafeRawPointer(window.baseAddress! + Int(offset - windowOffset))
    }
    let wanted = max(count, 1 << 20)
    if window.count < wanted {
      window.deallocate()
      window = .allocate(byteCount: wanted, alignment: 4096)
    }
    windowOffset = offset
    windowLength = 0
    windowLength = try file.read(into: window, at: offset)
    return windowLength >= count ? UnsafeRawPointer(window.baseAddress!) : nil
  }
}
