/// Takes write data apart: plain values in stored form on one side, transforms with their paths on the other.
struct WriteParts {
  /// Called for each delete sentinel inside data; throws where none may be.
  typealias DeleteRule = (FieldPath) throws(ModelError) -> Void

  let key: DocumentKey
  private(set) var transforms: [FieldTransform] = []

  init(key: DocumentKey) { self.key = key }

  /// The fields of a whole document, without its sentinels.
  mutating func document(_ data: WriteValue, onDelete: DeleteRule) throws(ModelError) -> MapValue {
    if case .value(.map(let map)) = data {
      return try inDocument { () throws(ModelError) in try ValueRules.storable(map) }
    }
    guard let fields = data.fields else {
      throw .invalidArgument("the data for document \(key.path.quotedForMessage) is not a dictionary")
    }
    return try map(fields, at: [], onDelete: onDelete)
  }

  /// A value below the document, without its sentinels.
  mutating func value(_ value: WriteValue, at path: FieldPath, onDelete: DeleteRule) throws(ModelError) -> Value {
    try self.value(value, at: path.segments, onDelete: onDelete)
  }

  private mutating func value(
    _ value: WriteValue, at path: [String], onDelete: DeleteRule
  ) throws(ModelError) -> Value {
    switch value {
    case .value(let value):
      return try inDocument { () throws(ModelError) in
        try ValueRules.storable(value, at: path, depth: path.count)
      }
    case .map(let fields): return .map(try map(fields, at: path, onDelete: onDelete))
    case .delete, .transform: preconditionFailure("sentinels are handled where they are met")
    }
  }

  private mutating func map(
    _ fields: [(name: String, value: WriteValue)], at path: [String], onDelete: DeleteRule
  ) throws(ModelError) -> MapValue {
    if path.count > ValueRules.depthMax { throw tooDeep(path) }
    var entries: [MapValue.Entry] = []
    entries.reserveCapacity(fields.count)
    for (name, value) in fields {
      if let fault = FieldName.fault(in: name) { throw refuse(fault, at: path) }
      switch value {
      case .delete: try onDelete(try FieldPath(segments: path + [name]))
      case .transform(let operation): try add(operation, at: try FieldPath(segments: path + [name]))
      // Most fields: nothing to check, so the place that an error would name is not made.
      case .value(let value) where ValueRules.isAlwaysStorable(value):
        entries.append(MapValue.Entry(name: name, value: value))
      case .value, .map:
        entries.append(MapValue.Entry(name: name, value: try self.value(value, at: path + [name], onDelete: onDelete)))
      }
    }
    return MapValue(entries)
  }

  /// Adds a transform, its operand in stored form.
  mutating func add(_ operation: FieldTransform.Operation, at path: FieldPath) throws(ModelError) {
    // The maps that lead to the field.
    if path.segments.count - 1 > ValueRules.depthMax { throw tooDeep(path.segments) }
    let stored: FieldTransform.Operation
    switch operation {
    case .increment(let operand): stored = .increment(try number(operand, at: path))
    case .maximum(let operand): stored = .maximum(try number(operand, at: path))
    case .minimum(let operand): stored = .minimum(try number(operand, at: path))
    case .arrayUnion(let elements): stored = .arrayUnion(try self.elements(elements, at: path))
    case .arrayRemove(let elements): stored = .arrayRemove(try self.elements(elements, at: path))
    case .serverTimestamp: stored = .serverTimestamp
    }
    transforms.append(FieldTransform(path: path, operation: stored))
  }

  private func number(_ operand: Value, at path: FieldPath) throws(ModelError) -> Value {
    guard operand.type == .number else { throw refuse("a numeric transform needs a number", at: path.segments) }
    return try ValueRules.storable(operand, at: path.segments, depth: path.segments.count)
  }

  private func elements(_ elements: [Value], at path: FieldPath) throws(ModelError) -> [Value] {
    let stored = try inDocument { () throws(ModelError) in
      try ValueRules.storable(.array(elements), at: path.segments, depth: path.segments.count)
    }
    guard case .array(let result) = stored else { return elements }
    return result
  }

  /// The rules for names, over the names of a path that is written.
  func checkNames(of path: FieldPath) throws(ModelError) {
    for name in path.segments {
      if let fault = FieldName.fault(in: name) { throw refuse(fault, at: path.segments) }
    }
    if path.segments.count - 1 > ValueRules.depthMax { throw tooDeep(path.segments) }
  }

  private func tooDeep(_ path: [String]) -> ModelError {
    refuse("maps and arrays are nested more than \(ValueRules.depthMax) deep", at: Array(path.prefix(3)))
  }

  private func refuse(_ fault: String, at path: [String]) -> ModelError {
    let place = path.isEmpty ? "" : " at \(ValueRules.place(path))"
    return .invalidArgument("\(fault) (in document \(key.path.quotedForMessage)\(place))")
  }

  /// Adds the document to the message of an error.
  private func inDocument<R>(_ body: () throws(ModelError) -> R) throws(ModelError) -> R {
    do { return try body() } catch {
      throw .invalidArgument("\(error.message) in document \(key.path.quotedForMessage)")
    }
  }
}
