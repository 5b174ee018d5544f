import Foundation
import Hearth
import Testing

/// `paths.json` through the public API, on a database in memory.
struct PathsVectorTests {
  @Test func pathsAreTakenAndRefusedAsTheVectorsSay() async throws {
    var tally = VectorTally()
    let firestore = try Firestore.inMemory()
    let json = TypedJSON(firestore: firestore)
    for test in try VectorFile("paths.json").cases {
      let name = test["name"] as! String
      let input = try json.generated(test["input"] ?? "")
      let expected = test["expect"] as? [String: Any]
      do {
        switch test["kind"] as! String {
        case "collectionPath":
          let base = test["base"] as? String
          let collection =
            base.map { firestore.document($0).collection(input as! String) } ?? firestore.collection(input as! String)
          _ = try await collection.getDocuments()
          expect(collection.path, "path", expected, name)
          expect(collection.collectionID, "id", expected, name)
          expect(collection.parent?.path, "parent", expected, name)
        case "documentPath":
          let base = test["base"] as? String
          let document =
            base.map { firestore.collection($0).document(input as! String) } ?? firestore.document(input as! String)
          _ = try await document.getDocument()
          expect(document.path, "path", expected, name)
          expect(document.documentID, "id", expected, name)
          expect(document.parent.path, "parent", expected, name)
        case "fieldPathString":
          try await store(at: input as! String, expected, firestore, name)
        case "fieldPathSegments":
          let path = FieldPath(try (input as! [Any]).map(json.generated) as! [String])
          try await store(at: path, expected, firestore, name)
          expect(path.description, "canonical", expected, name)
        case "fieldName":
          let field = input as! String
          try await firestore.document("c/d").setData([field: 1])
          #expect(try await firestore.document("c/d").getDocument().data()?.keys.map { $0 } == [field], "\(name)")
        case "updatePath":
          try await store(at: input as! String, expected, firestore, name)
        default:
          tally.skip(name, "the quoted form is not part of the API; HearthModelTests run it")
          continue
        }
        #expect(expected != nil, "\(name): should be refused")
      } catch {
        #expect(codeName(error) == test["expectError"] as? String, "\(name): \(error)")
      }
      tally.run()
    }
    tally.report("paths.json")
    #expect(tally.ran == 72 && tally.skipped.count == 13)
    try firestore.close()
  }

  private func expect(_ found: String?, _ key: String, _ expected: [String: Any]?, _ name: String) {
    guard let expected, let value = expected[key] else { return }
    #expect(found.map { Array($0.utf8) } == (value as? String).map { Array($0.utf8) }, "\(name): \(key)")
  }

  /// Updates through the path, and looks where the value went and whether the same path finds it.
  private func store(
    at path: AnyHashable, _ expected: [String: Any]?, _ firestore: Firestore, _ name: String
  ) async throws {
    let document = firestore.document("c/d")
    try await document.setData([:])
    try await document.updateData([path: 1])
    let snapshot = try await document.getDocument()
    #expect(snapshot.get(path.base) as? Int == 1, "\(name)")
    guard let segments = expected?["segments"] as? [String] else { return }
    let nested = segments.reversed().reduce(1 as Any) { inner, name in [name: inner] }
    #expect(Rendering.text(snapshot.data()) == Rendering.text(nested), "\(name)")
  }
}
