import HearthModel
import HearthTestSupport
import Testing

@Suite struct TypedJSONTests {
  @Test(arguments: 1...20) func valuesRoundTrip(seed: Int) throws {
    var random = RandomValues(seed: UInt64(seed))
    for _ in 0..<500 {
      let value = random.value()
      let text = TypedJSON.json(value).text
      try check(TypedJSON.value(JSONParser.parse(text)) == value, "\(text)")
      check(text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }, "\(text)")
    }
  }

  @Test(arguments: [
    (Value.integer(1), "1"),
    (.integer(9_007_199_254_740_992), "9007199254740992"),
    (.integer(9_007_199_254_740_993), "{\"int\":\"9007199254740993\"}"),
    (.integer(.min), "{\"int\":\"-9223372036854775808\"}"),
    (.double(1), "{\"double\":\"1\"}"),
    (.double(1.5), "1.5"),
    (.double(-0.0), "{\"double\":\"-0\"}"),
    (.double(1e20), "{\"double\":\"1e+20\"}"),
    (.double(.nan), "{\"double\":\"NaN\"}"),
    (.double(-.infinity), "{\"double\":\"-Infinity\"}"),
    (
      .timestamp(Timestamp(seconds: 1_463_739_600, nanoseconds: 123_456_000)),
      "{\"timestamp\":\"2016-05-20T10:20:00.123456Z\"}"
    ),
    (.timestamp(Timestamp(seconds: -62_135_596_800, nanoseconds: 0)), "{\"timestamp\":\"0001-01-01T00:00:00Z\"}"),
    (.timestamp(Timestamp(seconds: -1, nanoseconds: 1)), "{\"timestamp\":\"1969-12-31T23:59:59.000000001Z\"}"),
    (.bytes([0, 1, 2, 255]), "{\"bytes\":\"AAEC/w==\"}"),
    (.geoPoint(GeoPoint(latitude: 1, longitude: -0.0)), "{\"geo\":[1,\"-0\"]}"),
    (.vector([1, .nan, 0.5]), "{\"vector\":[1,\"NaN\",0.5]}"),
    (.map(["int": .integer(1)]), "{\"map\":{\"int\":1}}"),
    (.map(["delete": .boolean(true)]), "{\"map\":{\"delete\":true}}"),
    (.map(["map": .map([:])]), "{\"map\":{\"map\":{}}}"),
    (.map(["int": .null, "x": .null]), "{\"int\":null,\"x\":null}"),
    (.string("é\n\u{202E}\u{1F435}\u{7F}\""), "\"\\u00e9\\n\\u202e\\ud83d\\udc35\\u007f\\\"\""),
  ]) func spelling(value: Value, text: String) throws {
    #expect(TypedJSON.json(value).text == text)
    #expect(try TypedJSON.value(JSONParser.parse(text)) == value)
  }

  @Test func keysThatSwiftTakesForEqualStayApart() throws {
    let fields = try TypedJSON.fields(JSONParser.parse("{\"e\\u0301\":1,\"\\u00e9\":2}"))
    #expect(fields.count == 2)
    #expect(TypedJSON.json(fields).text == "{\"e\\u0301\":1,\"\\u00e9\":2}")
  }

  @Test(arguments: [
    ("{\"a\":1,\"a\":2}", "a key occurs twice in an object at offset 0"),
    ("{\"a\":{\"int\":\"1.5\"}}", "\"int\" needs an integer as text at offset 12"),
    ("{\"a\":{\"ref\":\"a/b/c\"}}", "offset 12"),
    ("{\"a\":{\"bytes\":\"AB=\"}}", "needs base64"),
    ("{\"a\":{\"bytes\":\"AB==\"}}", "needs base64"),
    ("{\"a\":{\"timestamp\":\"2015-02-29T00:00:00Z\"}}", "needs a text such as"),
    ("{\"a\":{\"double\":\"0x10\"}}", "is no double"),
    ("{\"a\":{\"double\":\"1e999\"}}", "is no double"),
    ("{\"a\":9223372036854775808}", "does not fit in 64 bits"),
    ("{\"a\":{\"delete\":true}}", "the sentinel \"delete\" is no value"),
    ("[1]", "an object of fields is expected at offset 0"),
  ]) func whatIsNoValueIsRefused(text: String, message: String) throws {
    let json = try JSONParser.parse(text)
    let error = #expect(throws: ModelError.self) { try TypedJSON.fields(json) }
    #expect(error?.message.contains(message) == true, "\(String(describing: error))")
  }
}

@Suite struct JSONParserTests {
  @Test(arguments: [
    ("", "the text ends where a value is expected at column 1 (offset 0)"),
    ("{\"a\":1,\n  x}", "expected an object key at line 2, column 3 (offset 10)"),
    ("[1,]", "unexpected byte 0x5d where a value is expected at column 4"),
    ("[1 2]", "expected \",\" or \"]\" at column 4"),
    ("01", "a number begins with 0"),
    ("1.", "expected a digit"),
    ("-", "expected a digit"),
    ("1e+", "expected a digit"),
    ("tru", "expected \"true\""),
    ("\"a", "a string is not closed at column 1"),
    ("\"\n\"", "a control character in a string is not escaped"),
    ("\"\\x\"", "an unknown escape"),
    ("\"\\u12\"", "needs four hexadecimal digits"),
    ("\"\\ud800\"", "a surrogate is alone"),
    ("\"\\udc00\"", "a surrogate is alone"),
    ("\"\\ud800\\u0041\"", "a surrogate is alone"),
    ("1 1", "unexpected text after the value at column 3"),
    ("{\"a\" 1}", "expected \":\""),
  ]) func mistakesNameTheirPlace(text: String, message: String) {
    let error = #expect(throws: ModelError.self) { try JSONParser.parse(text) }
    #expect(error?.message.contains(message) == true, "\(String(describing: error))")
  }

  @Test func bytesThatAreNotUTF8AreRefused() {
    #expect(throws: ModelError.self) { try JSONParser.parse([0x22, 0xC3, 0x22]) }
    #expect(throws: ModelError.self) { try JSONParser.parse([0x22, 0xED, 0xA0, 0x80, 0x22]) }
  }

  @Test func nestingIsBounded() throws {
    let deep = String(repeating: "[", count: 100_000)
    let error = #expect(throws: ModelError.self) { try JSONParser.parse(deep) }
    #expect(error?.message.contains("nested more than 128 deep") == true)
    #expect(throws: ModelError.self) {
      try JSONParser.parse(String(repeating: "[", count: 129) + String(repeating: "]", count: 129))
    }
    _ = try JSONParser.parse(String(repeating: "[", count: 128) + String(repeating: "]", count: 128))
  }

  @Test(arguments: 1...5) func anyBytesParseOrThrow(seed: Int) throws {
    var random = RandomValues(seed: UInt64(seed))
    let pieces = [
      "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u", "d83d", "1", "-", ".", "e", "true", "nul", " ", "\u{E9}",
    ]
    var parsed = 0
    for _ in 0..<4000 {
      let text = (0..<random.below(8)).map { _ in pieces[random.below(pieces.count)] }.joined()
      if let json = try? JSONParser.parse(text) {
        parsed += 1
        // What parses is written and parsed to the same.
        try check(JSONParser.parse(json.text).text == json.text, "\(text)")
      }
    }
    #expect(parsed > 10)
  }

  @Test func numbersKeepTheirSpelling() throws {
    #expect(try JSONParser.parse(" [1.50, -0, 1E5] ").text == "[1.50,-0,1E5]")
  }
}
