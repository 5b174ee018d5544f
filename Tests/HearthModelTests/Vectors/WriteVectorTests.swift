import HearthModel
import HearthTestSupport
import Testing

/// `writes.json` and the sizes and writes of `limits.json`, through ``Mutation`` alone: no storage, no API.
@Suite struct WriteVectorTests {
  /// A database of fields, in memory.
  private struct Model {
    var documents: [DocumentKey: MapValue] = [:]
    var time: Int64 = 1_000_000

    mutating func commit(_ mutations: [Mutation]) throws {
      var changes: [DocumentKey: DocumentChange] = [:]
      for mutation in mutations {
        var change = try changes[mutation.key] ?? DocumentChange(key: mutation.key, before: documents[mutation.key])
        try change.apply(mutation)
        changes[mutation.key] = change
      }
      for change in changes.values { _ = try change.outcome() }
      time += 1
      for change in changes.values { documents[change.key] = try change.fields()?.stamped(at: time) }
    }
  }

  private static func code(_ error: any Error) -> String {
    switch error {
    case ModelError.invalidArgument: "invalidArgument"
    case ModelError.notFound: "notFound"
    default: "\(error)"
    }
  }

  @Test func writes() throws {
    let cases = try #require(try Vectors.load("writes.json")["cases"]?.array)
    for test in cases {
      let name = Vectors.name(test)
      var model = Model()
      for (path, data) in test["docs"]?.object ?? [] {
        model.documents[try DocumentKey(path)] = try ValueRules.storable(TypedJSON.fields(data))
      }
      let expectedError = test["expectError"]
      for (index, operation) in (test["ops"]?.array ?? []).enumerated() {
        let before = model
        do {
          try model.commit(Vectors.mutations(operation))
          if let expectedError { #expect(expectedError["op"]?.integer != Int64(index), "\(name): no error") }
        } catch {
          model = before
          #expect(expectedError?["op"]?.integer == Int64(index), "\(name): \(error)")
          #expect(expectedError?["code"]?.string == WriteVectorTests.code(error), "\(name): \(error)")
          break
        }
      }
      for (path, data) in test["expectDocs"]?.object ?? [] {
        let stored = model.documents[try DocumentKey(path)]
        if case .null = data.content {
          #expect(stored == nil, "\(name): \(path)")
          continue
        }
        let expected = try Vectors.expectedFields(data).stamped(at: model.time)
        var tolerance: Double?
        if case .number(let text)? = test["tolerance"]?.content { tolerance = Double(text) }
        let actual = try #require(stored, "\(name): \(path) is missing")
        #expect(
          Vectors.agree(.map(actual), .map(expected), tolerance: tolerance),
          "\(name): \(TypedJSON.json(actual).text) is not \(TypedJSON.json(expected).text)")
      }
    }
    print("writes.json: \(cases.count) cases checked, 0 skipped")
    #expect(cases.count == 119)
  }

  @Test func limits() throws {
    let cases = try #require(try Vectors.load("limits.json")["cases"]?.array)
    var checked = 0
    for test in cases {
      let name = Vectors.name(test)
      let kind = test["kind"]?.string
      if kind == "longValueQuery" {
        print("limits.json: skipped \"\(name)\": a query, which QueryVectorTests runs")
        continue
      }
      checked += 1
      let key = try DocumentKey(test["path"]?.string ?? "")
      let expected = test["expectBytes"]?.integer.map(Int.init)
      switch kind {
      case "nameSize": #expect(DocumentSize.size(of: key) == expected, "\(name)")
      case "documentSize":
        #expect(DocumentSize.size(of: key, try TypedJSON.fields(#require(test["data"]))) == expected, "\(name)")
      default:
        var model = Model()
        let data = try Vectors.fields(#require(test["data"]))
        if test["expectError"] == nil {
          try model.commit([.set(key, data)])
        } else {
          #expect(throws: ModelError.self, "\(name)") { try model.commit([.set(key, data)]) }
        }
      }
    }
    print("limits.json: \(checked) cases checked, \(cases.count - checked) skipped")
    #expect(cases.count == 13)
  }
}
