/// What the writes of one commit make of one document, in their order.
///
/// The stored document stays encoded unless a write depends on its fields.
package struct DocumentChange: Sendable {
  package let key: DocumentKey
  /// The document before the commit, encoded; `nil` if it was absent.
  private let stored: [UInt8]?
  private let createTime: Int64?
  private var current: Current
  /// The last write of this commit deleted it.
  private var isDeletedHere = false

  private enum Current {
    case absent
    /// As it is stored.
    case stored([UInt8])
    case made(MapValue)
  }

  /// What the commit has to do.
  package enum Outcome: Sendable {
    /// Nothing: the document is stored exactly as before. It keeps its version, and nobody is told.
    case unchanged
    case removed(oldSize: Int)
    case inserted(DocumentCodec.Encoded)
    case replaced(DocumentCodec.Encoded, oldSize: Int)
  }

  /// - Parameter stored: The encoded document before the commit; `nil` if it was absent.
  /// - Throws: `corruption` for bytes that are no document.
  package init(key: DocumentKey, stored: [UInt8]?) throws(ModelError) {
    self.key = key
    self.stored = stored
    if let stored { createTime = try DocumentCodec.createTime(of: stored) } else { createTime = nil }
    current = stored.map { .stored($0) } ?? .absent
  }

  /// Adds one write. After an error the commit must be given up.
  package mutating func apply(_ mutation: Mutation) throws(ModelError) {
    if mutation.isUpdate, isDeletedHere {
      throw .invalidArgument(
        "document \(key.path.quotedForMessage) is updated after the same commit deleted it; set it instead")
    }
    current = try mutation.apply(to: fields(ifNeededBy: mutation)).map { .made($0) } ?? .absent
    isDeletedHere = mutation.fields == .delete
  }

  /// The fields so far for a write that reads them; for any other only whether there are some.
  private mutating func fields(ifNeededBy mutation: Mutation) throws(ModelError) -> MapValue? {
    if case .stored = current, !mutation.readsFields { return MapValue() }
    // Leaves the write as the only owner of the fields, so that they are changed in place.
    defer { current = .absent }
    return try fields()
  }

  /// The fields after the writes so far; `nil` if the document is absent then.
  package func fields() throws(ModelError) -> MapValue? {
    switch current {
    case .absent: nil
    case .stored(let bytes): try DocumentCodec.decode(bytes, key: key).fields
    case .made(let fields): fields
    }
  }

  /// Refuses a document that would be too large, and says what there is to write otherwise.
  package func outcome() throws(ModelError) -> Outcome {
    switch current {
    case .stored: return .unchanged
    case .absent: return stored.map { .removed(oldSize: $0.count) } ?? .unchanged
    case .made(let fields):
      try DocumentSize.check(key, fields)
      // A document that was deleted and set again in one commit was there before and after: it keeps its age.
      let encoded = DocumentCodec.encode(fields, createTime: createTime)
      guard let stored else { return .inserted(encoded) }
      return DocumentCodec.hasSameFields(encoded, stored) ? .unchanged : .replaced(encoded, oldSize: stored.count)
    }
  }
}

extension MapValue {
  /// The fields as a commit at `time` stored them, microseconds since 1970: ``Timestamp/commitTime`` replaced by it.
  package func stamped(at time: Int64) -> MapValue {
    MapValue(
      sorted: entries.map { entry in
        switch entry.value {
        case .timestamp(let value) where value.isCommitTime:
          Entry(name: entry.name, value: .timestamp(Timestamp(microseconds: time)))
        // Server timestamps stand in maps only, never in arrays.
        case .map(let map): Entry(name: entry.name, value: .map(map.stamped(at: time)))
        default: entry
        }
      })
  }
}
