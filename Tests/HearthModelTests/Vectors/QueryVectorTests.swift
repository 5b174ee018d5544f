import HearthModel
import HearthTestSupport
import Testing

/// `queries.json` and the query of `limits.json`, by ``QueryMatcher`` over a list of documents: no storage, no planner.
@Suite struct QueryVectorTests {
  private static func documents(_ json: JSON?) throws -> [Document] {
    try (json?.object ?? []).map { path, data in
      let fields = try #require(try Vectors.fields(data).plain)
      guard case .map(let map) = fields else { throw ModelError.invalidArgument("no fields") }
      return Document(
        key: try DocumentKey(path), fields: try ValueRules.storable(map), createTime: 1, updateTime: 1, version: 1)
    }
  }

  private static func run(_ query: QueryDescription, _ documents: [Document], encoded: Bool) throws -> [DocumentKey] {
    let matcher = try QueryMatcher(query)
    var found: [QueryMatcher.Position] = []
    for document in documents {
      var position: QueryMatcher.Position?
      if encoded {
        position = try DocumentCodec.encode(document).withUnsafeBytes { bytes in
          try matcher.position(of: EncodedFields(key: document.key, document: EncodedDocument(bytes)))
        }
      } else {
        position = try matcher.position(of: document)
      }
      if let position { found.append(position) }
    }
    found.sort { matcher.compare($0, $1) == .less }
    if let limit = query.limit { found = Array(limit.isLast ? found.suffix(limit.count) : found.prefix(limit.count)) }
    return found.map(\.key)
  }

  private static func check(_ test: JSON, _ documents: [Document]) throws {
    let name = Vectors.name(test)
    func query() throws -> QueryDescription {
      try Vectors.query(#require(test["query"])) { key in documents.first { $0.key == key } }
    }
    if test["expectError"] != nil {
      #expect(throws: ModelError.self, "\(name)") { try run(query(), documents, encoded: false) }
      return
    }
    let query = try query()
    for encoded in [false, true] {
      for documents in [documents, documents.reversed()] {
        let keys = try run(query, documents, encoded: encoded)
        if let ids = test["expectIds"]?.array {
          #expect(keys.map { Array($0.documentID.utf8) } == ids.map { Array(($0.string ?? "").utf8) }, "\(name)")
        } else {
          let paths = try #require(test["expectPaths"]?.array, "\(name)")
          #expect(keys.map { Array($0.path.utf8) } == paths.map { Array(($0.string ?? "").utf8) }, "\(name)")
        }
      }
    }
  }

  @Test func queries() throws {
    let file = try Vectors.load("queries.json")
    let cases = try #require(file["cases"]?.array)
    for test in cases {
      let data = test["docs"] ?? test["dataset"]?.string.flatMap { file["datasets"]?[$0] }
      do { try QueryVectorTests.check(test, QueryVectorTests.documents(data)) } catch {
        Issue.record(error, "\(Vectors.name(test))")
      }
    }
    print("queries.json: \(cases.count) cases checked, 0 skipped")
    #expect(cases.count == 222)
  }

  @Test func limits() throws {
    let cases = try #require(try Vectors.load("limits.json")["cases"]?.array).filter {
      $0["kind"]?.string == "longValueQuery"
    }
    for test in cases { try QueryVectorTests.check(test, QueryVectorTests.documents(test["docs"])) }
    print("limits.json: \(cases.count) query checked")
    #expect(cases.count == 1)
  }
}
