import HearthModel
import HearthTestSupport
import Testing

@Suite struct ValueRulesTests {
  private func nested(_ count: Int, _ leaf: Value) -> Value {
    (0..<count).reduce(leaf) { value, index in index % 2 == 0 ? .map(["m": value]) : .array([value]) }
  }

  private static let badFields: [(MapValue, String)] = [
    (["a": .array([.null, .array([])])], "an array is an element of an array (at \"a[1]\")"),
    (["a": .map(["__b__": .null])], "field name \"__b__\" is reserved: it begins and ends with \"__\" (at \"a\")"),
    (["a": .map(["": .null])], "field names must not be empty (at \"a\")"),
    (
      ["g": .geoPoint(GeoPoint(latitude: 91, longitude: 0))],
      "GeoPoint(latitude: 91.0, longitude: 0.0) is out of range: latitude must be within ±90 and longitude within ±180 (at \"g\")"
    ),
    (
      ["v": .vector(Array(repeating: 0, count: 2049))],
      "a vector has 2049 dimensions; at most 2048 are allowed (at \"v\")"
    ),
  ]

  @Test(arguments: badFields) func aBadFieldIsNamed(fields: MapValue, message: String) {
    #expect(throws: ModelError.invalidArgument(message)) { try ValueRules.storable(fields) }
  }

  @Test(arguments: [
    Timestamp(seconds: -62_135_596_801, nanoseconds: 0), Timestamp(seconds: 253_402_300_800, nanoseconds: 0),
    Timestamp(seconds: 0, nanoseconds: -1), Timestamp(seconds: 0, nanoseconds: 1_000_000_000),
    Timestamp(seconds: .max, nanoseconds: .max), Timestamp(seconds: .min, nanoseconds: .min),
  ]) func timestampsOutOfRangeAreRefused(timestamp: Timestamp) {
    #expect(throws: ModelError.self) { try ValueRules.storable(["t": .timestamp(timestamp)]) }
    #expect(throws: ModelError.self) { try ValueRules.operand(.timestamp(timestamp), of: FieldPath(name: "t")) }
    // And encoding one is no trap.
    _ = OrderedValueEncoder.encode(.timestamp(timestamp))
  }

  @Test(arguments: [Double.nan, .infinity, -90.5, 90.000001]) func latitudesOutOfRangeAreRefused(latitude: Double) {
    let value = Value.geoPoint(GeoPoint(latitude: latitude, longitude: 0))
    #expect(throws: ModelError.self) { try ValueRules.storable(["g": value]) }
  }

  @Test func twentyLevelsAreTheMost() throws {
    _ = try ValueRules.storable(["a": nested(20, .integer(1))])
    #expect(throws: ModelError.self) { try ValueRules.storable(["a": nested(21, .integer(1))]) }
    // The same by a path: each name but the last is a map.
    let key = try DocumentKey("c/d")
    let path = try FieldPath(segments: Array(repeating: "m", count: 21))
    _ = try Mutation.update(key, [(path, .value(.integer(1)))])
    _ = try Mutation.update(key, [(path, .transform(.serverTimestamp))])
    #expect(throws: ModelError.self) { try Mutation.update(key, [(path.appending("m"), .value(.integer(1)))]) }
    #expect(throws: ModelError.self) { try Mutation.update(key, [(path.appending("m"), .transform(.serverTimestamp))]) }
    #expect(throws: ModelError.self) { try Mutation.update(key, [(path, .value(.array([])))]) }
    #expect(throws: ModelError.self) { try Mutation.update(key, [(path, .transform(.arrayUnion([])))]) }
    // And by maps that hold a sentinel.
    func sentinel(_ count: Int) -> WriteValue {
      (0..<count).reduce(.transform(.serverTimestamp)) { value, _ in .map([("m", value)]) }
    }
    _ = try Mutation.set(key, sentinel(21))
    #expect(throws: ModelError.self) { try Mutation.set(key, sentinel(22)) }
  }

  @Test func theStoredFormHasMicrosecondsAndOneNaN() throws {
    let other = Double(bitPattern: 0xFFF8_0000_0000_0001)
    let fields = try ValueRules.storable([
      "a": .array([.timestamp(Timestamp(seconds: -1, nanoseconds: 1999))]), "d": .double(other),
      "v": .vector([other, 1]),
    ])
    #expect(fields["a"] == .array([.timestamp(Timestamp(seconds: -1, nanoseconds: 1000))]))
    guard case .double(let double)? = fields["d"], case .vector(let vector)? = fields["v"] else {
      Issue.record("other types")
      return
    }
    #expect(double.bitPattern == Double.nan.bitPattern)
    #expect(vector[0].bitPattern == Double.nan.bitPattern)
  }

  @Test func namesInOperandsAreFree() throws {
    let value = Value.map(["__x__": .null])
    #expect(try ValueRules.operand(value, of: FieldPath(name: "a")) == value)
  }
}

@Suite struct TimestampTests {
  @Test(arguments: [
    (Int64(0), Int64(0), Int32(0)), (-1, -1, 999_999_000), (1_500_000, 1, 500_000_000), (-1_500_000, -2, 500_000_000),
    (Timestamp.microsecondsMin, -62_135_596_800, 0), (Timestamp.microsecondsMax, 253_402_300_799, 999_999_000),
  ]) func microseconds(microseconds: Int64, seconds: Int64, nanoseconds: Int32) {
    let timestamp = Timestamp(microseconds: microseconds)
    #expect(timestamp == Timestamp(seconds: seconds, nanoseconds: nanoseconds))
    #expect(timestamp.microseconds == microseconds)
    #expect(timestamp.isValid)
  }

  @Test(arguments: 1...5) func textRoundTrips(seed: Int) {
    var random = RandomValues(seed: UInt64(seed))
    for _ in 0..<2000 {
      let timestamp = random.timestamp()
      check(Timestamp(text: timestamp.text) == timestamp, "\(timestamp)")
    }
  }

  @Test(arguments: [
    "2016-05-20", "2016-13-20T10:20:00Z", "2016-02-30T10:20:00Z", "2016-05-20T24:00:00Z", "2016-05-20T10:20:60Z",
    "2016-05-20T10:20:00", "2016-05-20T10:20:00.Z", "2016-05-20T10:20:00.1234567890Z", "0000-01-01T00:00:00Z",
    "2016-05-20T10:20:00+01:00Z", "x016-05-20T10:20:00Z", "",
  ]) func badTextsAreRefused(text: String) {
    #expect(Timestamp(text: text) == nil)
  }

  @Test func leapDays() {
    #expect(Timestamp(text: "2000-02-29T00:00:00Z")?.seconds == 951_782_400)
    #expect(Timestamp(text: "1900-02-29T00:00:00Z") == nil)
  }
}
