import Foundation
import Hearth
import Testing

/// Writes through the public API, beyond what the vectors say.
struct WriteTests {
  private let firestore: Firestore

  init() throws {
    firestore = try Firestore.inMemory(settings: .onQueue("writes"))
  }

  @Test func readsSeeWritesThatNobodyWaitedFor() async throws {
    for round in 0..<50 {
      let document = firestore.document("c/\(round)")
      sync {
        document.setData(["n": round])
        document.updateData(["n": FieldValue.increment(1)])
      }
      try document.setData(from: ["m": round], merge: true)
      let snapshot = try await document.getDocument()
      #expect(snapshot.get("n") as? Int == round + 1 && snapshot.get("m") as? Int == round)
      sync { document.delete() }
      #expect(try await !document.getDocument().exists)
    }
    let batch = firestore.batch()
    for n in 0..<20 { batch.setData(["n": n], forDocument: firestore.document("b/\(n)")) }
    sync { batch.commit() }
    #expect(try await firestore.collection("b").getDocuments().count == 20)
    let firestore = firestore
    let added = { firestore.collection("a").addDocument(data: ["x": 1]) }()
    #expect(try await added.getDocument().get("x") as? Int == 1)
  }

  @Test func automaticIdsAreTwentyLettersAndDigits() {
    let ids = (0..<100).map { _ in firestore.collection("c").document().documentID }
    #expect(Set(ids).count == 100)
    #expect(ids.allSatisfy { $0.count == 20 && $0.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) } })
  }

  @Test func aBatchIsAllOrNothing() async throws {
    let (first, last) = (firestore.document("c/first"), firestore.document("c/last"))
    let failing = firestore.batch()
      .setData(["n": 1], forDocument: first)
      .updateData(["n": 1], forDocument: firestore.document("c/absent"))
      .setData(["n": 1], forDocument: last)
    let error = await #expect(throws: FirestoreErrorCode.self) { try await failing.commit() }
    #expect(error?.code == .notFound)
    #expect(try await firestore.collection("c").getDocuments().isEmpty)

    let bad = firestore.batch()
      .setData(["n": 1], forDocument: first)
      .setData(["f": { 1 }], forDocument: last)
    let refused = await #expect(throws: FirestoreErrorCode.self) { try await bad.commit() }
    #expect(refused?.code == .invalidArgument)
    #expect(try await firestore.collection("c").getDocuments().isEmpty)
  }

  @Test func readersNeverSeeHalfABatch() async throws {
    let paths = ["c/a", "c/b", "d/e/f/g"]
    let firestore = firestore
    let batch = firestore.batch()
    for path in paths { batch.setData(["n": 0], forDocument: firestore.document(path)) }
    try await batch.commit()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<100 {
            let batch = firestore.batch()
            for path in paths {
              batch.updateData(["n": FieldValue.increment(1)], forDocument: firestore.document(path))
            }
            try await batch.commit()
          }
        }
      }
      group.addTask {
        for _ in 0..<200 {
          let numbers = try await firestore.collection("c").getDocuments().documents.map { $0.get("n") as! Int }
          #expect(Set(numbers).count == 1)
        }
      }
      try await group.waitForAll()
    }
    for path in paths {
      let number = try await firestore.document(path).getDocument().get("n") as? Int
      #expect(number == 400)
    }
  }

  @Test func aBatchIsSpentAfterItsCommit() async throws {
    let document = firestore.document("c/d")
    let batch = firestore.batch().setData(["n": 1], forDocument: document)
    try await batch.commit()
    batch.setData(["n": 2], forDocument: document)
    let error = await #expect(throws: FirestoreErrorCode.self) { try await batch.commit() }
    #expect(error?.code == .failedPrecondition)
    #expect(try await document.getDocument().get("n") as? Int == 1)
    try await firestore.batch().commit()
  }

  @Test func everyFormOfAWriteReports() async throws {
    let absent = firestore.document("c/absent")
    let codes = await withCheckedContinuation { (done: CheckedContinuation<[Int], Never>) in
      absent.updateData(["a": 1]) { first in
        self.firestore.batch().updateData([:], forDocument: absent).commit { second in
          try! absent.setData(from: ["__x__": 1]) { third in
            self.firestore.collection("c/d").addDocument(data: [:]) { fourth in
              done.resume(returning: [first, second, third, fourth].map { ($0 as NSError?)?.code ?? 0 })
            }
          }
        }
      }
    }
    #expect(codes == [5, 5, 3, 3])
  }

  @Test func deletingADocumentKeepsWhatIsBelowIt() async throws {
    try await firestore.document("a/b/c/d").setData(["n": 1])
    try await firestore.document("a/b").setData([:])
    try await firestore.document("a/b").delete()
    #expect(try await firestore.document("a/b/c/d").getDocument().exists)
    #expect(try await firestore.collection("a").getDocuments().isEmpty)
    #expect(try await firestore.collection("a/b/c").getDocuments().count == 1)
  }

  @Test func snapshotsKeepWhatTheyShowed() async throws {
    let document = firestore.document("c/d")
    try await document.setData(["n": 1])
    let before = try await document.getDocument()
    let query = try await firestore.collection("c").getDocuments()
    try await document.setData(["n": 2])
    #expect(before.get("n") as? Int == 1 && query.documents[0].get("n") as? Int == 1)
    let after = try await document.getDocument()
    let found = try await firestore.collection("c").getDocuments().documents[0]
    #expect(before != after && after == found)
  }
}
