import HearthModel
import HearthTestSupport
import Testing

@Suite struct OrderedValueEncoderTests {
  @Test(arguments: 1...10) func bytesOrderAsValuesDo(seed: Int) {
    var random = RandomValues(seed: UInt64(seed))
    for _ in 0..<1000 {
      let left = random.value()
      // Half of the pairs are near each other: the same value, or one number in two types.
      let right: Value =
        switch (random.below(4), left) {
        case (0, .integer(let value)): .double(Double(value))
        case (0, _): left
        case (1, .integer(let value)): .integer(value &+ 1)
        case (1, .array(let elements)): .array(elements + [random.value(depth: 3)])
        default: random.value()
        }
      let expected = ValueOrder.compare(left, right)
      check(compareEncoded(left, right) == expected, "\(left) and \(right)")
      check(compareEncoded(left, right, descending: true) == expected.reversed, "\(left) and \(right)")
      // No encoding is a prefix of another one.
      let a = OrderedValueEncoder.encode(left)
      let b = OrderedValueEncoder.encode(right)
      if expected != .equal { check(!a.starts(with: b) && !b.starts(with: a), "\(left) and \(right)") }
    }
  }

  @Test func componentsOrderOneAfterTheOther() throws {
    var random = RandomValues(seed: 7)
    for _ in 0..<5000 {
      func entry(_ values: [Value], _ key: DocumentKey) -> [UInt8] {
        var encoder = OrderedValueEncoder()
        encoder.append(values[0])
        encoder.append(values[1], descending: true)
        encoder.append(key, descending: true)
        return encoder.bytes
      }
      let shared: [Value] = [.string("a"), .string("a\0"), .string("aa"), .bytes([0]), .integer(1), .null, .array([])]
      let left = [shared[random.below(7)], shared[random.below(7)]]
      let right = [shared[random.below(7)], shared[random.below(7)]]
      let keys = (random.key(), random.key())
      var expected = ValueOrder.compare(left[0], right[0])
      if expected == .equal { expected = ValueOrder.compare(left[1], right[1]).reversed }
      if expected == .equal { expected = keys.0.compare(keys.1).reversed }
      check(compareBytes(entry(left, keys.0), entry(right, keys.1)) == expected, "\(left) \(right) \(keys)")
    }
  }

  /// On disk since format 0: a change here needs a new format.
  @Test(arguments: [
    (Value.null, "10"),
    (.boolean(false), "18"),
    (.boolean(true), "19"),
    (.double(.nan), "200000000000000000"),
    (.double(-.infinity), "20000fffffffffffff"),
    (.integer(0), "208000000000000000"),
    (.double(-0.0), "208000000000000000"),
    (.integer(1), "20bff0000000000000"),
    (.integer(-1), "20400fffffffffffff"),
    (.integer(9_007_199_254_740_993), "20c3400000000000000001"),
    (.double(9_007_199_254_740_992), "20c3400000000000000000"),
    (.integer(.max), "20c3dfffffffffffff03ff"),
    (.double(0x1p63), "20c3e0000000000000"),
    (.integer(.min), "203c1fffffffffffff0000"),
    (.timestamp(Timestamp(seconds: -1, nanoseconds: 999_999_000)), "287fffffffffffffff"),
    (.string("a\0b\u{1}é"), "3061010162" + "0102c3a900"),
    (.bytes([0, 255, 1]), "380101ff010200"),
    (.geoPoint(GeoPoint(latitude: 1, longitude: -0.0)), "48bff00000000000008000000000000000"),
    (.array([.null, .array([])]), "5010500000"),
    (.vector([1]), "5800000001bff0000000000000"),
    (.map(["a": .null]), "600161001000"),
    (.map([:]), "6000"),
  ]) func golden(value: Value, hex: String) {
    #expect(hexText(OrderedValueEncoder.encode(value)) == hex)
    #expect(
      hexText(OrderedValueEncoder.encode(value, descending: true))
        == hexText(OrderedValueEncoder.encode(value).map { ~$0 }))
  }

  @Test func goldenReference() throws {
    let key = try DocumentKey("c/__id-1__/d/x")
    #expect(
      hexText(OrderedValueEncoder.encode(.reference(key))) == "406300" + "007fffffffffffffff" + "6400" + "7800" + "00")
  }
}

func hexText(_ bytes: [UInt8]) -> String {
  bytes.map { $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16) }.joined()
}
