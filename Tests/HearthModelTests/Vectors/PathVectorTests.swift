import HearthModel
import HearthTestSupport
import Testing

/// `paths.json`.
@Suite struct PathVectorTests {
  /// What a case can show once its input is accepted.
  private struct Outcome {
    var path: String?
    var id: String?
    var parent: String?
    var segments: [String]?
    var canonical: String?
  }

  private static func run(_ kind: String, _ test: JSON) throws -> Outcome {
    let input = try #require(test["input"])
    let text = Vectors.text(input) ?? ""
    switch kind {
    case "collectionPath":
      let base = try test["base"]?.string.map { try DocumentKey($0) }
      let path = try base.map { try $0.collection(text) } ?? CollectionPath(text)
      return Outcome(path: path.path, id: path.collectionID, parent: path.parent?.path)
    case "documentPath":
      let base = try test["base"]?.string.map { try CollectionPath($0) }
      let key = try base.map { try $0.document(text) } ?? DocumentKey(text)
      return Outcome(path: key.path, id: key.documentID, parent: key.parent.path)
    case "fieldPathString":
      let path = try FieldPath(dotted: text)
      return Outcome(segments: path.segments, canonical: path.canonicalText)
    case "fieldPathSegments":
      let path = try FieldPath(segments: (input.array ?? []).map { $0.string ?? "" })
      return Outcome(segments: path.segments, canonical: path.canonicalText)
    case "canonicalFieldPath":
      let path = try FieldPath(canonicalText: text)
      return Outcome(segments: path.segments, canonical: path.canonicalText)
    case "fieldName":
      let mutation = try Mutation.set(DocumentKey("c/d"), .map([(text, .value(.integer(1)))]))
      return Outcome(segments: try mutation.apply(to: nil)?.entries.map(\.name))
    case "updatePath":
      let path = try FieldPath(dotted: text)
      _ = try Mutation.update(DocumentKey("c/d"), [(path, .value(.integer(1)))])
      return Outcome(segments: path.segments)
    default: throw Unreachable()
    }
  }

  private struct Unreachable: Error {}

  @Test func allCases() throws {
    let cases = try #require(try Vectors.load("paths.json")["cases"]?.array)
    var checked = 0
    for test in cases {
      let name = Vectors.name(test)
      let kind = test["kind"]?.string ?? ""
      checked += 1
      if test["expectError"] != nil {
        #expect(throws: ModelError.self, "\(name)") { try PathVectorTests.run(kind, test) }
        continue
      }
      let outcome = try PathVectorTests.run(kind, test)
      let expected = try #require(test["expect"])
      func same(_ left: String?, _ key: String) {
        guard let right = expected[key] else { return }
        #expect(left.map { Array($0.utf8) } == right.string.map { Array($0.utf8) }, "\(name): \(key)")
      }
      same(outcome.path, "path")
      same(outcome.id, "id")
      same(outcome.parent, "parent")
      same(outcome.canonical, "canonical")
      if let segments = expected["segments"]?.array {
        #expect(outcome.segments?.map { Array($0.utf8) } == segments.map { Array(($0.string ?? "").utf8) }, "\(name)")
      }
    }
    print("paths.json: \(checked) cases checked, \(cases.count - checked) skipped")
    #expect(cases.count == 85)
  }
}
