import Foundation
import Hearth

/// A text that is the same for two values exactly when they are the same stored value: type, bits, bytes and keys.
enum Rendering {
  /// - Parameter tolerance: Doubles are rounded to this many decimals, for the cases that allow an error.
  static func text(_ value: Any?, tolerance: Bool = false) -> String {
    switch value {
    case nil: return "absent"
    case is NSNull: return "null"
    case let number as NSNumber:
      if number === NSNumber(value: true) || number === NSNumber(value: false) { return "bool \(number.boolValue)" }
      if isDouble(number) {
        let double = number.doubleValue
        if double.isNaN { return "double nan" }
        return tolerance
          ? "double ~\((double * 1e6).rounded())" : "double \(String(double.bitPattern, radix: 16)) (\(double))"
      }
      return "int \(number.int64Value)"
    case let text as String: return "string \(Array(text.utf8).map { String($0, radix: 16) }.joined()) (\(text))"
    case let data as Data: return "bytes \(data.base64EncodedString())"
    case let timestamp as Timestamp: return "timestamp \(timestamp.seconds) \(timestamp.nanoseconds)"
    case let point as GeoPoint:
      return "geo \(point.latitude.bitPattern) \(point.longitude.bitPattern) (\(point.latitude), \(point.longitude))"
    case let reference as DocumentReference: return "ref \(reference.path)"
    case let vector as VectorValue: return "vector \(vector.array.map(\.bitPattern)) (\(vector.array))"
    case let sentinel as FieldValue: return "sentinel \(sentinel)"
    case let array as [Any]: return "[" + array.map { text($0, tolerance: tolerance) }.joined(separator: ", ") + "]"
    case let map as [String: Any]:
      let entries = map.sorted { Array($0.key.utf8).lexicographicallyPrecedes(Array($1.key.utf8)) }
      return "{"
        + entries.map { "\($0.key.debugDescription): \(text($0.value, tolerance: tolerance))" }
        .joined(separator: ", ") + "}"
    default: return "unexpected \(type(of: value!)): \(value!)"
    }
  }

  static func isDouble(_ number: NSNumber) -> Bool {
    ["d", "f"].contains(String(cString: number.objCType))
  }
}
