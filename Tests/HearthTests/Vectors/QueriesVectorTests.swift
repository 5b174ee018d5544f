import Foundation
import Hearth
import Testing

/// `queries.json` through the public API, on databases in memory.
struct QueriesVectorTests {
  @Test func queriesFindWhatTheVectorsSay() async throws {
    var tally = VectorTally()
    let file = try VectorFile("queries.json")
    let datasets = file.object["datasets"] as! [String: Any]
    var databases: [String: Firestore] = [:]
    for test in file.cases {
      let name = test["name"] as! String
      let firestore: Firestore
      if let dataset = test["dataset"] as? String {
        firestore = try databases[dataset] ?? Firestore.inMemory()
        if databases[dataset] == nil { try await fill(firestore, datasets[dataset] as! [String: Any]) }
        databases[dataset] = firestore
      } else {
        firestore = try Firestore.inMemory()
        try await fill(firestore, test["docs"] as! [String: Any])
      }
      do {
        let query = try await QueryBuilder(json: TypedJSON(firestore: firestore))
          .query(test["query"] as! [String: Any])
        let snapshot = try await query.getDocuments()
        #expect(test["expectError"] == nil, "\(name): should be refused")
        if let ids = test["expectIds"] as? [String] {
          #expect(snapshot.documents.map(\.documentID) == ids, "\(name)")
        }
        if let paths = test["expectPaths"] as? [String] {
          #expect(snapshot.documents.map(\.reference.path) == paths, "\(name)")
        }
        #expect(snapshot.count == snapshot.documents.count && snapshot.isEmpty == snapshot.documents.isEmpty)
      } catch is NotAList {
        tally.skip(name, "Swift's types refuse an operand that is no list")
        continue
      } catch {
        #expect(codeName(error) == test["expectError"] as? String, "\(name): \(error)")
      }
      tally.run()
    }
    tally.report("queries.json")
    #expect(tally.ran + tally.skipped.count == 222)
    for firestore in databases.values { try firestore.close() }
  }

  private func fill(_ firestore: Firestore, _ documents: [String: Any]) async throws {
    let json = TypedJSON(firestore: firestore)
    let batch = firestore.batch()
    for (path, fields) in documents { batch.setData(try json.fields(fields), forDocument: firestore.document(path)) }
    try await batch.commit()
  }
}
