/// What a caller hands over to be written: a value that may hold sentinels, such as "delete this field", in its maps.
///
/// The layer that reads a caller's dictionaries builds these; ``Mutation`` checks them and takes them apart. Arrays
/// cannot hold sentinels, so an array is always a plain value.
package enum WriteValue: Sendable {
  /// Holds no sentinel.
  case value(Value)
  /// A map in any order; of several fields with one name the last counts.
  case map([(name: String, value: WriteValue)])
  case delete
  case transform(FieldTransform.Operation)

  /// An array of elements that must be plain values.
  package static func array(_ elements: [WriteValue]) throws(ModelError) -> WriteValue {
    var values: [Value] = []
    values.reserveCapacity(elements.count)
    for (index, element) in elements.enumerated() {
      guard let value = element.plain else {
        throw .invalidArgument("element \(index) of an array holds a sentinel; sentinels are not allowed in arrays")
      }
      values.append(value)
    }
    return .value(.array(values))
  }

  /// The value, if it holds no sentinel.
  package var plain: Value? {
    switch self {
    case .value(let value): return value
    case .map(let fields):
      var entries: [MapValue.Entry] = []
      entries.reserveCapacity(fields.count)
      for field in fields {
        guard let value = field.value.plain else { return nil }
        entries.append(MapValue.Entry(name: field.name, value: value))
      }
      return .map(MapValue(entries))
    case .delete, .transform: return nil
    }
  }

  /// The fields, if it is a map; in the order given.
  var fields: [(name: String, value: WriteValue)]? {
    switch self {
    case .map(let fields): fields
    case .value(.map(let map)): map.entries.map { ($0.name, .value($0.value)) }
    default: nil
    }
  }
}
