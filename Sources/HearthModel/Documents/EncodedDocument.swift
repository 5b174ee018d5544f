/// A document in encoded form, read in place. It points into memory that must outlive it.
package struct EncodedDocument {
  private let bytes: UnsafeRawBufferPointer

  package init(_ bytes: UnsafeRawBufferPointer) throws(ModelError) {
    guard bytes.count >= DocumentFormat.headerBytes else {
      throw .corruption("a document has \(bytes.count) bytes; its header alone has \(DocumentFormat.headerBytes)")
    }
    guard bytes[0] == DocumentFormat.format else {
      throw .corruption("a document has the unknown format \(bytes[0])")
    }
    self.bytes = bytes
  }

  package var version: UInt64 { load(DocumentFormat.versionOffset) }
  package var updateTime: Int64 { Int64(orderedBits: load(DocumentFormat.updateTimeOffset)) }
  package var createTime: Int64 { Int64(orderedBits: load(DocumentFormat.createTimeOffset)) }

  private func load(_ offset: Int) -> UInt64 {
    UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  package func fields() throws(ModelError) -> EncodedContainer {
    try EncodedContainer(
      UnsafeRawBufferPointer(rebasing: bytes[DocumentFormat.headerBytes...]), hasNames: true, depth: 0)
  }

  /// The value at a path, still encoded, or `nil` if a name is missing or the path runs through something that is not
  /// a map.
  package func encodedValue(at path: FieldPath) throws(ModelError) -> EncodedValue? {
    var map = try fields()
    for name in path.segments.dropLast() {
      guard let inner = try map.value(named: name)?.map() else { return nil }
      map = inner
    }
    return try map.value(named: path.segments[path.segments.count - 1])
  }

  /// As ``encodedValue(at:)``, decoded. Nothing else is.
  package func value(at path: FieldPath) throws(ModelError) -> Value? {
    try encodedValue(at: path)?.decode()
  }
}
