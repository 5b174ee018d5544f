// Update (semantics.md 10.4).

extension Mutation {
  /// Sets each path to its value, or deletes it; the document must exist, also for an empty update.
  package static func update(
    _ key: DocumentKey, _ data: [(path: FieldPath, value: WriteValue)], precondition: Precondition = .exists
  ) throws(ModelError) -> Mutation {
    try checkOverlaps(data.map(\.path))
    var parts = WriteParts(key: key)
    var changes: [Change] = []
    for (path, value) in data {
      try parts.checkNames(of: path)
      switch value {
      case .delete: changes.append(Change(path: path, value: nil))
      case .transform(let operation): try parts.add(operation, at: path)
      case .value, .map:
        let stored = try parts.value(value, at: path) { place throws(ModelError) in
          throw .invalidArgument(
            "FieldValue.delete() at \(place.canonicalText.quotedForMessage) is inside the value of an update; it is only "
              + "allowed as the value itself")
        }
        changes.append(Change(path: path, value: stored))
      }
    }
    return Mutation(key: key, precondition: precondition, fields: .patch(changes), transforms: parts.transforms)
  }

  /// Refuses a path that is given twice or that another one leads through.
  private static func checkOverlaps(_ paths: [FieldPath]) throws(ModelError) {
    if paths.count < 2 { return }
    // What a path is a prefix of follows it directly.
    let sorted = paths.sorted()
    for (first, second) in zip(sorted, sorted.dropFirst()) where first.isPrefix(of: second) {
      throw .invalidArgument(
        first == second
          ? "the field path \(first.canonicalText.quotedForMessage) is updated twice"
          : "the field paths \(first.canonicalText.quotedForMessage) and \(second.canonicalText.quotedForMessage) of one "
            + "update overlap")
    }
  }
}
