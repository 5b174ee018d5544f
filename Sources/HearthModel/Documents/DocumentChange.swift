/// What the writes of one commit make of one document, in their order.
package struct DocumentChange: Sendable {
  package let key: DocumentKey
  /// The stored fields before the commit; `nil` if the document was absent.
  package let before: MapValue?
  /// The fields after the writes so far; `nil` if the document is absent then.
  package private(set) var after: MapValue?
  /// The last write of this commit deleted it.
  private var isDeletedHere = false

  package init(key: DocumentKey, before: MapValue?) {
    self.key = key
    self.before = before
    after = before
  }

  /// Adds one write. After an error the commit must be given up.
  package mutating func apply(_ mutation: Mutation) throws(ModelError) {
    if mutation.isUpdate, isDeletedHere {
      throw .invalidArgument(
        "document \(key.path.quotedForMessage) is updated after the same commit deleted it; set it instead")
    }
    after = try mutation.apply(to: after)
    isDeletedHere = mutation.fields == .delete
  }

  /// Whether the document is stored exactly as before: then it keeps its version, and nobody is told.
  package var isNoOp: Bool { before == after }

  /// Refuses a document that would be too large.
  package func check() throws(ModelError) {
    if let after { try DocumentSize.check(key, after) }
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
