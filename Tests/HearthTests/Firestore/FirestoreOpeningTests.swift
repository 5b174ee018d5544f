import Foundation
import Hearth
import Testing

/// Opening, sharing and closing databases in folders and in memory.
struct FirestoreOpeningTests {
  /// A folder that is removed with the test.
  private final class Folder {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("hearth-\(UUID().uuidString)")
    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(at: url) }
    var database: URL { url.appendingPathComponent("db") }
    var contents: [String] { (try? FileManager.default.subpathsOfDirectory(atPath: url.path))?.sorted() ?? [] }
  }

  @Test func whatWasWrittenIsThereAfterReopening() async throws {
    let folder = try Folder()
    let first = try Firestore.open(at: folder.database)
    try await first.document("c/d").setData(["n": 1, "at": FieldValue.serverTimestamp()])
    let before = Rendering.text(try await first.document("c/d").getDocument().data())
    try first.close()
    let second = try Firestore.open(at: folder.database)
    #expect(Rendering.text(try await second.document("c/d").getDocument().data()) == before)
    try second.close()
  }

  @Test func twoOpensOfOneFolderGiveOneDatabase() async throws {
    let folder = try Folder()
    let first = try Firestore.open(at: folder.database)
    let link = folder.url.appendingPathComponent("link")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: folder.database)
    let second = try Firestore.open(at: link)
    let third = try Firestore.open(at: URL(fileURLWithPath: folder.database.path + "/../db/"))
    try await first.document("c/d").setData(["n": 1])
    #expect(try await second.document("c/d").getDocument().get("n") as? Int == 1)
    #expect(first.document("c/d") == third.document("c/d") && first.collection("c") == second.collection("c"))
    // A reference of one is a value and a target for the other.
    try await second.document("c/e").setData(["r": first.document("c/d")])
    try await third.batch().setData([:], forDocument: first.document("c/f")).commit()
    // Closing one leaves the others open; the last one frees the folder.
    try first.close()
    try second.close()
    #expect(try await third.collection("c").getDocuments().count == 3)
    try third.close()
    let again = try Firestore.open(at: folder.database)
    #expect(try await again.collection("c").getDocuments().count == 3)
    try again.close()
  }

  @Test func databasesInMemoryShareNothing() async throws {
    let (first, second) = (try Firestore.inMemory(), try Firestore.inMemory())
    try await first.document("c/d").setData([:])
    #expect(try await !second.document("c/d").getDocument().exists)
    #expect(first.document("c/d") != second.document("c/d"))
  }

  @Test func operationsOnAClosedDatabaseFail() async throws {
    let firestore = try Firestore.inMemory(settings: .onQueue("closed"))
    let batch = firestore.batch().setData([:], forDocument: firestore.document("c/d"))
    try firestore.close()
    try firestore.close()
    try await firestore.terminate()
    for operation in [
      { try await firestore.document("c/d").setData([:]) }, { _ = try await firestore.document("c/d").getDocument() },
      { _ = try await firestore.collection("c").getDocuments() }, { try await batch.commit() },
      { try await firestore.waitForPendingWrites() },
    ] as [() async throws -> Void] {
      let error = await #expect(throws: FirestoreErrorCode.self) { try await operation() }
      #expect(error?.code == .failedPrecondition)
    }
    let handed = await withCheckedContinuation { done in
      firestore.document("c/d").setData([:]) { done.resume(returning: UncheckedBox(value: $0)) }
    }
    #expect((handed.value as? FirestoreErrorCode)?.code == .failedPrecondition)
    // What is not waited for has nowhere to report to; it must only not crash.
    sync { firestore.document("c/d").setData([:]) }
  }

  @Test func terminatingWithAHandlerReportsOnce() async throws {
    let folder = try Folder()
    let firestore = try Firestore.open(at: folder.database, settings: .onQueue("terminate"))
    sync { firestore.document("c/d").setData(["n": 1]) }
    await withCheckedContinuation { done in
      firestore.terminate { error in
        #expect(error == nil)
        done.resume()
      }
    }
    let again = try Firestore.open(at: folder.database)
    #expect(try await again.document("c/d").getDocument().get("n") as? Int == 1)
    try again.close()
  }

  @Test func anInstanceThatNobodyHoldsFreesItsFolder() async throws {
    let folder = try Folder()
    try await Firestore.open(at: folder.database).document("c/d").setData(["n": 1])
    // Whether the close runs before or after this open, the folder opens and has the document.
    let again = try Firestore.open(at: folder.database)
    #expect(try await again.document("c/d").getDocument().exists)
    try again.close()
  }

  @Test func aFolderThatCannotBeOpenedChangesNothing() throws {
    let folder = try Folder()
    let missing = #expect(throws: FirestoreErrorCode.self) {
      try Firestore.open(at: folder.url.appendingPathComponent("no/such"))
    }
    #expect(missing?.code == .unavailable)
    let file = folder.url.appendingPathComponent("file")
    try Data("x".utf8).write(to: file)
    let notAFolder = #expect(throws: FirestoreErrorCode.self) { try Firestore.open(at: file) }
    #expect(notAFolder != nil)
    let web = #expect(throws: FirestoreErrorCode.self) { try Firestore.open(at: URL(string: "https://example.org")!) }
    #expect(web?.code == .invalidArgument)
    let content = try Data(contentsOf: file)
    #expect(folder.contents == ["file"] && content == Data("x".utf8))
  }

  @Test func settingsAreCopiedAndFixedOnceInUse() async throws {
    let settings = FirestoreSettings()
    settings.host = "a"
    let firestore = try Firestore.inMemory(settings: settings)
    settings.host = "b"
    #expect(firestore.settings.host == "a")
    firestore.settings.host = "c"
    #expect(firestore.settings.host == "a")
    let copy = settings.copy() as! FirestoreSettings
    #expect(copy == settings && copy !== settings && copy.hash == settings.hash)
    copy.durability = .buffered
    #expect(copy != settings)
    #expect(FirestoreSettings() == FirestoreSettings() && FirestoreSettings().durability == .durable)
    #expect(
      FirestoreSettings().isPersistenceEnabled && FirestoreSettings().dispatchQueue.label == DispatchQueue.main.label)
    copy.durability = .durable
    copy.dispatchQueue = DispatchQueue(label: "other")
    #expect(copy != settings)
  }

  @Test func aBufferedDatabaseKeepsWhatItAcknowledged() async throws {
    let folder = try Folder()
    let settings = FirestoreSettings()
    settings.durability = .buffered
    let firestore = try Firestore.open(at: folder.database, settings: settings)
    for n in 0..<100 { try await firestore.document("c/\(n)").setData(["n": n]) }
    try firestore.close()
    let again = try Firestore.open(at: folder.database)
    #expect(try await again.collection("c").getDocuments().count == 100)
    try again.close()
  }
}
