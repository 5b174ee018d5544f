import Foundation
import HearthModel

/// The conformance vectors of `Tests/Vectors`, in the notation of the README there.
package enum Vectors {
  /// Reads one file, such as `"paths.json"`.
  package static func load(_ name: String) throws -> JSON {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Vectors")
    return try JSONParser.parse(Array(Data(contentsOf: folder.appendingPathComponent(name))))
  }

  /// A case's name, for messages.
  package static func name(_ test: JSON) -> String { test["name"]?.string ?? "(no name)" }

  /// A string, or the long one that `{"repeat":[unit, n]}` stands for.
  package static func text(_ json: JSON) -> String? {
    if let string = json.string { return string }
    guard let repetition = json["repeat"]?.array, let unit = repetition[0].string, let count = repetition[1].integer
    else { return nil }
    return (json["prefix"]?.string ?? "") + String(repeating: unit, count: Int(count)) + (json["suffix"]?.string ?? "")
  }

  /// A field path: a dot string or `{"fieldPath":[…]}`.
  package static func fieldPath(_ json: JSON) throws -> FieldPath {
    if let names = json["fieldPath"]?.array { return try FieldPath(segments: names.map { $0.string ?? "" }) }
    let text = json.string ?? ""
    return text == "__name__" ? .documentID : try FieldPath(dotted: text)
  }

  /// A value of write data: typed JSON with sentinels and generators.
  package static func writeValue(_ json: JSON) throws -> WriteValue {
    if let elements = json.array { return try .array(elements.map { try writeValue($0) }) }
    guard let members = json.object else { return .value(try TypedJSON.value(json)) }
    if let text = text(json) { return .value(.string(text)) }
    if members.count == 1, let generated = try generated(members[0].key, members[0].value) { return generated }
    if members.count == 1, let sentinel = try sentinel(members[0].key, members[0].value) { return sentinel }
    if members.count == 1, let inner = members[0].value.object, members[0].key == "map" {
      return try .map(inner.map { ($0.key, try writeValue($0.value)) })
    }
    if members.count == 1, TypedJSON.isReserved(members[0].key) { return .value(try TypedJSON.value(json)) }
    return try fields(json)
  }

  /// The data of a document: a plain object of fields.
  package static func fields(_ json: JSON) throws -> WriteValue {
    guard let members = json.object else { return .value(try TypedJSON.value(json)) }
    return try .map(members.map { ($0.key, try writeValue($0.value)) })
  }

  private static func generated(_ key: String, _ json: JSON) throws -> WriteValue? {
    guard let parts = json.array else { return nil }
    switch key {
    case "nest":
      var value = try writeValue(parts[2])
      for _ in 0..<(parts[1].integer ?? 0) { value = .map([("m", value)]) }
      return value
    case "repeatVector":
      guard case .vector(let one) = try TypedJSON.value(JSON(.object([("vector", JSON(.array([parts[0]])))]))) else {
        return nil
      }
      return .value(.vector(Array(repeating: one[0], count: Int(parts[1].integer ?? 0))))
    case "repeatArray":
      return try .array(Array(repeating: try writeValue(parts[0]), count: Int(parts[1].integer ?? 0)))
    default: return nil
    }
  }

  private static func sentinel(_ key: String, _ json: JSON) throws -> WriteValue? {
    func elements() throws -> [Value] {
      guard let plain = try writeValue(json).plain, case .array(let values) = plain else {
        throw ModelError.invalidArgument("a sentinel is inside an array operand")
      }
      return values
    }
    switch key {
    case "delete": return .delete
    case "serverTimestamp": return .transform(.serverTimestamp)
    case "increment": return .transform(.increment(try TypedJSON.value(json)))
    case "maximum": return .transform(.maximum(try TypedJSON.value(json)))
    case "minimum": return .transform(.minimum(try TypedJSON.value(json)))
    case "arrayUnion": return .transform(.arrayUnion(try elements()))
    case "arrayRemove": return .transform(.arrayRemove(try elements()))
    default: return nil
    }
  }

  /// The writes of one entry of `ops`: one commit.
  package static func mutations(_ operation: JSON) throws -> [Mutation] {
    if let batch = operation["batch"]?.array { return try batch.flatMap { try mutations($0) } }
    if let path = operation["delete"] { return [.delete(try DocumentKey(text(path) ?? ""))] }
    if let path = operation["set"] {
      let key = try DocumentKey(text(path) ?? "")
      let data = try fields(operation["data"] ?? JSON(.null))
      if let mask = operation["mergeFields"]?.array {
        return [try .merge(key, data, mask: mask.map { try fieldPath($0) })]
      }
      return [operation["merge"]?.boolean == true ? try .merge(key, data) : try .set(key, data)]
    }
    if let path = operation["update"] {
      let key = try DocumentKey(text(path) ?? "")
      if let pairs = operation["fields"]?.array {
        return [
          try .update(
            key, pairs.map { (try fieldPath($0.array?[0] ?? $0), try writeValue($0.array?[1] ?? $0)) })
        ]
      }
      let data = operation["data"]?.object ?? []
      return [try .update(key, data.map { (try FieldPath(dotted: $0.key), try writeValue($0.value)) })]
    }
    throw ModelError.invalidArgument("unknown operation \(operation.text)")
  }

  /// The fields of an expectation; `{"commitTime":true}` becomes ``Timestamp/commitTime``.
  package static func expectedFields(_ json: JSON) throws -> MapValue {
    MapValue(
      try (json.object ?? []).map { member in
        if member.value["commitTime"] != nil { return (member.key, .timestamp(.commitTime)) }
        if let inner = member.value.object, inner.contains(where: { $0.value["commitTime"] != nil }) {
          return (member.key, .map(try expectedFields(member.value)))
        }
        return (member.key, try TypedJSON.value(member.value))
      })
  }

  /// Identity, or with a tolerance the same but for doubles that are near.
  package static func agree(_ left: Value, _ right: Value, tolerance: Double?) -> Bool {
    if left == right { return true }
    guard let tolerance else { return false }
    switch (left, right) {
    case (.double(let a), .double(let b)): return abs(a - b) <= tolerance
    case (.map(let a), .map(let b)):
      return a.count == b.count
        && zip(a.entries, b.entries).allSatisfy {
          $0.name.equalsUTF8($1.name) && agree($0.value, $1.value, tolerance: tolerance)
        }
    default: return false
    }
  }

  // MARK: Queries

  /// A query of `queries.json`, by its keys or by its chain of calls.
  ///
  /// - Parameter document: Gives the fields of the document that a cursor names.
  package static func query(
    _ json: JSON, document: (DocumentKey) -> Document?
  ) throws -> QueryDescription {
    var query =
      try json["collectionGroup"]?.string.map { try QueryDescription(collectionGroup: $0) }
      ?? QueryDescription(collection: CollectionPath(json["collection"]?.string ?? ""))
    for call in calls(json) {
      query = try apply(call.name, call.arguments, to: query, document: document)
    }
    return query
  }

  private static func calls(_ json: JSON) -> [(name: String, arguments: [JSON])] {
    if let chain = json["chain"]?.array {
      return chain.map { ($0.array?.first?.string ?? "", Array(($0.array ?? []).dropFirst())) }
    }
    var calls: [(name: String, arguments: [JSON])] = []
    for filter in json["where"]?.array ?? [] { calls.append(("where", [filter])) }
    for order in json["orderBy"]?.array ?? [] { calls.append(("orderBy", order.array ?? [])) }
    for name in ["startAt", "startAfter", "endAt", "endBefore", "limit", "limitToLast"] {
      if let argument = json[name] { calls.append((name, [argument])) }
    }
    return calls
  }

  private static func apply(
    _ name: String, _ arguments: [JSON], to query: QueryDescription, document: (DocumentKey) -> Document?
  ) throws -> QueryDescription {
    guard let argument = arguments.first else { throw ModelError.invalidArgument("\(name) has no argument") }
    switch name {
    case "where": return try query.filtering(filter(argument))
    case "orderBy":
      return try query.ordering(
        by: fieldPath(argument), descending: arguments.count > 1 && arguments[1].string == "desc")
    case "limit": return try query.limiting(to: Int(argument.integer ?? 0))
    case "limitToLast": return try query.limiting(toLast: Int(argument.integer ?? 0))
    default:
      let isInclusive = name == "startAt" || name == "endAt"
      if let path = argument["doc"]?.string {
        guard let found = document(try DocumentKey(path)) else {
          throw ModelError.invalidArgument("a cursor is at a document that does not exist")
        }
        return name.hasPrefix("start")
          ? try query.starting(at: found, isInclusive: isInclusive)
          : try query.ending(at: found, isInclusive: isInclusive)
      }
      let values = try (argument.array ?? []).map { try operand($0) }
      return name.hasPrefix("start")
        ? try query.starting(at: values, isInclusive: isInclusive)
        : try query.ending(at: values, isInclusive: isInclusive)
    }
  }

  package static func filter(_ json: JSON) throws -> QueryFilter {
    if let filters = json["and"]?.array { return .and(try filters.map { try filter($0) }) }
    if let filters = json["or"]?.array { return .or(try filters.map { try filter($0) }) }
    guard let parts = json.array, parts.count == 3,
      let comparison = FieldFilter.Comparison(rawValue: parts[1].string ?? "")
    else { throw ModelError.invalidArgument("unknown filter \(json.text)") }
    return .field(FieldFilter(path: try fieldPath(parts[0]), comparison: comparison, operand: try operand(parts[2])))
  }

  private static func operand(_ json: JSON) throws -> Value {
    guard let value = try writeValue(json).plain else {
      throw ModelError.invalidArgument("a sentinel is the operand of a query")
    }
    return value
  }
}
