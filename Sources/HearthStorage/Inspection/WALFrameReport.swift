/// One frame of a log file, decoded as far as it goes.
package struct WALFrameReport: Sendable {
  package struct Operation: Sendable {
    /// `insert`, `replace` or `remove`.
    package let kind: String
    package let tree: TreeID
    package let key: [UInt8]
    package let value: [UInt8]
    package let oldSize: Int
  }

  /// In the file.
  package let offset: UInt64
  /// Header and payload, without padding.
  package let byteCount: Int
  /// `commit`, `firstPart`, `part`, `lastPart` or `seal`.
  package let kind: String
  /// `raw` or `lz4`.
  package let codec: String
  package let position: UInt64
  package let syncedThrough: UInt64
  package let generation: UInt64
  package let commitVersion: UInt64
  package let commitTime: Int64
  package let operationCount: UInt32
  package let operations: [Operation]
  /// What is wrong inside, although the checksum is right.
  package let problem: String?
  /// The payload as stored.
  package let payload: [UInt8]

  init(_ frame: WALFrame, offset: UInt64, payload: UnsafeRawBufferPointer) {
    self.offset = offset
    byteCount = WALFormat.frameHeaderBytes + frame.storedLength
    kind = "\(frame.kind)"
    codec = "\(frame.codec)"
    position = frame.position
    syncedThrough = frame.syncedThrough
    generation = frame.generation
    commitVersion = frame.commitVersion
    commitTime = frame.commitTime
    operationCount = frame.operationCount
    self.payload = [UInt8](payload)
    let raw = UnsafeMutableRawBufferPointer.allocate(byteCount: frame.rawLength, alignment: 16)
    defer { raw.deallocate() }
    do throws(StorageError) {
      if frame.codec == .lz4 { try LZ4Block.decompress(payload, into: raw) } else { raw.copyMemory(from: payload) }
    } catch {
      operations = []
      problem = error.description
      return
    }
    var reader = BatchReader(UnsafeRawBufferPointer(raw))
    var found: [Operation] = []
    while let operation = reader.next() {
      found.append(
        Operation(
          kind: "\(operation.kind)", tree: operation.tree, key: [UInt8](operation.key),
          value: [UInt8](operation.value), oldSize: operation.oldSize))
    }
    operations = found
    problem =
      reader.isDamaged
      ? "bytes that are no operation"
      : found.count != Int(frame.operationCount)
        ? "\(found.count) operations, the frame says \(frame.operationCount)" : nil
  }
}
