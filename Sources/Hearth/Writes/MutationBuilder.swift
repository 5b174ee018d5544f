internal import HearthModel

/// Makes the model's writes from what app code hands over. All it throws is `invalidArgument`.
struct MutationBuilder {
  private let reference: DocumentReference

  init(_ reference: DocumentReference) {
    self.reference = reference
  }

  private var reader: ValueReader { ValueReader(firestore: reference.firestore, use: .writing) }

  func set(_ data: [String: Any]) throws -> Mutation { try .set(reference.key(), reader.map(data)) }

  func set(_ data: EncodedNode.MapBox) throws -> Mutation { try .set(reference.key(), reader.map(data)) }

  func merge(_ data: [String: Any]) throws -> Mutation { try .merge(reference.key(), reader.map(data)) }

  func merge(_ data: EncodedNode.MapBox) throws -> Mutation { try .merge(reference.key(), reader.map(data)) }

  func merge(_ data: [String: Any], fields: [Any]) throws -> Mutation {
    try .merge(reference.key(), reader.map(data), mask: fields.map(FieldPath.resolve))
  }

  func merge(_ data: EncodedNode.MapBox, fields: [Any]) throws -> Mutation {
    try .merge(reference.key(), reader.map(data), mask: fields.map(FieldPath.resolve))
  }

  func update(_ fields: [AnyHashable: Any]) throws -> Mutation {
    let key = try reference.key()
    let reader = reader
    var changes: [(path: HearthModel.FieldPath, value: WriteValue)] = []
    for (field, value) in fields {
      let path = try FieldPath.resolve(field.base)
      changes.append((path, try reader.change(value, at: path)))
    }
    return try .update(key, changes)
  }

  func delete() throws -> Mutation { .delete(try reference.key()) }
}
