import Foundation
import Hearth

/// The models of `codable.json`, with their values, by the names of the cases.
enum CodableCases {
  private struct S<T: Codable & Equatable>: Codable, Equatable { var s: T }
  private struct B: Codable, Equatable { var b: Bool }
  private struct D<T: Codable & Equatable>: Codable, Equatable { var d: T }
  private struct F: Codable, Equatable { var f: Float }
  private struct L: Codable, Equatable { var l: Int64 }
  private struct Sh: Codable, Equatable { var sh: Int16 }
  private struct X<T: Codable & Equatable>: Codable, Equatable { var x: T }
  private struct U: Codable, Equatable { var u: UInt8 }
  private struct Names: Codable, Equatable { var caseSensitive, casESensitive, casESensitivE: String }
  private struct Opt: Codable, Equatable {
    var x: Int
    var opt: Int?
  }
  private struct A<T: Codable & Equatable>: Codable, Equatable { var a: T }
  private struct On: Codable, Equatable { var date: Date }
  private struct Bytes: Codable, Equatable { var data, emptyData: Data }
  private struct OneData: Codable, Equatable { var data: Data }
  private struct ID: Codable, Equatable { var id: UUID }
  private struct Ref: Codable, Equatable { var doc: DocumentReference }
  private struct Transforms: Encodable {
    var name: String
    var array, intValue: FieldValue
  }
  private struct Key: Codable { @DocumentID var docId: String? }
  private struct NamedKey: Codable, Equatable {
    var name: String
    @DocumentID var docId: String?

    func with(_ id: String) -> Self {
      var copy = self
      copy.docId = id
      return copy
    }
  }
  private struct NamedReference: Codable, Equatable {
    var name: String
    @DocumentID var docId: DocumentReference?

    func with(_ reference: DocumentReference) -> Self {
      var copy = self
      copy.docId = reference
      return copy
    }
  }
  private struct Filler: Codable, Equatable {
    var s: String
    var d: Double
    var ms = "filler"
    enum CodingKeys: String, CodingKey { case s, d }
  }
  private enum Custom: Codable, Equatable {
    case num(Int)
    case text(String)
    case timestamp(Timestamp)

    enum CodingKeys: String, CodingKey { case num, text, timestamp }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      if let value = try container.decodeIfPresent(Int.self, forKey: .num) {
        self = .num(value)
      } else if let value = try container.decodeIfPresent(String.self, forKey: .text) {
        self = .text(value)
      } else {
        self = .timestamp(try container.decode(Timestamp.self, forKey: .timestamp))
      }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      switch self {
      case .num(let value): try container.encode(value, forKey: .num)
      case .text(let value): try container.encode(value, forKey: .text)
      case .timestamp(let value): try container.encode(value, forKey: .timestamp)
      }
    }
  }
  private struct Holder: Codable, Equatable {
    var x: Int
    var e: Custom
  }
  private enum Colour: String, Codable { case red, green }
  private enum Number: Int, Codable { case one = 1 }
  private enum Payload: Codable, Equatable {
    case a(Int)
    case b(x: Int)
  }
  private struct E<T: Codable & Equatable>: Codable, Equatable { var e: T }
  private struct Reserved: Codable, Equatable {
    var value: Int
    enum CodingKeys: String, CodingKey { case value = "__x__" }
  }
  private struct SingleX: Codable, Equatable { var singleCharacterAtEndX: Int }
  private struct AA: Codable, Equatable { var aA: Int }
  private struct Caps: Codable, Equatable { var partCAPS: Int }
  private struct Under: Codable, Equatable { var _oneTwoThree: Int }
  private struct Test: Codable, Equatable {
    var test: Int
    enum CodingKeys: String, CodingKey { case test = "__test" }
  }
  private struct Stamped<T: ServerTimestampWrappable & Codable & Equatable>: Codable, Equatable {
    @ServerTimestamp var timestamp: T?
  }
  private struct StampedDate: Codable, Equatable { @ServerTimestamp var date: Date? }
  private struct Named: Codable, Equatable { @ExplicitNull var name: String? }
  private struct Person: Codable, Equatable {
    var name: String?
    var age: Int32?
    var hobby: String?
  }

  private class Base: Codable {
    var superPower: Double
    var superName: String
    init(_ power: Double, _ name: String) { (superPower, superName) = (power, name) }
  }
  private final class Derived: Base {
    var timestamp: Timestamp?
    enum CodingKeys: CodingKey { case timestamp }

    static func isSame(_ left: Derived, _ right: Derived) -> Bool {
      left.timestamp == right.timestamp && left.superPower == right.superPower && left.superName == right.superName
    }

    init(_ timestamp: Timestamp) {
      self.timestamp = timestamp
      super.init(100, "name")
    }
    required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      timestamp = try container.decodeIfPresent(Timestamp.self, forKey: .timestamp)
      try super.init(from: container.superDecoder())
    }
    override func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(timestamp, forKey: .timestamp)
      try super.encode(to: container.superEncoder())
    }
  }

  /// The model of a case, or `nil` for a case that has none here.
  static func model(_ name: String, _ firestore: Firestore) -> AnyModel? {
    switch name {
    case "String":
      return AnyModel(S(s: "abc"))
    case "Bool":
      return AnyModel(B(b: false))
    case "Double keeps its type for whole numbers":
      return AnyModel(D(d: 123.0))
    case "Float becomes a double":
      return AnyModel(F(f: -4))
    case "Int64":
      return AnyModel(L(l: 1_234_567_890_123))
    case "Int16":
      return AnyModel(Sh(sh: 123))
    case "Int8 is an integer":
      return AnyModel(X(x: Int8(42)))
    case "UInt8":
      return AnyModel(U(u: 44))
    case "case sensitive names":
      return AnyModel(Names(caseSensitive: "aaa", casESensitive: "bbb", casESensitivE: "ccc"))
    case "missing optional is nil":
      return AnyModel(Opt(x: 42, opt: nil))
    case "bool into Int":
      return AnyModel(Opt(x: 0))
    case "string into Int":
      return AnyModel(Opt(x: 0))
    case "fraction into Int":
      return AnyModel(Opt(x: 0))
    case "nil elements of an array become null":
      return AnyModel(A<[Int?]>(a: [1, nil, 3]))
    case "whole double into Int":
      return AnyModel(X(x: 45))
    case "large int into Double loses precision quietly":
      return AnyModel(D(d: 9_007_199_254_740_992.0))
    case "NaN into Int":
      return AnyModel(X(x: 0))
    case "too big for Int8":
      return AnyModel(X(x: Int8(0)))
    case "negative into UInt":
      return AnyModel(X(x: UInt(0)))
    case "too big for Float":
      return AnyModel(F(f: 0))
    case "int into Bool":
      return AnyModel(B(b: true))
    case "string into Double":
      return AnyModel(D(d: 0.0))
    case "array into struct":
      return AnyModel(A(a: X(x: 1)))
    case "Infinity by default":
      return AnyModel(D(d: Double.infinity))
    case "Float NaN by default":
      return AnyModel(F(f: .nan))
    case "stored timestamp into Date":
      return AnyModel(On(date: Date(timeIntervalSinceReferenceDate: 0)))
    case "Date before 1970 has positive nanoseconds":
      return AnyModel(On(date: Date(timeIntervalSince1970: -1.5)))
    case "Date as seconds by option":
      return AnyModel(On(date: Date(timeIntervalSince1970: 1000)))
    case "Date as milliseconds by option":
      return AnyModel(On(date: Date(timeIntervalSince1970: 1000)))
    case "Date as ISO 8601 by option":
      return AnyModel(On(date: Date(timeIntervalSince1970: 1000)))
    case "number into Date":
      return AnyModel(On(date: Date()))
    case "Data and bytes":
      return AnyModel(Bytes(data: Data([1, 2, 3, 4]), emptyData: Data()))
    case "Data as base64 by option":
      return AnyModel(OneData(data: Data([1, 2, 3, 4])))
    case "invalid UUID":
      return AnyModel(ID(id: UUID()))
    case "Decimal from a double":
      return AnyModel(D(d: Decimal(string: "1.5")!))
    case "DocumentReference":
      return AnyModel(Ref(doc: firestore.document("abc/xyz")))
    case "FieldValue transforms pass through and apply":
      return AnyModel(encoding: Transforms(name: "name", array: .arrayUnion([1, 2, 3]), intValue: .increment(3)))
    case "DocumentReference through JSONEncoder":
      return AnyModel(Ref(doc: firestore.document("abc/xyz")))
    case "DocumentID through JSONDecoder":
      return AnyModel(Key(), equals: { _, _ in true })
    case "top level is a FieldValue":
      return AnyModel(encoding: FieldValue.serverTimestamp())
    case "top level is an array of structs":
      return AnyModel([S(s: "1")])
    case "superEncoder uses the key super":
      return AnyModel(Derived(Timestamp(seconds: 123_456_789, nanoseconds: 654_000)), equals: Derived.isSame)
    case "CodingKeys leave properties out on decode":
      return AnyModel(Filler(s: "abc", d: 123.3))
    case "unknown fields are ignored":
      return AnyModel(X(x: 1))
    case "custom enum with keyed container":
      return AnyModel(Holder(x: 42, e: .num(4)))
    case "custom enum with a string":
      return AnyModel(Holder(x: 43, e: .text("abc")))
    case "custom enum with a Timestamp":
      return AnyModel(Holder(x: 43, e: .timestamp(Timestamp(seconds: 5, nanoseconds: 0))))
    case "raw value enum (String)":
      return AnyModel(E(e: Colour.red))
    case "raw value enum (Int)":
      return AnyModel(E(e: Number.one))
    case "synthesised enum with payload":
      return AnyModel(E(e: Payload.a(1)))
    case "Set is an array":
      return AnyModel(S(s: Set([7])))
    case "reserved field name":
      return AnyModel(Reserved(value: 1))
    case "snake case of singleCharacterAtEndX":
      return AnyModel(SingleX(singleCharacterAtEndX: 1))
    case "snake case of aA":
      return AnyModel(AA(aA: 1))
    case "snake case of partCAPS":
      return AnyModel(Caps(partCAPS: 1))
    case "snake case of _oneTwoThree":
      return AnyModel(Under(_oneTwoThree: 1))
    case "snake case of __test":
      return AnyModel(Test(test: 1))
    case "@ServerTimestamp nil is the sentinel":
      return AnyModel(Stamped<Timestamp>(timestamp: nil))
    case "@ServerTimestamp with a value":
      return AnyModel(Stamped(timestamp: Timestamp(seconds: 123_456_789, nanoseconds: 4321)))
    case "@ServerTimestamp Date value":
      return AnyModel(StampedDate(date: Date(timeIntervalSince1970: 123_456_789)))
    case "@ServerTimestamp user type":
      return AnyModel(Stamped(timestamp: TextTime(text: "2019-10-07T21:33:51.123Z")))
    case "@ExplicitNull value":
      return AnyModel(Named(name: "good name"))
    case "@DocumentID as reference":
      return AnyModel(NamedReference(name: "abc").with(firestore.document("abc/123")))
    case "@DocumentID as string":
      return AnyModel(NamedKey(name: "abc").with("123"))
    case "@DocumentID is never written":
      return AnyModel(NamedReference(name: "abc").with(firestore.document("abc/123")))
    case "@DocumentID with a field of the same name does not fail":
      return AnyModel(NamedReference(name: "abc").with(firestore.document("abc/123")))
    case "@DocumentID without a reference":
      return AnyModel(NamedKey(name: "abc"))
    case "merge leaves nil optionals alone":
      return AnyModel(Person(name: nil, age: 43, hobby: "No"))
    case "merge fields from a model":
      return AnyModel(Person(name: "xxxx", age: 10, hobby: "Play"))
    default: return nil
    }
  }
}

/// An app's own time, kept as text.
struct TextTime: ServerTimestampWrappable, Codable, Equatable {
  var text: String

  private static var formatter: ISO8601DateFormatter {
    let formatter = ISO8601DateFormatter()
    formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
    return formatter
  }

  static func wrap(_ timestamp: Timestamp) throws -> TextTime {
    TextTime(text: formatter.string(from: timestamp.dateValue()))
  }

  static func unwrap(_ value: TextTime) throws -> Timestamp {
    guard let date = formatter.date(from: value.text) else { throw CocoaError(.formatting) }
    return Timestamp(date: date)
  }
}
