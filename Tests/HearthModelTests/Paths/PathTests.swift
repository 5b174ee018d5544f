import HearthModel
import HearthTestSupport
import Testing

@Suite struct ResourcePathTests {
  @Test(arguments: [
    ("a/b/c", "document path \"a/b/c\" has 3 segments; a document path needs an even number"),
    ("", "document path \"\" is empty"),
    ("//", "document path \"//\" is empty"),
    ("///", "document path \"///\" has an empty segment"),
    ("a//b", "document path \"a//b\" has an empty segment"),
    ("a/..", "document path \"a/..\" has the id \".\" or \"..\", which is reserved, as segment 2"),
    ("__a__/b", "document path \"__a__/b\" has an id of the reserved form \"__…__\" as segment 1"),
    ("a/b\u{1B}[2J/c", "document path \"a/b\\u{1b}[2J/c\" has 3 segments; a document path needs an even number"),
  ]) func aBadDocumentPathIsNamed(path: String, message: String) {
    #expect(throws: ModelError.invalidArgument(message)) { try DocumentKey(path) }
  }

  @Test func limitsAreExact() throws {
    let id = String(repeating: "x", count: 1500)
    _ = try DocumentKey("c/" + id)
    #expect(throws: ModelError.self) { try DocumentKey("c/" + id + "x") }
    // 6,144 bytes: four ids of 1,500 bytes and two more, with five slashes.
    let longest = [id, id, id, id, String(repeating: "y", count: 100), String(repeating: "z", count: 39)]
    let key = try DocumentKey(longest.joined(separator: "/"))
    #expect(key.path.utf8.count == 6144)
    #expect(throws: ModelError.self) { try DocumentKey(longest.joined(separator: "/") + "z") }
    let deep = Array(repeating: "c/d", count: 100).joined(separator: "/")
    _ = try DocumentKey(deep)
    #expect(throws: ModelError.self) { try CollectionPath(deep + "/c") }
  }

  @Test func anIDIsNotAPath() throws {
    let collection = try CollectionPath("c")
    #expect(try DocumentKey(id: "a b", in: collection).path == "c/a b")
    for id in ["", "a/b", "/a", "a/", "/", "..", "__x__"] {
      #expect(throws: ModelError.self, "\(id)") { try DocumentKey(id: id, in: collection) }
    }
  }

  @Test func pathsThatSwiftTakesForEqualAreTwoKeys() throws {
    let composed = try DocumentKey("c/\u{E9}")
    let decomposed = try DocumentKey("c/e\u{301}")
    #expect(composed != decomposed)
    #expect(Set([composed, decomposed]).count == 2)
    #expect(composed.compare(decomposed) == .greater)
  }

  @Test func aSlashWithACombiningMarkIsStillASlash() throws {
    #expect(try DocumentKey("c/\u{301}d").documentID.unicodeScalars.map(\.value) == [0x301, 0x64])
    #expect(try CollectionPath("c/\u{301}d/e").parent?.path.utf8.count == 5)
  }

  @Test func segmentsCompareNotTheJoinedText() throws {
    #expect(try DocumentKey("a/b").compare(DocumentKey("a b/c")) == .less)
    #expect(try DocumentKey("a/b/c/d").compare(DocumentKey("a/b c")) == .less)
    #expect(try DocumentKey("a/b").compare(DocumentKey("a/b/c/d")) == .less)
    #expect(try DocumentKey("a/__id7__/c/d").compare(DocumentKey("a/__id12__")) == .less)
    #expect(try DocumentKey("a/b").compare(DocumentKey("a/b")) == .equal)
  }

  /// Against the rule written down plainly: segments, numbers first.
  @Test(arguments: 1...5) func keyOrderIsSegmentOrder(seed: Int) throws {
    var random = RandomValues(seed: UInt64(seed))
    func rank(_ segment: Substring.UTF8View) -> (Int, Int64, [UInt8]) {
      let text = String(Substring(segment))
      let number = NumericID.number(of: text)
      return (number == nil ? 1 : 0, number ?? 0, Array(segment))
    }
    for _ in 0..<3000 {
      let left = random.key()
      let right = random.key()
      let a = left.path.utf8.split(separator: UInt8(ascii: "/")).map { rank($0) }
      let b = right.path.utf8.split(separator: UInt8(ascii: "/")).map { rank($0) }
      var expected = Ordering.equal
      for (x, y) in zip(a, b) where expected == .equal {
        if x.0 != y.0 {
          expected = x.0 < y.0 ? .less : .greater
        } else if x.1 != y.1 {
          expected = x.1 < y.1 ? .less : .greater
        } else if x.2 != y.2, x.0 == 1 {
          expected = x.2.lexicographicallyPrecedes(y.2) ? .less : .greater
        }
      }
      if expected == .equal { expected = a.count < b.count ? .less : (a.count > b.count ? .greater : .equal) }
      check(left.compare(right) == expected, "\(left) and \(right)")
      check((left == right) == (expected == .equal), "\(left) and \(right)")
      check(compareEncoded(.reference(left), .reference(right)) == expected, "\(left) and \(right)")
    }
  }
}

@Suite struct NumericIDTests {
  @Test(arguments: [
    ("__id0__", 0), ("__id7__", 7), ("__id-2__", -2), ("__id9223372036854775807__", Int64.max),
    ("__id-9223372036854775808__", .min),
  ]) func canonicalNumbersAreNumbers(id: String, number: Int64) {
    #expect(NumericID.number(of: id) == number)
    #expect(NumericID.id(of: number) == id)
  }

  @Test(arguments: [
    "__id__", "__id007__", "__id-0__", "__id+7__", "__id 7__", "__id7_", "_id7__", "__id9223372036854775808__",
    "__id-9223372036854775809__", "__id99999999999999999999__", "__id7a__", "__id-__", "__ID7__", "__id7__x", "7", "",
  ]) func othersAreNot(id: String) {
    #expect(NumericID.number(of: id) == nil)
  }
}

@Suite struct FieldPathTests {
  @Test(arguments: [
    ("", "field path is empty"),
    ("a..b", "field path \"a..b\" has an empty name; it must not begin or end with a dot or contain \"..\""),
    ("a/b", "field path \"a/b\" contains \"/\"; \"~*/[]\" are not allowed in a dot path"),
  ]) func aBadDotPathIsNamed(text: String, message: String) {
    #expect(throws: ModelError.invalidArgument(message)) { try FieldPath(dotted: text) }
  }

  @Test func atMost1500BytesInAll() throws {
    let half = String(repeating: "x", count: 749)
    _ = try FieldPath(dotted: half + "." + half + "y")
    #expect(throws: ModelError.self) { try FieldPath(dotted: half + "." + half + "yy") }
  }

  @Test func canonicalTextRoundTrips() throws {
    let names = ["a", "a.b", "`", "\\", "0", "_", "a b", "é", "e\u{301}", "\0", "\u{10000}`\\", "A9_"]
    for first in names {
      for second in names {
        let path = try FieldPath(segments: [first, second])
        #expect(try FieldPath(canonicalText: path.canonicalText) == path)
      }
    }
  }

  @Test func order() throws {
    let texts = ["1", "19", "2", "A", "_a", "a", "a.a", "aa", "b"]
    let paths = try texts.map { try FieldPath(dotted: $0) }
    #expect(paths.reversed().sorted() == paths)
  }

  @Test func namesThatSwiftTakesForEqualAreTwoPaths() throws {
    let pair = Set([FieldPath(name: "\u{E9}"), FieldPath(name: "e\u{301}")])
    #expect(pair.count == 2)
  }
}

@Suite struct AutoIDTests {
  @Test func twentyCharactersEvenlyOver62() {
    var generator = RandomValues.Generator(seed: 1)
    var counts: [Character: Int] = [:]
    let ids = (0..<6200).map { _ in AutoID.make(using: &generator) }
    for id in ids {
      #expect(id.utf8.count == 20)
      for character in id { counts[character, default: 0] += 1 }
    }
    #expect(Set(ids).count == ids.count)
    #expect(counts.keys.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) })
    #expect(counts.count == 62)
    // 2,000 expected of each, with a standard deviation of 44.
    #expect(counts.values.allSatisfy { $0 > 1770 && $0 < 2230 })
  }

  @Test func theGeneratorDecides() {
    var first = RandomValues.Generator(seed: 5)
    var second = RandomValues.Generator(seed: 5)
    #expect(AutoID.make(using: &first) == AutoID.make(using: &second))
    #expect(AutoID.make(using: &first) != AutoID.make(using: &second) + "x")
  }
}
