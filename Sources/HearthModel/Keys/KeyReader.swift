/// Reads the segments of a key of the document tree. Any bytes: what is no key throws `corruption`.
struct KeyReader {
  private let key: UnsafeRawBufferPointer
  private var offset: Int
  /// The mark before the last document id.
  private(set) var lastMark: UInt8?

  init(_ key: UnsafeRawBufferPointer, offset: Int = 0) {
    self.key = key
    self.offset = offset
  }

  var isAtEnd: Bool { offset >= key.count }

  /// Appends the next segment to a path, after a slash if the path has segments already.
  mutating func readSegment(into path: inout [UInt8], isCollection: Bool) throws(ModelError) {
    if isCollection, lastMark == KeySchema.documentMark { throw fault("goes on after a document") }
    if !path.isEmpty { path.append(ResourcePath.slash) }
    if !isCollection {
      guard offset < key.count, key[offset] == KeySchema.documentMark || key[offset] == KeySchema.descendantMark else {
        throw fault("has no document mark")
      }
      lastMark = key[offset]
      offset += 1
      if offset < key.count, key[offset] == KeySegment.numericTag {
        guard key.count - offset >= 9 else { throw fault("ends inside a numeric id") }
        let bits = key.loadUnaligned(fromByteOffset: offset + 1, as: UInt64.self)
        path.append(contentsOf: NumericID.id(of: Int64(orderedBits: UInt64(bigEndian: bits))).utf8)
        offset += 9
        return
      }
    }
    let start = path.count
    guard KeySegment.read(key, at: &offset, into: &path) else { throw fault("ends inside a segment") }
    if path.count == start { throw fault("has an empty segment") }
    let isOther = path.withUnsafeBytes { path in
      let segment = UnsafeRawBufferPointer(rebasing: path[start...])
      return !segment.contains(ResourcePath.slash) && NumericID.number(of: segment) == nil
    }
    // Either would give one document two keys.
    guard isOther else { throw fault("has a slash, or a number as text, in a segment") }
  }

  func text(_ path: [UInt8]) throws(ModelError) -> String {
    guard let text = path.withUnsafeBytes({ String(utf8Bytes: $0) }) else { throw fault("is not UTF-8") }
    return text
  }

  private func fault(_ what: String) -> ModelError {
    .corruption("the key of \(key.count) bytes \(what) (before byte \(offset))")
  }
}
