/// Values as JSON without loss: plain JSON where it can carry a value, else an object with exactly one key.
///
/// | value                    | JSON                                                                                |
/// | ------------------------ | ----------------------------------------------------------------------------------- |
/// | null, boolean, string    | plain                                                                               |
/// | integer                  | plain, or `{"int":"…"}` beyond ±2^53                                                |
/// | double                   | a plain number with a fraction, or `{"double":"1"}`, `"NaN"`, `"Infinity"`, `"-0"`… |
/// | timestamp                | `{"timestamp":"2016-05-20T10:20:00.123456Z"}` or `{"timestamp":[seconds, nanoseconds]}` |
/// | bytes                    | `{"bytes":"<base64>"}`                                                              |
/// | reference                | `{"ref":"coll/doc"}`                                                                |
/// | geo point                | `{"geo":[latitude, longitude]}`: numbers or double texts                            |
/// | vector                   | `{"vector":[…]}`: numbers or double texts                                           |
/// | array, map               | plain                                                                               |
/// | map that looks like one of these, or like a sentinel | `{"map":{…}}`                                           |
///
/// The fields of a document are always a plain object.
package enum TypedJSON {
  /// One key of these makes an object a typed value.
  private static let typeKeys = ["int", "double", "timestamp", "bytes", "ref", "geo", "vector", "map"]
  /// Write data and expectations give these a meaning of their own; as a value they are refused.
  package static let sentinelKeys = [
    "delete", "serverTimestamp", "arrayUnion", "arrayRemove", "increment", "maximum", "minimum",
  ]

  // MARK: Writing

  package static func json(_ value: Value) -> JSON {
    switch value {
    case .null: JSON(.null)
    case .boolean(let value): JSON(.boolean(value))
    case .integer(let value):
      value.magnitude <= 1 << 53 ? JSON(.number(String(value))) : tagged("int", JSON(.string(String(value))))
    case .double(let value): json(value)
    case .timestamp(let value):
      if value.isValid {
        tagged("timestamp", JSON(.string(value.text)))
      } else {
        tagged(
          "timestamp",
          JSON(.array([JSON(.number(String(value.seconds))), JSON(.number(String(value.nanoseconds)))])))
      }
    case .string(let value): JSON(.string(value))
    case .bytes(let value): tagged("bytes", JSON(.string(Base64.encode(value))))
    case .reference(let value): tagged("ref", JSON(.string(value.path)))
    case .geoPoint(let value): tagged("geo", JSON(.array([element(value.latitude), element(value.longitude)])))
    case .array(let value): JSON(.array(value.map(json)))
    case .vector(let value): tagged("vector", JSON(.array(value.map(element))))
    case .map(let value): looksTyped(value) ? tagged("map", json(value)) : json(value)
    }
  }

  /// The fields of a document.
  package static func json(_ fields: MapValue) -> JSON {
    JSON(.object(fields.entries.map { ($0.name, json($0.value)) }))
  }

  private static func tagged(_ key: String, _ value: JSON) -> JSON { JSON(.object([(key, value)])) }

  private static func looksTyped(_ map: MapValue) -> Bool {
    guard map.count == 1 else { return false }
    return isReserved(map.entries[0].name) || map.entries[0].name.equalsUTF8("commitTime")
  }

  /// Whether an object with this one key is a typed value or a sentinel.
  package static func isReserved(_ key: String) -> Bool {
    typeKeys.contains { $0.equalsUTF8(key) } || sentinelKeys.contains { $0.equalsUTF8(key) }
  }

  private static func json(_ double: Double) -> JSON {
    let text = text(of: double)
    let isPlain = text.utf8.contains(UInt8(ascii: ".")) && !text.utf8.contains(UInt8(ascii: "e"))
    return isPlain ? JSON(.number(text)) : tagged("double", JSON(.string(text)))
  }

  /// In lists that hold doubles only, whole numbers need no tag.
  private static func element(_ double: Double) -> JSON {
    let text = text(of: double)
    let isNumber = double.isFinite && double.identityBits != (-0.0).bitPattern
    return isNumber ? JSON(.number(text)) : JSON(.string(text))
  }

  /// The shortest text that reads back as the same double; a whole one without a fraction.
  private static func text(of double: Double) -> String {
    if double.isNaN { return "NaN" }
    if double.isInfinite { return double < 0 ? "-Infinity" : "Infinity" }
    let text = double.description
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  // MARK: Reading

  package static func value(_ json: JSON) throws(ModelError) -> Value {
    switch json.content {
    case .null: return .null
    case .boolean(let value): return .boolean(value)
    case .number(let text): return try number(text, json)
    case .string(let value): return .string(value)
    case .array(let elements):
      var values: [Value] = []
      values.reserveCapacity(elements.count)
      for element in elements { values.append(try value(element)) }
      return .array(values)
    case .object(let members):
      if members.count == 1, isReserved(members[0].key) { return try typed(members[0].key, members[0].value) }
      return .map(try fields(json))
    }
  }

  /// The fields of a document, from a plain object.
  package static func fields(_ json: JSON) throws(ModelError) -> MapValue {
    guard let members = json.object else { throw fault("an object of fields is expected", json) }
    var entries: [MapValue.Entry] = []
    entries.reserveCapacity(members.count)
    for member in members { entries.append(MapValue.Entry(name: member.key, value: try value(member.value))) }
    let map = MapValue(entries)
    if map.count < members.count { throw fault("a key occurs twice in an object", json) }
    return map
  }

  private static func fault(_ what: String, _ json: JSON) -> ModelError {
    .invalidArgument("typed JSON: \(what) at offset \(json.offset)")
  }

  private static func number(_ text: String, _ json: JSON) throws(ModelError) -> Value {
    let isInteger = !text.utf8.contains {
      $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "e") || $0 == UInt8(ascii: "E")
    }
    if isInteger {
      guard let integer = Int64(text) else {
        throw fault("the integer \(text.quotedForMessage) does not fit in 64 bits", json)
      }
      return .integer(integer)
    }
    return .double(try double(text, json))
  }

  private static func double(_ text: String, _ json: JSON) throws(ModelError) -> Double {
    switch text {
    case "NaN": return .nan
    case "Infinity": return .infinity
    case "-Infinity": return -.infinity
    default:
      // Swift would also take "inf", "nan" and hexadecimals.
      let isDecimal = text.utf8.allSatisfy { ($0 >= 0x30 && $0 <= 0x39) || "+-.eE".utf8.contains($0) }
      guard isDecimal, let double = Double(text), double.isFinite else {
        throw fault("\(text.quotedForMessage) is no double", json)
      }
      return double
    }
  }

  /// An element of a vector or a geo point.
  private static func element(_ json: JSON) throws(ModelError) -> Double {
    switch json.content {
    case .number(let text), .string(let text): return try double(text, json)
    default: throw fault("a number or the text of a double is expected", json)
    }
  }

  private static func typed(_ key: String, _ json: JSON) throws(ModelError) -> Value {
    switch key {
    case "int":
      guard let text = json.string, let integer = Int64(text) else {
        throw fault("\"int\" needs an integer as text", json)
      }
      return .integer(integer)
    case "double":
      guard let text = json.string else { throw fault("\"double\" needs a text", json) }
      return .double(try double(text, json))
    case "timestamp":
      if let parts = json.array, parts.count == 2, let seconds = parts[0].integer, let nanoseconds = parts[1].integer,
        let nanoseconds = Int32(exactly: nanoseconds)
      {
        return .timestamp(Timestamp(seconds: seconds, nanoseconds: nanoseconds))
      }
      guard let text = json.string, let timestamp = Timestamp(text: text) else {
        throw fault(
          "\"timestamp\" needs a text such as \"2016-05-20T10:20:00.123456Z\" or [seconds, nanoseconds]", json)
      }
      return .timestamp(timestamp)
    case "bytes":
      guard let text = json.string, let bytes = Base64.decode(text) else { throw fault("\"bytes\" needs base64", json) }
      return .bytes(bytes)
    case "ref":
      guard let path = json.string else { throw fault("\"ref\" needs a document path", json) }
      do { return .reference(try DocumentKey(path)) } catch { throw fault(error.message, json) }
    case "geo":
      guard let parts = json.array, parts.count == 2 else { throw fault("\"geo\" needs [latitude, longitude]", json) }
      return .geoPoint(GeoPoint(latitude: try element(parts[0]), longitude: try element(parts[1])))
    case "vector":
      guard let parts = json.array else { throw fault("\"vector\" needs an array", json) }
      var elements: [Double] = []
      elements.reserveCapacity(parts.count)
      for part in parts { elements.append(try element(part)) }
      return .vector(elements)
    case "map": return .map(try fields(json))
    default: throw fault("the sentinel \"\(key)\" is no value", json)
    }
  }
}
