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
    let header = header(version: 0, updateTime: 0, createTime: createTime?.orderedBits ?? 0)
    let (bytes, valueOffsets) = DocumentEncoder.encode(header: header, fields: fields)
    var offsets = [DocumentFormat.updateTimeOffset]
    if createTime == nil { offsets.append(DocumentFormat.createTimeOffset) }
    return Encoded(bytes: bytes, timeOffsets: offsets + valueOffsets)
  }

  /// Encodes a document as it is. Its values must not hold ``Timestamp/commitTime``.
  package static func encode(_ document: Document) -> [UInt8] {
    let header = header(
      version: document.version, updateTime: document.updateTime.orderedBits,
      createTime: document.createTime.orderedBits)
    let (bytes, valueOffsets) = DocumentEncoder.encode(header: header, fields: document.fields)
    precondition(valueOffsets.isEmpty, "\(document.key) has \(valueOffsets.count) times that are not known yet")
    return bytes
  }

  private static func header(version: UInt64, updateTime: UInt64, createTime: UInt64) -> [UInt8] {
    var header = [DocumentFormat.format]
    KeySegment.appendBigEndian(version, to: &header)
    KeySegment.appendBigEndian(updateTime, to: &header)
    KeySegment.appendBigEndian(createTime, to: &header)
    return header
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
