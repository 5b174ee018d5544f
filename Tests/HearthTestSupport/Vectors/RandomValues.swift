import HearthModel

/// Random values by seed, rich in edges: numbers around 2^53 and 2^63, zero bytes, strings that Swift takes for equal.
package struct RandomValues {
  /// SplitMix64.
  package struct Generator: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var z = state
      z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
      z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
      return z ^ (z >> 31)
    }
  }

  package var generator: Generator

  package init(seed: UInt64) { generator = Generator(seed: seed) }

  package mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }

  /// In stored form: valid, timestamps whole microseconds.
  package mutating func value(depth: Int = 0) -> Value {
    switch below(depth >= 3 ? 9 : 14) {
    case 0: return .null
    case 1: return .boolean(below(2) == 0)
    case 2: return .integer(integer())
    case 3: return .double(double())
    case 4: return .timestamp(timestamp())
    case 5: return .string(string())
    case 6: return .bytes((0..<below(5)).map { _ in [0, 1, 2, 0x7F, 0xFE, 0xFF][below(6)] })
    case 7: return .reference(key())
    case 8: return .geoPoint(GeoPoint(latitude: degrees(90), longitude: degrees(180)))
    case 9: return .vector((0..<below(4)).map { _ in double() })
    case 10, 11:
      return .array(
        (0..<below(4)).map { _ in
          let element = value(depth: depth + 1)
          if case .array = element { return .map(["x": element]) }
          return element
        })
    default: return .map(fields(depth: depth + 1))
    }
  }

  package mutating func fields(depth: Int = 0, count: Int? = nil) -> MapValue {
    MapValue((0..<(count ?? below(5))).map { _ in (name(), value(depth: depth)) })
  }

  package mutating func name() -> String {
    ["a", "b", "aa", "a.b", "e\u{301}", "\u{E9}", "z\0", "\u{1}", "\u{FFFF}", "\u{10000}", "name", "Z"][below(12)]
  }

  package mutating func integer() -> Int64 {
    let bases: [Int64] = [0, 1 << 53, -(1 << 53), 1 << 62, -(1 << 62), .max, .min, 1000, -1]
    switch below(4) {
    case 0: return Int64(below(7)) - 3
    case 1: return bases[below(bases.count)] &+ (Int64(below(7)) - 3)
    case 2: return bases[below(bases.count)] &+ (Int64(below(4096)) - 2048)
    default: return Int64.random(in: .min ... .max, using: &generator)
    }
  }

  package mutating func double() -> Double {
    switch below(5) {
    case 0:
      return [
        0, -0.0, .nan, .infinity, -.infinity, 1, -1, 0.5, .leastNonzeroMagnitude, -.leastNonzeroMagnitude,
        .greatestFiniteMagnitude, 0x1p63, -0x1p63,
      ][below(13)]
    case 1: return Double(integer())
    case 2: return Double(integer()).nextUp
    case 3: return Double(integer()).nextDown
    default:
      let double = Double(bitPattern: generator.next())
      return double.isNaN ? .nan : double
    }
  }

  package mutating func timestamp() -> Timestamp {
    switch below(3) {
    case 0: return Timestamp(microseconds: Int64(below(5)) - 2)
    case 1: return Timestamp(microseconds: [Timestamp.microsecondsMin, Timestamp.microsecondsMax][below(2)])
    default:
      return Timestamp(
        microseconds: Int64.random(in: Timestamp.microsecondsMin...Timestamp.microsecondsMax, using: &generator))
    }
  }

  private mutating func degrees(_ limit: Double) -> Double {
    [0, -0.0, limit, -limit, Double.random(in: -limit...limit, using: &generator)][below(5)]
  }

  package mutating func string() -> String {
    let pieces = ["", "a", "b", "\0", "\u{1}", "\u{2}", "e\u{301}", "\u{E9}", "\u{7FF}", "\u{FFFF}", "\u{10000}", "aa"]
    return (0..<below(4)).map { _ in pieces[below(pieces.count)] }.joined()
  }

  package mutating func key() -> DocumentKey {
    let ids = [
      "a", "b", "aa", "a b", "\0", "\u{1}", "\0\0", "\u{1}a", "__id7__", "__id-2__", "__id12__", "__id", "e\u{301}",
      "\u{E9}", "\u{10000}", "a\0",
    ]
    let collections = ["c", "d", "c c", "c\0", "\u{1}", "cc"]
    let path = (0..<1 + below(3)).map { _ in "\(collections[below(collections.count)])/\(ids[below(ids.count)])" }
    guard let key = try? DocumentKey(path.joined(separator: "/")) else { preconditionFailure("\(path)") }
    return key
  }
}
