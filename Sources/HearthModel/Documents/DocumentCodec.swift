/// Documents to bytes and back (``DocumentFormat``).
package enum DocumentCodec {
  /// An encoded document and the places in it that wait for the commit.
  package struct Encoded: Sendable {
    package var bytes: [UInt8]
    /// Where the commit's time goes, 8 bytes each: update time, create time of a new document, server timestamps.
    /// Until stamped they hold 0.
    package var timeOffsets: [Int]
    /// Where the commit's version goes, 8 bytes.
    package var versionOffset: Int { DocumentFormat.versionOffset }
  }

  /// Encodes fields that a commit is about to write.
  ///
  /// - Parameter createTime: Of the document that is replaced; `nil` if the commit creates it.
  package static func encode(_ fields: MapValue, createTime: Int64?) -> Encoded {
    let header = DocumentEncoder.Header(version: 0, updateTime: 0, createTime: createTime?.orderedBits ?? 0)
    let offsets =
      createTime == nil
      ? [DocumentFormat.updateTimeOffset, DocumentFormat.createTimeOffset] : [DocumentFormat.updateTimeOffset]
    let (bytes, timeOffsets) = DocumentEncoder.encode(header, fields, timeOffsets: offsets)
    return Encoded(bytes: bytes, timeOffsets: timeOffsets)
  }

  /// Encodes a document as it is. Its values must not hold ``Timestamp/commitTime``.
  package static func encode(_ document: Document) -> [UInt8] {
    let header = DocumentEncoder.Header(
      version: document.version, updateTime: document.updateTime.orderedBits,
      createTime: document.createTime.orderedBits)
    let (bytes, timeOffsets) = DocumentEncoder.encode(header, document.fields, timeOffsets: [])
    precondition(timeOffsets.isEmpty, "\(document.key) has \(timeOffsets.count) times that are not known yet")
    return bytes
  }

  /// Whether an encoding that awaits its commit has the fields that `stored` has. Equal fields have equal encodings;
  /// a server timestamp is never what is stored.
  static func hasSameFields(_ encoded: Encoded, _ stored: [UInt8]) -> Bool {
    guard encoded.bytes.count == stored.count,
      encoded.timeOffsets.allSatisfy({ $0 < DocumentFormat.headerBytes })
    else { return false }
    return encoded.bytes.withUnsafeBytes { left in
      stored.withUnsafeBytes { right in
        ByteOrder.equal(
          UnsafeRawBufferPointer(rebasing: left[DocumentFormat.headerBytes...]),
          UnsafeRawBufferPointer(rebasing: right[DocumentFormat.headerBytes...]))
      }
    }
  }

  static func createTime(of bytes: [UInt8]) throws(ModelError) -> Int64 {
    // `withUnsafeBytes` does not pass a typed error on.
    try bytes.withUnsafeBytes { bytes in
      Result { () throws(ModelError) in try EncodedDocument(bytes).createTime }
    }.get()
  }

  package static func decode(_ bytes: UnsafeRawBufferPointer, key: DocumentKey) throws(ModelError) -> Document {
    let document = try EncodedDocument(bytes)
    return Document(
      key: key, fields: try document.fields().decodeMap(), createTime: document.createTime,
      updateTime: document.updateTime, version: document.version)
  }

  package static func decode(_ bytes: [UInt8], key: DocumentKey) throws(ModelError) -> Document {
    // `withUnsafeBytes` does not pass a typed error on.
    try bytes.withUnsafeBytes { bytes in Result { () throws(ModelError) in try decode(bytes, key: key) } }.get()
  }
}
