internal import Foundation
internal import HearthModel

/// Turns what app code hands over as `Any` into values of the model.
///
/// It knows types only; the model checks ranges, names and nesting. Everything it throws is `invalidArgument` and names
/// the field. Not thread-safe; used by one call.
final class ValueReader {
  enum Use {
    /// Data of a write: sentinels are allowed, references must be of the database.
    case writing
    /// Operand of a query: as data, without sentinels.
    case comparing
    /// Input of ``Firestore/Decoder``: references of any one database.
    case decoding
  }

  private let firestore: Firestore?
  private let use: Use
  /// Names and indexes on the way to the value being read; for messages.
  private var path: [String] = []
  /// The database of the first reference met; for decoding without a document.
  private(set) var firestoreSeen: Firestore?

  /// Deeper than any document, and shallow enough for any thread's stack.
  private static let depthMax = 64

  init(firestore: Firestore?, use: Use) {
    self.firestore = firestore
    self.use = use
  }

  /// Reads a value that holds no sentinel.
  func value(_ any: Any) throws(ModelError) -> Value {
    guard let value = try read(any).plain else {
      throw refuse("a FieldValue is allowed in the data of writes only")
    }
    return value
  }

  /// Reads what a filter compares with.
  func operand(_ any: Any, of comparison: FieldFilter.Comparison) throws(ModelError) -> Value {
    // A list is given as one; anything else that reads as an array is an array to compare with.
    guard comparison.takesList, let elements = any as? [Any] else { return try value(any) }
    var values: [Value] = []
    for element in elements { values.append(try value(element)) }
    return .array(values)
  }

  /// Reads what an update sets one field to.
  func change(_ any: Any, at field: HearthModel.FieldPath) throws(ModelError) -> WriteValue {
    try below(field.canonicalText) { () throws(ModelError) in try read(any) }
  }

  /// Reads the fields of a document.
  func map(_ dictionary: [String: Any]) throws(ModelError) -> WriteValue {
    var fields: [(name: String, value: WriteValue)] = []
    fields.reserveCapacity(dictionary.count)
    for (name, element) in dictionary {
      fields.append((name, try below(name) { () throws(ModelError) in try read(element) }))
    }
    return .map(fields)
  }

  /// Reads anything.
  func read(_ any: Any) throws(ModelError) -> WriteValue {
    // The dynamic type first: it costs nanoseconds where a cast costs tens, and a cast would take 1 for true.
    let type = type(of: any)
    if type == String.self { return .value(.string(any as! String)) }
    if type == Int.self { return .value(.integer(Int64(any as! Int))) }
    if type == Double.self { return .value(.double(any as! Double)) }
    if type == Bool.self { return .value(.boolean(any as! Bool)) }
    if type == Timestamp.self { return .value(.timestamp(any as! Timestamp)) }
    if type == Date.self { return .value(.timestamp(Timestamp(date: any as! Date))) }
    if type == [String: Any].self { return try map(any as! [String: Any]) }
    if type == [Any].self { return try array(any as! [Any]) }
    // What literals make; `rare` would try many casts before it gets to them.
    if type == [String].self { return .value(.array((any as! [String]).map(Value.string))) }
    if type == [Int].self { return .value(.array((any as! [Int]).map { .integer(Int64($0)) })) }
    if type == [Double].self { return .value(.array((any as! [Double]).map(Value.double))) }
    if type == [String: String].self { return ValueReader.map(any as! [String: String], Value.string) }
    if type == [String: Int].self { return ValueReader.map(any as! [String: Int]) { .integer(Int64($0)) } }
    if type == [String: Double].self { return ValueReader.map(any as! [String: Double], Value.double) }
    if type == [String: Bool].self { return ValueReader.map(any as! [String: Bool], Value.boolean) }
    if type == Data.self { return .value(.bytes([UInt8](any as! Data))) }
    if type == GeoPoint.self { return .value(.geoPoint(any as! GeoPoint)) }
    if type == VectorValue.self { return .value(.vector((any as! VectorValue).array)) }
    if type is AnyClass { return try object(any) }
    if type == AnyHashable.self { return try read((any as! AnyHashable).base) }
    return try rare(any)
  }

  private static func map<T>(_ dictionary: [String: T], _ value: (T) -> Value) -> WriteValue {
    .map(dictionary.map { (name: $0.key, value: .value(value($0.value))) })
  }

  /// Reads an instance of a class.
  private func object(_ any: Any) throws(ModelError) -> WriteValue {
    switch any {
    case let reference as DocumentReference: return .value(.reference(try key(of: reference)))
    case let sentinel as FieldValue: return try read(sentinel)
    case is NSNull: return .value(.null)
    case let number as NSNumber: return .value(try value(of: number))
    case let text as NSString: return .value(.string(String(describing: text)))
    case let date as NSDate: return .value(.timestamp(Timestamp(date: date as Date)))
    case let data as NSData: return .value(.bytes([UInt8](data as Data)))
    case let elements as NSArray: return try array(elements.map { $0 })
    case let entries as NSDictionary: return try dictionary(entries as? [AnyHashable: Any], type(of: any))
    default: throw unsupported(type(of: any))
    }
  }

  /// Reads the value types that data seldom holds.
  private func rare(_ any: Any) throws(ModelError) -> WriteValue {
    switch any {
    case let optional as any AnyOptional:
      guard let wrapped = optional.wrappedAny else { return .value(.null) }
      return try below(nil) { () throws(ModelError) in try read(wrapped) }
    case let integer as any FixedWidthInteger:
      guard let value = Int64(exactly: integer) else { throw refuse("\(integer) does not fit in 64 bits with a sign") }
      return .value(.integer(value))
    case let number as Float: return .value(.double(Double(number)))
    case let number as CGFloat: return .value(.double(Double(number)))
    case let number as Decimal: return .value(.double(NSDecimalNumber(decimal: number).doubleValue))
    case let elements as [Any]: return try array(elements)
    case let entries as [String: Any]: return try map(entries)
    case let entries as [AnyHashable: Any]: return try dictionary(entries, type(of: any))
    default: throw unsupported(type(of: any))
    }
  }

  private func array(_ elements: [Any]) throws(ModelError) -> WriteValue {
    var values: [WriteValue] = []
    values.reserveCapacity(elements.count)
    for (index, element) in elements.enumerated() {
      values.append(try below("[\(index)]") { () throws(ModelError) in try read(element) })
    }
    return try plainArray(values)
  }

  private func plainArray(_ values: [WriteValue]) throws(ModelError) -> WriteValue {
    do { return try WriteValue.array(values) } catch { throw refuse(error.message) }
  }

  private func dictionary(_ entries: [AnyHashable: Any]?, _ type: Any.Type) throws(ModelError) -> WriteValue {
    guard let entries else { throw unsupported(type) }
    var fields: [(name: String, value: WriteValue)] = []
    fields.reserveCapacity(entries.count)
    for (key, element) in entries {
      guard let name = key.base as? String else {
        throw refuse("the key \("\(key.base)".quotedForMessage) of a dictionary is not a String")
      }
      fields.append((name, try below(name) { () throws(ModelError) in try read(element) }))
    }
    return .map(fields)
  }

  private func value(of number: NSNumber) throws(ModelError) -> Value {
    // Only identity tells a boolean from an 8-bit integer.
    if number === ValueReader.boxedTrue { return .boolean(true) }
    if number === ValueReader.boxedFalse { return .boolean(false) }
    if number is NSDecimalNumber { return .double(number.doubleValue) }
    switch number.objCType.pointee {
    case CChar(UInt8(ascii: "d")), CChar(UInt8(ascii: "f")): return .double(number.doubleValue)
    case CChar(UInt8(ascii: "Q")), CChar(UInt8(ascii: "L")):
      guard let value = Int64(exactly: number.uint64Value) else {
        throw refuse("\(number) does not fit in 64 bits with a sign")
      }
      return .integer(value)
    default: return .integer(number.int64Value)
    }
  }

  private static let boxedTrue = NSNumber(value: true)
  private static let boxedFalse = NSNumber(value: false)

  private func key(of reference: DocumentReference) throws(ModelError) -> DocumentKey {
    let key = try reference.key()
    if let firestore, !firestore.isSameDatabase(as: reference.firestore) {
      throw refuse("the reference \(key.path.quotedForMessage) is of another database")
    }
    firestoreSeen = firestoreSeen ?? reference.firestore
    if firestore == nil, let firestoreSeen, !firestoreSeen.isSameDatabase(as: reference.firestore) {
      throw refuse("references of two databases")
    }
    return key
  }

  private func read(_ sentinel: FieldValue) throws(ModelError) -> WriteValue {
    guard use == .writing else { throw refuse("\(sentinel.name) is allowed in the data of writes only") }
    switch sentinel.kind {
    case .delete: return .delete
    case .serverTimestamp: return .transform(.serverTimestamp)
    case .increment(let operand): return .transform(.increment(operand.value))
    case .maximum(let operand): return .transform(.maximum(operand.value))
    case .minimum(let operand): return .transform(.minimum(operand.value))
    case .arrayUnion(let elements): return .transform(.arrayUnion(try operands(elements)))
    case .arrayRemove(let elements): return .transform(.arrayRemove(try operands(elements)))
    }
  }

  private func operands(_ elements: [Any]) throws(ModelError) -> [Value] {
    guard case .value(.array(let values)) = try array(elements) else { return [] }
    return values
  }

  private func below<R>(_ step: String?, _ body: () throws(ModelError) -> R) throws(ModelError) -> R {
    path.append(step ?? "")
    defer { path.removeLast() }
    if path.count > ValueReader.depthMax { throw refuse("maps and arrays are nested too deep") }
    return try body()
  }

  private func unsupported(_ type: Any.Type) -> ModelError {
    refuse("a document cannot hold a value of the type \(type)")
  }

  private func refuse(_ why: String) -> ModelError {
    let place = path.reduce("") { place, step in
      place + (place.isEmpty || step.isEmpty || step.hasPrefix("[") ? "" : ".") + step
    }
    return .invalidArgument(place.isEmpty ? why : "\(why) (at \(place.quotedForMessage))")
  }
}

extension ValueReader {
  /// Takes what an encoder made. Only references can be wrong in it, and integers too large.
  func read(_ node: EncodedNode) throws(ModelError) -> WriteValue {
    switch node {
    case .null: return .value(.null)
    case .bool(let value): return .value(.boolean(value))
    case .integer(let value): return .value(.integer(value))
    case .unsigned(let value): throw refuse("\(value) does not fit in 64 bits with a sign")
    case .double(let value): return .value(.double(value))
    case .string(let value): return .value(.string(value))
    case .bytes(let value): return .value(.bytes([UInt8](value)))
    case .timestamp(let value): return .value(.timestamp(value))
    case .geoPoint(let value): return .value(.geoPoint(value))
    case .vector(let value): return .value(.vector(value.array))
    case .reference(let reference): return .value(.reference(try key(of: reference)))
    case .sentinel(let sentinel): return try read(sentinel)
    case .deferred(let encoder): return try read(encoder.result)
    case .map(let box): return try map(box)
    case .array(let box):
      var values: [WriteValue] = []
      for (index, element) in box.elements.enumerated() {
        values.append(try below("[\(index)]") { () throws(ModelError) in try read(element) })
      }
      return try plainArray(values)
    }
  }

  /// Takes the fields of a document that an encoder made.
  func map(_ box: EncodedNode.MapBox) throws(ModelError) -> WriteValue {
    var fields: [(name: String, value: WriteValue)] = []
    fields.reserveCapacity(box.entries.count)
    for (name, node) in box.entries {
      fields.append((name, try below(name) { () throws(ModelError) in try read(node) }))
    }
    return .map(fields)
  }
}

extension FieldValue.Operand {
  fileprivate var value: Value {
    switch self {
    case .integer(let value): .integer(value)
    case .double(let value): .double(value)
    }
  }
}

/// Finds optionals in an `Any`: on Linux `x as Any` stays an optional.
private protocol AnyOptional {
  var wrappedAny: Any? { get }
}

extension Optional: AnyOptional {
  var wrappedAny: Any? { self.map { $0 as Any } }
}
