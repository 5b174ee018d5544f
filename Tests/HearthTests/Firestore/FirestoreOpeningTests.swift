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

  @Test func otherSpellingsOfAPathGiveTheSameDatabase() async throws {
    let folder = try Folder()
    let first = try Firestore.open(at: folder.database)
    try await first.document("c/d").setData(["n": 1])
    let climbs = String(repeating: "../", count: FileManager.default.currentDirectoryPath.split(separator: "/").count)
    for url in [
      URL(fileURLWithPath: climbs + folder.database.path.dropFirst()),
      URL(fileURLWithPath: folder.database.path + "/", isDirectory: true),
      URL(fileURLWithPath: folder.database.path + "//."), URL(string: "file://" + folder.database.path)!,
    ] {
      let again = try Firestore.open(at: url)
      #expect(again.document("c/d") == first.document("c/d"), "\(url)")
      try again.close()
    }
    #expect(try await first.document("c/d").getDocument().exists)
    try first.close()
  }

  /// A new folder often gets the number that the system knew the deleted one by.
  @Test func aFolderMadeAnewIsAnotherDatabase() async throws {
    let folder = try Folder()
    var old: [Firestore] = []
    for round in 0..<8 {
      let firestore = try Firestore.open(at: folder.database)
      #expect(try await !firestore.document("c/d").getDocument().exists, "round \(round)")
      try await firestore.document("c/d").setData(["n": round])
      // Deleted while it is open, and not closed.
      try FileManager.default.removeItem(at: folder.database)
      old.append(firestore)
    }
    for (round, firestore) in old.enumerated() {
      #expect(try await firestore.document("c/d").getDocument().get("n") as? Int == round)
      // What cannot be written any more is an error, and closes all the same.
      try? firestore.close()
      await #expect(throws: FirestoreErrorCode.self) { try await firestore.document("c/d").getDocument() }
    }
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

  /// In a process of its own, because it changes the environment.
  @Test func theDefaultDatabaseIsTriedAgainOnceItsFolderCanBeMade() async {
    await #expect(processExitsWith: .success) {
      let home = FileManager.default.temporaryDirectory.appendingPathComponent("hearth-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: home) }
      // A file where a folder is to be made, which stops an administrator too.
      try Data().write(to: home)
      setenv("XDG_DATA_HOME", home.path, 1)
      setenv("HOME", home.path, 1)
      Firestore.firestore().settings = .onQueue("default")
      let document = Firestore.firestore().document("c/d")
      for operation in [
        { try await document.setData([:]) }, { _ = try await document.getDocument() },
        { _ = try await document.parent.getDocuments() },
      ] as [() async throws -> Void] {
        let error = await #expect(throws: FirestoreErrorCode.self) { try await operation() }
        #expect(error?.code == .unavailable && error?.localizedDescription.contains(home.path) == true)
      }
      try FileManager.default.removeItem(at: home)
      try await document.setData(["n": 1])
      #expect(try await Firestore.firestore().document("c/d").getDocument().exists)
      #expect(Firestore.firestore() === document.firestore)
      try Firestore.firestore().close()
      #expect(Firestore.firestore() !== document.firestore)
      #expect(try await Firestore.firestore().document("c/d").getDocument().exists)
      try Firestore.firestore().close()
      // Without any home the folder is still an absolute one.
      unsetenv("XDG_DATA_HOME")
      unsetenv("HOME")
      #expect(Firestore.defaultFolder.path.hasPrefix("/"))
      setenv("HOME", "", 1)
      #expect(Firestore.defaultFolder.path.hasPrefix("/"))
    }
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
