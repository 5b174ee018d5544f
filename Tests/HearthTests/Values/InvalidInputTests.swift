import Foundation
import Hearth
import Testing

/// Bad input is `invalidArgument` through the throw and through the handler, and changes nothing.
struct InvalidInputTests {
  private let firestore: Firestore

  init() throws {
    firestore = try Firestore.inMemory(settings: .onQueue("invalid"))
  }

  private func expectRefused(
    _ data: [String: Any], _ fragment: String = "", sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let document = firestore.document("c/d")
    try await document.setData(["before": 1])
    let thrown = await #expect(throws: FirestoreErrorCode.self, sourceLocation: sourceLocation) {
      try await document.setData(data)
    }
    let handed = await withCheckedContinuation { done in
      document.setData(data) { error in done.resume(returning: error.map { UncheckedBox(value: $0) }) }
    }
    for error in [thrown, handed?.value as? FirestoreErrorCode] {
      #expect(error?.code == .invalidArgument, sourceLocation: sourceLocation)
      #expect(
        fragment.isEmpty || error?.localizedDescription.contains(fragment) == true, "\(String(describing: error))",
        sourceLocation: sourceLocation)
    }
    let snapshot = try await document.getDocument()
    #expect(Rendering.text(snapshot.data()) == #"{"before": int 1}"#, sourceLocation: sourceLocation)
  }

  @Test func valuesThatNoDocumentHoldsNameTheirField() async throws {
    try await expectRefused(["a": ["f": { 1 }]], "a.f")
    try await expectRefused(["a": [1, SpellingOfNothing()] as [Any]], "a.[1]")
    try await expectRefused(["url": URL(fileURLWithPath: "/")], "URL")
    try await expectRefused(["n": UInt64.max], "n")
    try await expectRefused(["n": NSNumber(value: UInt64.max)], "n")
    try await expectRefused(["a": [[1]]])
    try await expectRefused(["m": [1: "x"]], "not a String")
    try await expectRefused(["set": Set([1])], "Set")
    try await expectRefused(["": 1])
    try await expectRefused(["__reserved__": 1], "__reserved__")
    try await expectRefused(["g": GeoPoint(latitude: 91, longitude: 0)])
    try await expectRefused(["t": Timestamp(seconds: .max, nanoseconds: .max)])
    try await expectRefused(["t": Timestamp(seconds: 0, nanoseconds: -1)])
    try await expectRefused(["d": FieldValue.delete()])
    try await expectRefused(["a": [FieldValue.increment(1)]])
    try await expectRefused(["a": FieldValue.arrayUnion([{ 1 }])])
    try await expectRefused(["r": firestore.document("")])
  }

  @Test func aDocumentOverOneMebibyteIsRefused() async throws {
    try await expectRefused(["s": String(repeating: "x", count: 1 << 20)], "1048576")
  }

  @Test func dataNestedWithoutEndIsRefusedAndDoesNotCrash() async throws {
    var nested: Any = 1
    for _ in 0..<100_000 { nested = ["m": nested] }
    try await expectRefused(["a": nested], "nested")
    // Taken apart step by step, because releasing it at once would need as much stack as reading it.
    while let map = nested as? [String: Any] { nested = map["m"]! }
  }

  @Test func aReferenceOfAnotherDatabaseIsRefused() async throws {
    let other = try Firestore.inMemory()
    try await expectRefused(["r": other.document("a/b")], "another database")
    let batch = firestore.batch().setData([:], forDocument: other.document("a/b"))
    let error = await #expect(throws: FirestoreErrorCode.self) { try await batch.commit() }
    #expect(error?.code == .invalidArgument)
    await #expect(throws: FirestoreErrorCode.self) {
      try await firestore.collection("c").whereField("r", isEqualTo: other.document("a/b")).getDocuments()
    }
  }

  /// A reference from a bad path can be made, and everything done with it fails.
  @Test func operationsOnABadReferenceFailAndDoNotCrash() async throws {
    let bad: [DocumentReference] = [
      firestore.document(""), firestore.document("a"), firestore.document("a/b/c"), firestore.document("a//b"),
      firestore.collection("users").document(""), firestore.collection("a/b").document("c"),
      firestore.document("").collection("x").document("y"), firestore.document("a/__x__"), firestore.document("a/.."),
      firestore.document("a/" + String(repeating: "x", count: 1501)),
      firestore.collection("users").document("").parent.document("x").parent.document(""),
    ]
    for document in bad {
      for operation in [
        { try await document.setData([:]) }, { try await document.setData([:], merge: true) },
        { try await document.setData([:], mergeFields: []) }, { try await document.updateData([:]) },
        { try await document.delete() }, { _ = try await document.getDocument() },
        { _ = try await document.collection("x").getDocuments() },
        { _ = try await document.collection("x").addDocument(data: [:]) },
        { try await self.firestore.batch().deleteDocument(document).commit() },
      ] as [() async throws -> Void] {
        let error = await #expect(throws: FirestoreErrorCode.self, "\(document.path)") { try await operation() }
        #expect(error?.code == .invalidArgument)
      }
      let handed = await withCheckedContinuation { done in
        document.getDocument { snapshot, error in
          done.resume(returning: snapshot == nil ? error.map { UncheckedBox(value: $0) } : nil)
        }
      }
      #expect((handed?.value as? FirestoreErrorCode)?.code == .invalidArgument)
    }
    #expect(try await firestore.collection("users").getDocuments().isEmpty)
  }

  @Test func badQueriesFailWithTheirFirstError() async throws {
    let cities = firestore.collection("cities")
    for query in [
      cities.limit(to: 0), cities.limit(toLast: 2), cities.whereField("a..b", isEqualTo: 1),
      cities.whereField("a", in: []), cities.whereField("a", isEqualTo: FieldValue.delete()),
      cities.whereField("a", isEqualTo: { 1 }), cities.order(by: FieldPath([])), cities.start(at: [1]),
      firestore.collection("a/b").limit(to: 1), firestore.collectionGroup("a/b"),
      cities.limit(to: -1).order(by: ""),
    ] {
      let error = await #expect(throws: FirestoreErrorCode.self) { try await query.getDocuments() }
      #expect(error?.code == .invalidArgument)
    }
    let error = await #expect(throws: FirestoreErrorCode.self) {
      try await cities.limit(to: -7).order(by: "").getDocuments()
    }
    #expect(error?.localizedDescription.contains("-7") == true)
  }
}

private struct SpellingOfNothing {}

struct UncheckedBox<Value>: @unchecked Sendable {
  let value: Value
}

extension FirestoreSettings {
  /// Handlers on a queue of the test's own.
  static func onQueue(_ label: String) -> FirestoreSettings {
    let settings = FirestoreSettings()
    settings.dispatchQueue = DispatchQueue(label: label)
    return settings
  }
}
