import Foundation
import Hearth

/// Builds the `query` of a vector through the public API.
struct QueryBuilder {
  let json: TypedJSON
  var firestore: Firestore { json.firestore }

  func query(_ description: [String: Any]) async throws -> Query {
    var query =
      (description["collection"] as? String).map { firestore.collection($0) as Query }
      ?? firestore.collectionGroup(description["collectionGroup"] as! String)
    for call in (description["chain"] as? [[Any]]) ?? QueryBuilder.chain(of: description) {
      query = try await apply(call, to: query)
    }
    return query
  }

  /// The keys of a query as calls, in the order the README gives.
  private static func chain(of description: [String: Any]) -> [[Any]] {
    var calls: [[Any]] = []
    for filter in description["where"] as? [Any] ?? [] { calls.append(["where", filter]) }
    for order in description["orderBy"] as? [[Any]] ?? [] { calls.append(["orderBy"] + order) }
    for name in ["startAt", "startAfter", "endAt", "endBefore", "limit", "limitToLast"] {
      if let argument = description[name] { calls.append([name, argument]) }
    }
    return calls
  }

  private func apply(_ call: [Any], to query: Query) async throws -> Query {
    let argument = call[1]
    switch call[0] as! String {
    case "where":
      if let parts = argument as? [Any] { return try query.adding(parts, json) }
      return query.whereFilter(try filter(argument))
    case "orderBy":
      let isDescending = call.count > 2 && call[2] as! String == "desc"
      if argument as? String == "__name__", !isDescending { return query.order(by: FieldPath.documentID()) }
      switch try json.value(argument) {
      case let path as FieldPath: return query.order(by: path, descending: isDescending)
      case let field: return query.order(by: field as! String, descending: isDescending)
      }
    case "limit": return query.limit(to: argument as! Int)
    case "limitToLast": return query.limit(toLast: argument as! Int)
    case let name:
      if let cursor = argument as? [String: Any], let path = cursor["doc"] as? String {
        let snapshot = try await firestore.document(path).getDocument()
        switch name {
        case "startAt": return query.start(atDocument: snapshot)
        case "startAfter": return query.start(afterDocument: snapshot)
        case "endAt": return query.end(atDocument: snapshot)
        case "endBefore": return query.end(beforeDocument: snapshot)
        default: throw TypedJSON.Failure.malformed(name)
        }
      }
      let values = try (argument as! [Any]).map(json.value)
      switch name {
      case "startAt": return query.start(at: values)
      case "startAfter": return query.start(after: values)
      case "endAt": return query.end(at: values)
      case "endBefore": return query.end(before: values)
      default: throw TypedJSON.Failure.malformed(name)
      }
    }
  }

  private func filter(_ description: Any) throws -> Filter {
    if let object = description as? [String: Any] {
      if let filters = object["and"] as? [Any] { return Filter.andFilter(try filters.map(filter)) }
      if let filters = object["or"] as? [Any] { return Filter.orFilter(try filters.map(filter)) }
    }
    guard let parts = description as? [Any] else { throw TypedJSON.Failure.malformed("\(description)") }
    let operand = try json.value(parts[2])
    let list = operand as? [Any] ?? []
    let field = try json.value(parts[0])
    if let path = field as? FieldPath {
      switch parts[1] as! String {
      case "==": return Filter.whereField(path, isEqualTo: operand)
      case "in": return Filter.whereField(path, in: list)
      default: throw TypedJSON.Failure.malformed("\(parts)")
      }
    }
    let name = field as! String
    switch parts[1] as! String {
    case "==": return Filter.whereField(name, isEqualTo: operand)
    case "!=": return Filter.whereField(name, isNotEqualTo: operand)
    case "<": return Filter.whereField(name, isLessThan: operand)
    case "<=": return Filter.whereField(name, isLessThanOrEqualTo: operand)
    case ">": return Filter.whereField(name, isGreaterThan: operand)
    case ">=": return Filter.whereField(name, isGreaterOrEqualTo: operand)
    case "in": return Filter.whereField(name, in: list)
    case "not-in": return Filter.whereField(name, notIn: list)
    case "array-contains": return Filter.whereField(name, arrayContains: operand)
    case "array-contains-any": return Filter.whereField(name, arrayContainsAny: list)
    default: throw TypedJSON.Failure.malformed("\(parts)")
    }
  }
}

extension Query {
  /// Adds a vector's `[path, op, operand]`.
  fileprivate func adding(_ parts: [Any], _ json: TypedJSON) throws -> Query {
    let operand = try json.value(parts[2])
    let list = operand as? [Any]
    let field = try json.value(parts[0])
    if let path = field as? FieldPath ?? (field as? String == "__name__" ? FieldPath.documentID() : nil) {
      switch parts[1] as! String {
      case "==": return whereField(path, isEqualTo: operand)
      case "!=": return whereField(path, isNotEqualTo: operand)
      case "<": return whereField(path, isLessThan: operand)
      case "<=": return whereField(path, isLessThanOrEqualTo: operand)
      case ">": return whereField(path, isGreaterThan: operand)
      case ">=": return whereField(path, isGreaterThanOrEqualTo: operand)
      case "in": return whereField(path, in: try listed(list))
      case "not-in": return whereField(path, notIn: try listed(list))
      case "array-contains": return whereField(path, arrayContains: operand)
      case "array-contains-any": return whereField(path, arrayContainsAny: try listed(list))
      default: throw TypedJSON.Failure.malformed("\(parts)")
      }
    }
    let name = field as! String
    switch parts[1] as! String {
    case "==": return whereField(name, isEqualTo: operand)
    case "!=": return whereField(name, isNotEqualTo: operand)
    case "<": return whereField(name, isLessThan: operand)
    case "<=": return whereField(name, isLessThanOrEqualTo: operand)
    case ">": return whereField(name, isGreaterThan: operand)
    case ">=": return whereField(name, isGreaterThanOrEqualTo: operand)
    case "in": return whereField(name, in: try listed(list))
    case "not-in": return whereField(name, notIn: try listed(list))
    case "array-contains": return whereField(name, arrayContains: operand)
    case "array-contains-any": return whereField(name, arrayContainsAny: try listed(list))
    default: throw TypedJSON.Failure.malformed("\(parts)")
    }
  }

  /// What Swift's types refuse already.
  private func listed(_ list: [Any]?) throws -> [Any] {
    guard let list else { throw NotAList() }
    return list
  }
}

/// The vector gives a list operator something that is no list, which does not compile in Swift.
struct NotAList: Error {}
