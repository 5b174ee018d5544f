// Set, with and without merging (semantics.md 10.1 to 10.3).

extension Mutation {
  /// Replaces the whole document, creating it if needed. Keys of the data are literal names.
  package static func set(
    _ key: DocumentKey, _ data: WriteValue, precondition: Precondition = .none
  ) throws(ModelError) -> Mutation {
    var parts = WriteParts(key: key)
    let fields = try parts.document(data) { path throws(ModelError) in
      throw .invalidArgument(
        "FieldValue.delete() at \(path.canonicalText.quotedForMessage) is only allowed in updates and merges")
    }
    return Mutation(key: key, precondition: precondition, fields: .replace(fields), transforms: parts.transforms)
  }

  /// Merges the data into the document, creating it if needed: maps deeply, anything else and empty maps whole.
  package static func merge(_ key: DocumentKey, _ data: WriteValue) throws(ModelError) -> Mutation {
    var parts = WriteParts(key: key)
    let fields = try parts.document(data) { _ throws(ModelError) in }
    var changes: [Change] = []
    try collectLeaves(of: data, under: [], in: fields, into: &changes)
    return Mutation(key: key, precondition: .none, fields: .patch(changes), transforms: parts.transforms)
  }

  /// The leaf paths of the data and their values, out of the checked `fields`.
  private static func collectLeaves(
    of data: WriteValue, under path: [String], in fields: MapValue, into changes: inout [Change]
  ) throws(ModelError) {
    for (name, value) in data.fields ?? [] {
      let place = path + [name]
      let fieldPath = try FieldPath(segments: place)
      if case .delete = value {
        changes.append(Change(path: fieldPath, value: nil))
      } else if case .transform = value {
        continue
      } else if let inner = value.fields, !inner.isEmpty {
        try collectLeaves(of: value, under: place, in: fields, into: &changes)
      } else {
        changes.append(Change(path: fieldPath, value: fields[fieldPath]))
      }
    }
  }

  /// Writes what the data has at each path of the mask, whole, and deletes a path where it has a delete sentinel.
  /// The rest of the data is checked and ignored.
  package static func merge(
    _ key: DocumentKey, _ data: WriteValue, mask: [FieldPath]
  ) throws(ModelError) -> Mutation {
    var parts = WriteParts(key: key)
    let fields = try parts.document(data) { _ throws(ModelError) in }
    var changes: [Change] = []
    for path in mask {
      switch find(path, in: data) {
      case nil:
        throw .invalidArgument(
          "the field path \(path.canonicalText.quotedForMessage) of mergeFields is not in the data")
      case .delete?: changes.append(Change(path: path, value: nil))
      // Not cleared first: an increment adds to what is stored.
      case .transform?: break
      case .value?, .map?: changes.append(Change(path: path, value: fields[path]))
      }
    }
    let transforms = parts.transforms.filter { transform in mask.contains { $0.isPrefix(of: transform.path) } }
    return Mutation(key: key, precondition: .none, fields: .patch(changes), transforms: transforms)
  }

  private static func find(_ path: FieldPath, in data: WriteValue) -> WriteValue? {
    var value = data
    for name in path.segments {
      guard let field = value.fields?.last(where: { $0.name.equalsUTF8(name) }) else { return nil }
      value = field.value
    }
    return value
  }
}
