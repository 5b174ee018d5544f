import Foundation
import Hearth
import Testing

/// `limits.json` through the public API, on a database in memory.
struct LimitsVectorTests {
  @Test func limitsAreWhereTheVectorsSay() async throws {
    var tally = VectorTally()
    for test in try VectorFile("limits.json").cases {
      let name = test["name"] as! String
      let firestore = try Firestore.inMemory()
      let json = TypedJSON(firestore: firestore)
      switch test["kind"] as! String {
      case "write":
        let reference = firestore.document(test["path"] as! String)
        let data = try json.fields(test["data"])
        do {
          try await reference.setData(data)
          #expect(test["expect"] as? String == "ok", "\(name)")
          #expect(Rendering.text(try await reference.getDocument().data()) == Rendering.text(data), "\(name)")
        } catch {
          #expect(codeName(error) == test["expectError"] as? String, "\(name): \(error)")
          #expect(try await !reference.getDocument().exists, "\(name)")
        }
        tally.run()
      case "longValueQuery":
        for (path, fields) in test["docs"] as! [String: Any] {
          try await firestore.document(path).setData(json.fields(fields))
        }
        let query = try await QueryBuilder(json: json).query(test["query"] as! [String: Any])
        let ids = try await query.getDocuments().documents.map(\.documentID)
        #expect(ids == test["expectIds"] as? [String], "\(name)")
        tally.run()
      default:
        tally.skip(name, "sizes cannot be asked for through the API; HearthModelTests run it")
      }
      try firestore.close()
    }
    tally.report("limits.json")
    #expect(tally.ran == 6 && tally.skipped.count == 7)
  }
}
