/// Shows what a log file holds, whole or damaged: headers, frames with their operations, and what lies between them.
///
/// Reads only. A file without a good header is read by the first frame in it that checks.
package enum WALDump {
  /// One thing met on the way through a file, in order.
  package enum Item: Sendable {
    case header(WALFileReport)
    case frame(WALFrameReport)
    /// Bytes that are no frame of this file, from `offset` up to `end`.
    case gap(offset: UInt64, end: UInt64, reason: String)
    /// Nothing was ever written from `offset` on.
    case unwritten(offset: UInt64)
  }

  /// Calls `body` with each item until it returns `false`.
  ///
  /// - Throws: what opening or reading the file throws.
  package static func read(
    _ path: String, fileSystem: any FileSystem, _ body: (Item) -> Bool
  ) throws(StorageError) {
    let file = try fileSystem.open(path, .read)
    defer { file.close() }
    let fileBytes = try file.size()
    var header: WALFileHeader
    switch try WALFileHeader.read(from: file) {
    case .valid(let found):
      header = found
      if !body(.header(WALFileReport(found, fileBytes: fileBytes, problem: nil))) { return }
    case .otherFormat(let version):
      _ = body(
        .header(WALFileReport(nil, fileBytes: fileBytes, problem: "format \(version), not \(WALFormat.version)")))
      return
    case .invalid:
      if !body(.header(WALFileReport(nil, fileBytes: fileBytes, problem: "no valid header"))) { return }
      guard let guessed = try headerFromFrames(file, fileBytes: fileBytes) else {
        _ = body(.gap(offset: 0, end: fileBytes, reason: "no frame that checks"))
        return
      }
      header = guessed
    }
    header.fileBytes = max(header.fileBytes, fileBytes)
    let reader = try WALFileReader(file, path: path, header: header)
    while true {
      while let (frame, payload) = try reader.next() {
        let offset = header.offset(of: frame.position)
        if !body(.frame(WALFrameReport(frame, offset: offset, payload: payload))) { return }
      }
      let offset = header.offset(of: reader.position)
      let reason: String
      if case .invalid(let text) = reader.fault { reason = text } else { reason = "zeros" }
      guard try reader.resumeBehindFault() else {
        if reader.fault == .unwritten {
          if offset < fileBytes { _ = body(.unwritten(offset: offset)) }
        } else if offset < fileBytes {
          _ = body(.gap(offset: offset, end: fileBytes, reason: reason))
        }
        return
      }
      if !body(.gap(offset: offset, end: header.offset(of: reader.position), reason: reason)) { return }
    }
  }

  /// What a header would have to say for the first frame that checks by itself.
  private static func headerFromFrames(
    _ file: any File, fileBytes: UInt64
  ) throws(StorageError) -> WALFileHeader? {
    let window = 1 << 20
    var start: UInt64 = 0
    while start < fileBytes {
      let bytes = try file.readBytes(window + WALFormat.frameHeaderBytes, at: start)
      for offset in stride(
        from: 0, through: bytes.count - WALFormat.frameHeaderBytes, by: Int(WALFormat.frameAlignment))
      {
        let frame = bytes.withUnsafeBytes { WALFrame(reading: $0.baseAddress! + offset) }
        guard let frame, frame.position >= start + UInt64(offset) - min(start + UInt64(offset), WALFormat.framesOffset)
        else { continue }
        let whole = try file.readBytes(WALFormat.frameHeaderBytes + frame.storedLength, at: start + UInt64(offset))
        guard whole.count == WALFormat.frameHeaderBytes + frame.storedLength else { continue }
        let crc = whole.withUnsafeBytes {
          WALFrame.checksum($0.baseAddress!, position: frame.position, storedLength: frame.storedLength)
        }
        let place = start + UInt64(offset)
        guard crc == frame.crc, place >= WALFormat.framesOffset else { continue }
        let before = place - WALFormat.framesOffset
        guard frame.position >= before, (frame.position - before) % WALFormat.sectorBytes == 0 else { continue }
        return WALFileHeader(
          kind: .log, lineage: 0, generation: frame.generation, salt: frame.salt,
          firstPosition: frame.position - before, commitVersion: 0, checkpoint: 0, copiedEnd: 0, chain: frame.chain,
          fileBytes: fileBytes)
      }
      start += UInt64(window)
    }
    return nil
  }
}
