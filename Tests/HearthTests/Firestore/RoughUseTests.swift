import Foundation
import Hearth
import Testing

/// What users of comparable databases reported (Tests/README.md, "Bug log"), done to a database through its public API.
struct RoughUseTests {
  private static func folder() throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("hearth-rough-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }

  /// Ids of every length and script, one commit each.
  @Test func documentsOfAnyIdAreThereAfterReopening() async throws {
    let parent = try Self.folder()
    defer { try? FileManager.default.removeItem(at: parent) }
    let scalars = ["\0", "\u{1}", " ", ".", "a", "\u{7F}", "é", "e\u{301}", "\u{FF04}", "中", "😀", "\u{10FFFF}"]
    var ids: [String] = []
    for number in 0..<200 {
      let unit = scalars[number % scalars.count]
      let head = "\(number)-"
      let lengthMax = 1500 - head.utf8.count
      ids.append(head + String(repeating: unit, count: min(number * number, lengthMax / unit.utf8.count)))
    }
    let url = parent.appendingPathComponent("db")
    let db = try Firestore.open(at: url)
    for (number, id) in ids.enumerated() { try await db.collection("c").document(id).setData(["n": number, "id": id]) }
    try await db.terminate()
    let again = try Firestore.open(at: url)
    let found = try await again.collection("c").getDocuments().documents
    #expect(found.count == ids.count)
    for (number, id) in ids.enumerated() {
      let document = try await again.collection("c").document(id).getDocument()
      #expect(document.get("n") as? Int == number)
      #expect((document.get("id") as? String).map { Array($0.utf8) } == Array(id.utf8))
      #expect(Array(document.documentID.utf8) == Array(id.utf8))
    }
    try await again.terminate()
  }

  @Test func sixteenTasksIncrementWithoutLoss() async throws {
    let db = try Firestore.inMemory()
    let counter = db.document("c/counter")
    try await counter.setData(["n": 0])
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<16 {
        group.addTask {
          for _ in 0..<60 { try? await counter.updateData(["n": FieldValue.increment(1)]) }
        }
      }
    }
    #expect(try await counter.getDocument().get("n") as? Int == 960)
  }

  /// Eight tasks, a collection each, setting and deleting; what is left is counted now and after reopening.
  @Test func tasksOnCollectionsOfTheirOwnDoNotMeet() async throws {
    let parent = try Self.folder()
    defer { try? FileManager.default.removeItem(at: parent) }
    let settings = FirestoreSettings()
    settings.durability = .buffered
    let url = parent.appendingPathComponent("db")
    let db = try Firestore.open(at: url, settings: settings)
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask {
          let collection = db.collection("c\(task)")
          for step in 0..<120 {
            try? await collection.document("\(step)").setData(["n": step])
            if step % 3 == 2 { try? await collection.document("\(step - 1)").delete() }
          }
        }
      }
    }
    func expectCounts(_ db: Firestore) async throws {
      for task in 0..<8 {
        let found = try await db.collection("c\(task)").order(by: "n").getDocuments().documents
        #expect(found.map { $0.get("n") as? Int } == (0..<120).filter { $0 % 3 != 1 })
      }
    }
    try await expectCounts(db)
    try await db.terminate()
    let again = try Firestore.open(at: url)
    try await expectCounts(again)
    try await again.terminate()
  }

  /// No number of writes is too many, and transforms do not count twice.
  @Test func aBatchOfThousandsIsOneCommit() async throws {
    let db = try Firestore.inMemory()
    let batch = db.batch()
    for n in 0..<4000 {
      batch.setData(
        ["n": n, "at": FieldValue.serverTimestamp(), "k": FieldValue.increment(1)], forDocument: db.document("c/\(n)"))
    }
    try await batch.commit()
    let found = try await db.collection("c").getDocuments().documents
    #expect(found.count == 4000)
    #expect(Set(found.compactMap { $0.get("at") as? Timestamp }).count == 1)
    let removal = db.batch()
    for n in 0..<4000 { removal.deleteDocument(db.document("c/\(n)")) }
    removal.updateData(["x": 1], forDocument: db.document("c/absent"))
    await #expect(throws: FirestoreErrorCode.self) { try await removal.commit() }
    #expect(try await db.collection("c").getDocuments().count == 4000)
  }

  /// The folder goes while the database is open: errors of a kind, or writes into files that still are; no trap, and
  /// the place can be used again.
  @Test(.timeLimit(.minutes(2))) func aFolderDeletedBehindTheDatabaseEndsNothing() async throws {
    let parent = try Self.folder()
    defer { try? FileManager.default.removeItem(at: parent) }
    let url = parent.appendingPathComponent("db")
    let db = try Firestore.open(at: url)
    try await db.document("c/d").setData(["n": 1])
    try FileManager.default.removeItem(at: url)
    var failures = 0
    // Past the end of the first log file, so that a new one is needed.
    for n in 0..<60 {
      do {
        try await db.document("c/\(n)").setData(["s": String(repeating: "s", count: 4000)])
      } catch let error as FirestoreErrorCode {
        failures += 1
        #expect(!error.localizedDescription.isEmpty)
      }
    }
    #expect(failures > 0)
    #expect(try await db.document("c/d").getDocument().get("n") as? Int == 1)
    do { try await db.terminate() } catch is FirestoreErrorCode {}
    let fresh = try Firestore.open(at: url)
    #expect(try await !fresh.document("c/d").getDocument().exists)
    try await fresh.document("c/d").setData(["n": 2])
    try await fresh.terminate()
  }

  /// Each open says what is wrong, changes nothing, and the process goes on.
  @Test func aDamagedDatabaseIsDataLossEachTime() async throws {
    let parent = try Self.folder()
    defer { try? FileManager.default.removeItem(at: parent) }
    let url = parent.appendingPathComponent("db")
    let db = try Firestore.open(at: url)
    try await db.document("c/d").setData(["n": 1])
    try await db.terminate()
    let segments = url.appendingPathComponent("segments")
    let name = try #require(try FileManager.default.contentsOfDirectory(atPath: segments.path).first)
    let file = segments.appendingPathComponent(name)
    let whole = try Data(contentsOf: file)
    try (whole.prefix(100) + Data(count: whole.count - 100)).write(to: file)
    let damaged = try Data(contentsOf: file)
    for _ in 0..<3 {
      let error = #expect(throws: FirestoreErrorCode.self) { try Firestore.open(at: url) }
      #expect(error?.code == .dataLoss)
      #expect(error?.localizedDescription.contains(name) == true)
    }
    #expect(try Data(contentsOf: file) == damaged)
    // Put back from a copy, it opens in the same process.
    try whole.write(to: file)
    let again = try Firestore.open(at: url)
    #expect(try await again.document("c/d").getDocument().get("n") as? Int == 1)
    try await again.terminate()
  }

  /// Code that closes a database, or reads and writes, from inside of a handler.
  @Test(.timeLimit(.minutes(1))) func aHandlerMayCloseTheDatabase() async throws {
    let db = try Firestore.inMemory(settings: .onQueue("closing handler"))
    let closed: Bool = await withCheckedContinuation { done in
      db.document("c/d").setData(["n": 1]) { _ in
        db.document("c/e").setData(["n": 2])
        let result = Result { try db.close() }
        db.document("c/d").getDocument { snapshot, error in
          let code = (error as? FirestoreErrorCode)?.code
          done.resume(returning: snapshot == nil && code == .failedPrecondition && (try? result.get()) != nil)
        }
      }
    }
    #expect(closed)
  }
}
