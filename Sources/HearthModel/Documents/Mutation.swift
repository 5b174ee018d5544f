/// One write to one document, checked and taken apart (semantics.md 10): first the fields, then the transforms.
///
/// Making one does all checks that need no stored document. ``apply(to:)`` does the rest.
package struct Mutation: Hashable, Sendable {
  package enum Fields: Hashable, Sendable {
    /// Replaces all fields.
    case replace(MapValue)
    /// Sets each path to its value, or deletes it where that is `nil`.
    case patch([Change])
    /// Removes the document.
    case delete
  }

  package struct Change: Hashable, Sendable {
    package var path: FieldPath
    package var value: Value?
  }

  package let key: DocumentKey
  package let precondition: Precondition
  package let fields: Fields
  /// In the order of the data.
  package let transforms: [FieldTransform]

  init(key: DocumentKey, precondition: Precondition, fields: Fields, transforms: [FieldTransform]) {
    self.key = key
    self.precondition = precondition
    self.fields = fields
    self.transforms = transforms
  }

  /// Whether the fields are read from the stored document, which an absent one has not.
  package var isUpdate: Bool { precondition == .exists }

  /// Whether the result depends on the fields of the document, and not only on whether there is one.
  var readsFields: Bool { if case .patch = fields { true } else { false } }

  package static func delete(_ key: DocumentKey, precondition: Precondition = .none) -> Mutation {
    Mutation(key: key, precondition: precondition, fields: .delete, transforms: [])
  }

  /// The fields that the document has after this write, `nil` if it is absent then. Server timestamps are
  /// ``Timestamp/commitTime``.
  ///
  /// - Parameter old: The stored fields, `nil` if the document is absent.
  /// - Throws: `notFound` or `alreadyExists` where the precondition says so. The size is not checked: what counts is
  ///   what the whole commit leaves (``DocumentSize/check(_:_:)``).
  package func apply(to old: MapValue?) throws(ModelError) -> MapValue? {
    try precondition.check(key, exists: old != nil)
    var result: MapValue
    switch fields {
    case .delete: return nil
    case .replace(let fields): result = fields
    case .patch(let changes):
      result = old ?? MapValue()
      for change in changes {
        if let value = change.value {
          result.set(value, at: change.path)
        } else {
          result.delete(at: change.path)
        }
      }
    }
    for transform in transforms { transform.apply(to: &result) }
    return result
  }
}
