import HearthModel
import HearthTestSupport
import Testing

/// `value_order.json`, by ``ValueOrder`` and by the bytes of ``OrderedValueEncoder``, which must agree.
@Suite struct ValueOrderVectorTests {
  private static func value(_ json: JSON?) throws -> Value { try TypedJSON.value(#require(json)) }

  private static func check(_ left: Value, _ right: Value, _ expected: Ordering, _ name: String) {
    HearthTestSupport.check(ValueOrder.compare(left, right) == expected, "\(name)")
    HearthTestSupport.check(ValueOrder.compare(right, left) == expected.reversed, "\(name), reversed")
    HearthTestSupport.check(compareEncoded(left, right) == expected, "\(name), encoded")
    HearthTestSupport.check(
      compareEncoded(left, right, descending: true) == expected.reversed, "\(name), encoded descending")
  }

  @Test func pairs() throws {
    let pairs = try #require(try Vectors.load("value_order.json")["pairs"]?.array)
    for pair in pairs {
      let name = Vectors.name(pair)
      let left = try ValueOrderVectorTests.value(pair["left"])
      let right = try ValueOrderVectorTests.value(pair["right"])
      let expected = try #require(pair["compare"]?.integer.flatMap { Ordering(rawValue: Int($0)) })
      ValueOrderVectorTests.check(left, right, expected, name)
      #expect((left == right) == pair["identical"]?.boolean, "\(name), identity")
      if left == right { #expect(left.hashValue == right.hashValue, "\(name), hash") }
    }
    print("value_order.json: \(pairs.count) pairs checked, 0 skipped")
    #expect(pairs.count == 93)
  }

  @Test func sequences() throws {
    let sequences = try #require(try Vectors.load("value_order.json")["sequences"]?.array)
    var compared = 0
    for sequence in sequences {
      let groups = try #require(sequence["groups"]?.array).map { try ($0.array ?? []).map(TypedJSON.value) }
      for (i, first) in groups.enumerated() {
        for (j, second) in groups.enumerated() {
          for left in first {
            for right in second {
              ValueOrderVectorTests.check(
                left, right, i < j ? .less : (i > j ? .greater : .equal), Vectors.name(sequence))
              compared += 1
            }
          }
        }
      }
    }
    print("value_order.json: \(sequences.count) sequences checked (\(compared) pairs), 0 skipped")
    #expect(sequences.count == 7)
  }

  @Test func keySequences() throws {
    let sequences = try #require(try Vectors.load("value_order.json")["keySequences"]?.array)
    for sequence in sequences {
      let keys = try #require(sequence["order"]?.array).map { try DocumentKey($0.string ?? "") }
      for (i, left) in keys.enumerated() {
        for (j, right) in keys.enumerated() {
          let expected = i < j ? Ordering.less : (i > j ? .greater : .equal)
          #expect(left.compare(right) == expected, "\(left) and \(right)")
          #expect(compareEncoded(.reference(left), .reference(right)) == expected, "references \(left) and \(right)")
          // Keys of the document tree promise this order within a collection only.
          if left.parent == right.parent {
            #expect(compareBytes(KeySchema.key(of: left), KeySchema.key(of: right)) == expected, "\(left) and \(right)")
          }
        }
      }
    }
    print("value_order.json: \(sequences.count) key sequences checked, 0 skipped")
    #expect(sequences.count == 3)
  }
}

func compareBytes(_ left: [UInt8], _ right: [UInt8]) -> Ordering {
  left.elementsEqual(right) ? .equal : (left.lexicographicallyPrecedes(right) ? .less : .greater)
}

func compareEncoded(_ left: Value, _ right: Value, descending: Bool = false) -> Ordering {
  compareBytes(
    OrderedValueEncoder.encode(left, descending: descending), OrderedValueEncoder.encode(right, descending: descending))
}
