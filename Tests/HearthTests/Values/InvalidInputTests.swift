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
    try await expectRefused(["a": [1, SpellingOfNothing()] as [Any]], "a[1]")
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

  @Test func datesThatNoTimestampHoldsAreRefused() async throws {
    for seconds in [Double.nan, .infinity, -.infinity, 1e300, -1e300, 9.3e18, 253_402_300_800, -62_135_596_801] {
      try await expectRefused(["t": Date(timeIntervalSince1970: seconds)], "t")
      try await expectRefused(["t": NSDate(timeIntervalSince1970: seconds)], "t")
    }
  }

  @Test func updatesNameTheFieldThatIsWrong() async throws {
    let document = firestore.document("c/d")
    try await document.setData(["before": 1])
    let inputs: [([AnyHashable: Any], String)] = [
      ([1: "x"], "String or a FieldPath"), (["": 1], "empty"), (["a..b": 1], "a..b"),
      ([FieldPath([]): 1], "at least one"),
      ([FieldPath(["a", ""]): 1], "empty"), ([FieldPath.documentID(): 1], "__name__"), (["a": 1, "a.b": 2], "overlap"),
      (["a": 1, FieldPath(["a"]): 2], "twice"), (["x.y": { 1 }], "x.y"), (["x.y": ["z": { 1 }]], "x.y.z"),
      (["x": ["y": FieldValue.delete()]], "x.y"), (["x": [FieldValue.delete()]], "x"),
    ]
    for (fields, fragment) in inputs {
      let error = await #expect(throws: FirestoreErrorCode.self) { try await document.updateData(fields) }
      #expect(error?.code == .invalidArgument)
      #expect(error?.localizedDescription.contains(fragment) == true, "\(fields): \(String(describing: error))")
    }
    #expect(Rendering.text(try await document.getDocument().data()) == #"{"before": int 1}"#)
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

/// What is odd or large, and allowed.
struct ExtremeInputTests {
  private let document: DocumentReference

  init() throws {
    document = try Firestore.inMemory().document("c/d")
  }

  @Test func aLimitOfAnySizeReservesNothing() async throws {
    try await document.setData(["n": 1])
    let collection = document.parent
    #expect(try await collection.limit(to: .max).getDocuments().count == 1)
    #expect(try await collection.order(by: "n").limit(to: .max).getDocuments().count == 1)
    #expect(try await collection.order(by: "n").limit(toLast: .max).getDocuments().count == 1)
  }

  /// The published size counts a null as one byte, so this is over 1 MiB as stored.
  @Test func aDocumentOfManySmallValuesFits() async throws {
    try await document.setData(["a": [Any](repeating: NSNull(), count: 250_000)])
    #expect((try await document.getDocument().get("a") as? [Any])?.count == 250_000)
  }

  @Test func theLongestPathsFit() async throws {
    // Bytes that take two each in a key.
    let id = String(repeating: "\0", count: 1500)
    let deep = document.collection(id).document(id).collection(id).document(String(repeating: "\u{1}", count: 1500))
    try await deep.setData(["n": 1])
    #expect(try await deep.getDocument().get("n") as? Int == 1)
    #expect(try await deep.parent.getDocuments().documents[0].reference == deep)
  }

  @Test func valuesFromElsewhereKeepTheirType() async throws {
    let json = #"{"yes": true, "no": false, "one": 1, "half": 0.5, "zero": 0, "big": 9223372036854775807, "nil": null}"#
    let parsed = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
    let hashables: [String: AnyHashable] = ["s": "x", "n": 1, "b": true, "l": [1] as [Int]]
    try await document.setData(["json": parsed, "hashable": hashables, "one": AnyHashable(1.5)])
    #expect(
      Rendering.text(try await document.getDocument().get("json"))
        == #"{"big": int 9223372036854775807, "half": \#(Rendering.text(0.5)), "nil": null, "no": bool false, "#
        + #""one": int 1, "yes": bool true, "zero": int 0}"#)
    #expect(
      Rendering.text(try await document.getDocument().get("hashable"))
        == #"{"b": bool true, "l": [int 1], "n": int 1, "s": \#(Rendering.text("x"))}"#)
    #expect(try await document.getDocument().get("one") as? Double == 1.5)
    try await document.updateData([NSString("json"): 1, "hashable": FieldValue.delete(), "one": FieldValue.delete()])
    #expect(Rendering.text(try await document.getDocument().data()) == #"{"json": int 1}"#)
  }

  @Test func numbersThatADecimalCannotHoldDoNotCrash() async throws {
    struct Price: Decodable { var value: Decimal }
    for value in [Double.infinity, -.infinity] {
      try await document.setData(["value": value])
      await #expect(throws: DecodingError.self) { try await document.getDocument(as: Price.self) }
    }
    for value in [Double.nan, 1e300, -1e300, 1e-300, .leastNonzeroMagnitude, .greatestFiniteMagnitude, -0.0] {
      try await document.setData(["value": value])
      // Whatever it gives, the process lives.
      _ = try? await document.getDocument(as: Price.self)
    }
    try await document.setData(["value": Decimal.nan])
    #expect((try await document.getDocument().get("value") as? Double)?.isNaN == true)
  }

  @Test func badCollectionsThatAreEqualHashAlike() {
    let firestore = document.firestore
    let (first, second) = (firestore.collection("a/b"), firestore.document("a").collection("b"))
    #expect(first == second && first.hash == second.hash)
    #expect(firestore.collection("a").hash == document.firestore.collection("a").hash)
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
