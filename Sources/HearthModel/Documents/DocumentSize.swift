/// The size that limits are about: Firestore's published formula, not the bytes on disk (semantics.md 14).
package enum DocumentSize {
  package static let bytesMax = 1_048_576

  /// Of a document's name: 16, and each id's bytes and 1, or 8 for a numeric id.
  package static func size(of key: DocumentKey) -> Int {
    key.path.withUTF8Bytes { path in
      var size = 16
      var start = 0
      while start <= path.count {
        let end = ResourcePath.segmentEnd(path, from: start)
        let id = UnsafeRawBufferPointer(rebasing: path[start..<end])
        size += NumericID.number(of: id) == nil ? id.count + 1 : 8
        start = end + 1
      }
      return size
    }
  }

  package static func size(of key: DocumentKey, _ fields: MapValue) -> Int {
    size(of: key) + 32 + size(of: fields)
  }

  /// Of the fields alone.
  private static func size(of fields: MapValue) -> Int {
    var size = 0
    for entry in fields.entries { size += entry.name.utf8.count + 1 + self.size(of: entry.value) }
    return size
  }

  package static func size(of value: Value) -> Int {
    switch value {
    case .null, .boolean: 1
    case .integer, .double, .timestamp: 8
    case .string(let value): value.utf8.count + 1
    case .bytes(let value): value.count
    case .reference(let value): size(of: value)
    case .geoPoint: 16
    case .array(let value): value.reduce(0) { $0 + size(of: $1) }
    case .vector(let value): 8 * value.count
    case .map(let value): 32 + size(of: value)
    }
  }

  /// Refuses a document that is too large, as it would be stored.
  package static func check(_ key: DocumentKey, _ fields: MapValue) throws(ModelError) {
    let size = size(of: key, fields)
    if size > bytesMax {
      throw .invalidArgument("document \(key.path.quotedForMessage) has \(size) bytes; at most \(bytesMax) are allowed")
    }
  }
}
