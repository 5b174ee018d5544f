import Foundation
import Hearth
import Testing

/// What comes out of a document answers casts as it does on Apple systems, and what goes in keeps its type.
struct BridgingTests {
  private let firestore: Firestore
  private let document: DocumentReference

  init() throws {
    firestore = try Firestore.inMemory()
    document = firestore.document("c/d")
  }

  private func stored(_ value: Any) async throws -> Any? {
    try await document.setData(["v": value])
    return try await document.getDocument().get("v")
  }

  @Test func numbersAnswerEveryCastThatHoldsThem() async throws {
    let whole = try #require(try await stored(127))
    #expect(whole as? Int == 127 && whole as? Int64 == 127 && whole as? Int32 == 127 && whole as? Int8 == 127)
    #expect(whole as? UInt == 127 && whole as? Double == 127 && whole as? Float == 127)
    #expect(whole as? Bool == nil && whole as? String == nil)
    let fraction = try #require(try await stored(5.5))
    #expect(fraction as? Double == 5.5 && fraction as? Float == 5.5 && fraction as? Int == nil)
    let flag = try #require(try await stored(true))
    #expect(flag as? Bool == true && flag as? Int == 1)
    #expect(try await stored(1) as? Bool == true)
  }

  @Test func aMapOfMixedNumbersCastsToDoubles() async throws {
    let value = try await stored(["latitude": 37.5, "longitude": 127] as [String: Any])
    #expect(value as? [String: Double] == ["latitude": 37.5, "longitude": 127])
    #expect(try await stored([1, 2.5] as [Any]) as? [Double] == [1, 2.5])
  }

  @Test func dataPrintsAsOnAppleSystems() async throws {
    try await document.setData(["yes": true])
    #expect("\(try await document.getDocument().data()!)" == #"["yes": 1]"#)
    try await document.setData(["n": 2])
    #expect("\(try await document.getDocument().data()!)" == #"["n": 2]"#)
    try await document.setData(["x": 2.5])
    #expect("\(try await document.getDocument().data()!)" == #"["x": 2.5]"#)
  }

  @Test func dataCalledTwiceGivesTheSame() async throws {
    try await document.setData(["a": [1, "x", ["b": NSNull()]] as [Any]])
    let snapshot = try await document.getDocument()
    #expect(Rendering.text(snapshot.data()) == Rendering.text(snapshot.data()))
  }

  /// Each input, and how it is stored.
  @Test func inputsKeepTheirType() async throws {
    let inputs: [(Any, String)] = [
      (Int8(1), "int 1"), (Int16(-2), "int -2"), (Int32(3), "int 3"), (Int64.min, "int \(Int64.min)"),
      (UInt8(1), "int 1"), (UInt16(2), "int 2"), (UInt32(3), "int 3"), (UInt(4), "int 4"),
      (UInt64(Int64.max), "int \(Int64.max)"),
      (true, "bool true"), (false, "bool false"), (NSNumber(value: true), "bool true"),
      (NSNumber(value: Int8(1)), "int 1"), (NSNumber(value: 1), "int 1"), (NSNumber(value: UInt64(7)), "int 7"),
      (Float(1.5), Rendering.text(1.5)), (NSNumber(value: 1.0), Rendering.text(1.0)), (2.0, Rendering.text(2.0)),
      (CGFloat(0.5), Rendering.text(0.5)), (Decimal(string: "1.25")!, Rendering.text(1.25)),
      (NSDecimalNumber(string: "3"), Rendering.text(3.0)), (Double.nan, "double nan"), (-0.0, Rendering.text(-0.0)),
      ("text", Rendering.text("text")), (NSString("text"), Rendering.text("text")),
      (NSMutableString(string: "text"), Rendering.text("text")),
      (Data([1, 2]), Rendering.text(Data([1, 2]))), (NSData(data: Data([3])), Rendering.text(Data([3]))),
      (NSNull(), "null"), (Int?.none as Any, "null"), (Int??.some(.some(3)) as Any, "int 3"),
      (Date(timeIntervalSince1970: 1.5), "timestamp 1 500000000"),
      (NSDate(timeIntervalSince1970: -1.5), "timestamp -2 500000000"),
      (Timestamp(seconds: 5, nanoseconds: 123_456_789), "timestamp 5 123456000"),
      (GeoPoint(latitude: 1, longitude: -2), Rendering.text(GeoPoint(latitude: 1, longitude: -2))),
      (VectorValue([1, 2]), Rendering.text(VectorValue([1, 2]))), (firestore.document("a/b"), "ref a/b"),
      ([1, 2], "[int 1, int 2]"), (["a", nil] as [String?], "[\(Rendering.text("a")), null]"),
      (NSArray(array: [1]), "[int 1]"), (["k": 1], #"{"k": int 1}"#),
      (NSDictionary(dictionary: ["k": true]), #"{"k": bool true}"#), (["k": 1] as [AnyHashable: Any], #"{"k": int 1}"#),
      (["k": nil] as [String: Int?], #"{"k": null}"#), ([Any](), "[]"), ([String: Any](), "{}"),
    ]
    for (input, expected) in inputs {
      let found = try await stored(input)
      #expect(Rendering.text(found) == expected, "\(type(of: input)) \(input)")
    }
  }

  @Test func aDateNeverComesBackAsADate() async throws {
    let value = try await stored(Date(timeIntervalSince1970: 1))
    #expect(value is Timestamp && !(value is Date))
  }

  @Test func stringsKeepTheirBytes() async throws {
    for text in ["e\u{301}", "\u{e9}", "a\0b", "", "\u{FFFF}\u{10000}"] {
      let found = try await stored(text) as? String
      #expect(found.map { Array($0.utf8) } == Array(text.utf8))
    }
  }

  @Test func snapshotsFindFieldsByDotPathFieldPathAndSubscript() async throws {
    try await document.setData(["a": ["b": 1], "a.b": 2])
    let snapshot = try await document.getDocument()
    #expect(snapshot.get("a.b") as? Int == 1 && snapshot["a.b"] as? Int == 1)
    #expect(snapshot.get(FieldPath(["a.b"])) as? Int == 2 && snapshot[FieldPath(["a", "b"])] as? Int == 1)
    #expect(snapshot.get("a.b.c") == nil && snapshot.get("nothing") == nil && snapshot.get("a..b") == nil)
  }

  @Test func timestampsConvertAndCompare() {
    #expect(Timestamp(date: Date(timeIntervalSince1970: -0.25)) == Timestamp(seconds: -1, nanoseconds: 750_000_000))
    #expect(Timestamp(seconds: 10, nanoseconds: 500_000_000).dateValue() == Date(timeIntervalSince1970: 10.5))
    #expect(Timestamp(seconds: 1, nanoseconds: 2).compare(Timestamp(seconds: 1, nanoseconds: 3)) == .orderedAscending)
    #expect(Timestamp(seconds: 1, nanoseconds: 2).compare(Timestamp(seconds: 1, nanoseconds: 2)) == .orderedSame)
    #expect(
      Timestamp(date: .distantFuture).seconds > 0 && Timestamp(date: Date(timeIntervalSince1970: 1e300)).seconds == .max
    )
    #expect(abs(Timestamp().dateValue().timeIntervalSinceNow) < 60)
  }
}
