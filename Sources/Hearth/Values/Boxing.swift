internal import Foundation
internal import HearthModel

/// Stored values as app code sees them.
///
/// Numbers and booleans come boxed in `NSNumber` because a native `Int` in an `Any` answers neither `as? Double` nor
/// `as? Int64` on Linux, and `[String: Any]` of native numbers does not cast to `[String: Double]`.
enum Boxing {
  static func any(_ value: Value, firestore: Firestore) -> Any {
    switch value {
    case .null: NSNull()
    case .boolean(let value): NSNumber(value: value)
    case .integer(let value): NSNumber(value: value)
    case .double(let value): NSNumber(value: value)
    case .timestamp(let value): value
    case .string(let value): value
    case .bytes(let value): Data(value)
    case .reference(let key): DocumentReference(firestore: firestore, key: key)
    case .geoPoint(let value): value
    case .array(let elements): elements.map { any($0, firestore: firestore) }
    case .vector(let elements): VectorValue(elements)
    case .map(let map): dictionary(map, firestore: firestore)
    }
  }

  static func dictionary(_ map: MapValue, firestore: Firestore) -> [String: Any] {
    var result = [String: Any](minimumCapacity: map.count)
    for entry in map.entries { result[entry.name] = any(entry.value, firestore: firestore) }
    return result
  }
}
