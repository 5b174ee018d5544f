import Foundation
import Hearth

/// Turns the value encoding of `Tests/Vectors/README.md` into what app code passes to the API.
struct TypedJSON {
  enum Failure: Error { case malformed(String) }

  let firestore: Firestore

  /// The fields of a document: an object whose keys are all literal.
  func fields(_ json: Any?) throws -> [String: Any] {
    guard let object = json as? [String: Any] else { throw Failure.malformed("\(String(describing: json))") }
    return try object.mapValues(value)
  }

  func value(_ json: Any) throws -> Any {
    if let array = json as? [Any] { return try array.map(value) }
    guard let object = json as? [String: Any] else { return json }
    guard object.count == 1, let (key, content) = object.first else { return try object.mapValues(value) }
    switch key {
    case "int": return NSNumber(value: Int64(content as! String)!)
    case "double": return NSNumber(value: TypedJSON.double(content))
    case "timestamp": return try TypedJSON.timestamp(content)
    case "bytes": return Data(base64Encoded: content as! String)!
    case "ref": return firestore.document(content as! String)
    case "geo":
      let parts = (content as! [Any]).map(TypedJSON.number)
      return GeoPoint(latitude: parts[0], longitude: parts[1])
    case "vector": return VectorValue((content as! [Any]).map(TypedJSON.number))
    case "map": return try (content as! [String: Any]).mapValues(value)
    case "delete": return FieldValue.delete()
    case "serverTimestamp": return FieldValue.serverTimestamp()
    case "arrayUnion": return FieldValue.arrayUnion(try (content as! [Any]).map(value))
    case "arrayRemove": return FieldValue.arrayRemove(try (content as! [Any]).map(value))
    case "increment": return try operand(content, FieldValue.increment, FieldValue.increment)
    case "maximum": return try operand(content, FieldValue.maximum, FieldValue.maximum)
    case "minimum": return try operand(content, FieldValue.minimum, FieldValue.minimum)
    case "fieldPath": return FieldPath(content as! [String])
    case "repeat", "nest", "repeatVector", "repeatArray": return try generated(object)
    default: return try object.mapValues(value)
    }
  }

  private func operand(
    _ json: Any, _ integer: (Int64) -> FieldValue, _ double: (Double) -> FieldValue
  ) throws -> FieldValue {
    let number = try value(json) as! NSNumber
    return Rendering.isDouble(number) ? double(number.doubleValue) : integer(number.int64Value)
  }

  /// The generators of `limits.json` and `paths.json`.
  func generated(_ json: Any) throws -> Any {
    guard let object = json as? [String: Any] else { return json }
    if let parts = object["repeat"] as? [Any] {
      let text = String(repeating: parts[0] as! String, count: parts[1] as! Int)
      return (object["prefix"] as? String ?? "") + text + (object["suffix"] as? String ?? "")
    }
    if let parts = object["nest"] as? [Any] {
      return (0..<(parts[1] as! Int)).reduce(try value(parts[2])) { inner, _ in ["m": inner] }
    }
    if let parts = object["repeatVector"] as? [Any] {
      return VectorValue(Array(repeating: TypedJSON.number(parts[0]), count: parts[1] as! Int))
    }
    if let parts = object["repeatArray"] as? [Any] {
      return Array(repeating: try value(parts[0]), count: parts[1] as! Int)
    }
    throw Failure.malformed("\(object)")
  }

  static func number(_ json: Any) -> Double { (json as? NSNumber)?.doubleValue ?? double(json) }

  static func double(_ json: Any) -> Double {
    switch json as! String {
    case "NaN": .nan
    case "Infinity": .infinity
    case "-Infinity": -.infinity
    case let text: Double(text)!
    }
  }

  static func timestamp(_ json: Any) throws -> Timestamp {
    if let parts = json as? [NSNumber] {
      return Timestamp(seconds: parts[0].int64Value, nanoseconds: parts[1].int32Value)
    }
    // Foundation's formatter keeps milliseconds only, so the fraction is read apart.
    let text = json as! String
    let pieces = text.dropLast().split(separator: ".")
    guard let date = ISO8601DateFormatter().date(from: pieces[0] + "Z") else { throw Failure.malformed(text) }
    let fraction = pieces.count > 1 ? String(pieces[1]) : ""
    let nanoseconds = Int32(fraction + String(repeating: "0", count: 9 - fraction.count))!
    return Timestamp(seconds: Int64(date.timeIntervalSince1970), nanoseconds: nanoseconds)
  }
}
