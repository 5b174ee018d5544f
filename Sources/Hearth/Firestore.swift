public import Foundation
internal import HearthDatabase
internal import HearthModel

/// A database: Cloud Firestore's data model and API on a local folder, or in memory.
///
/// Get one with ``open(at:settings:)``, ``inMemory(settings:)`` or ``firestore()``. Two that are open on one folder
/// share one database: what one writes the other reads, and references of one can be used with the other. An instance
/// stays open until ``close()``, ``terminate()`` or until nothing refers to it.
///
/// Handlers run on ``FirestoreSettings/dispatchQueue``, one after the other, and never inside the call that took them.
///
/// Threading: every member may be used from any thread at any time.
public final class Firestore: NSObject, @unchecked Sendable {
  private enum Location {
    case folder(String)
    case memory
  }

  private enum Phase {
    case unopened(Location)
    case open(Database)
    case terminated
  }

  private let lock = NSLock()
  // Guarded by `lock`.
  private var phase: Phase
  private var currentSettings: FirestoreSettings
  private var startedHandlers: HandlerQueue?

  /// Reads for handlers run here, in the order of the calls, so that a slow one never blocks its caller.
  let readQueue = DispatchQueue(label: "hearth.reads")

  private init(phase: Phase, settings: FirestoreSettings) {
    self.phase = phase
    currentSettings = settings.copied()
  }

  deinit {
    guard case .open(let database) = phase else { return }
    // Closing writes and syncs; whichever thread dropped the last reference must not wait for that.
    DispatchQueue.global().async { try? database.close() }
  }
}

extension Firestore {
  /// Opens the database in a folder, creating folder and database if missing.
  ///
  /// A folder that this process has open already gives the same database (the folder counts, not its spelling).
  ///
  /// - Parameters:
  ///   - url: A folder; its parent must exist.
  ///   - settings: Copied. ``FirestoreSettings/cacheSettings`` is ignored: the folder is asked for here.
  /// - Throws: ``FirestoreErrorCode``: `invalidArgument` if `url` is not a file URL, `unavailable` if the folder cannot be
  ///   opened or another process has it open, `permissionDenied`, `resourceExhausted`, or `dataLoss` if what is stored is
  ///   damaged. Nothing on disk is changed then.
  public static func open(at url: URL, settings: FirestoreSettings = .init()) throws -> Firestore {
    guard url.isFileURL else {
      throw FirestoreErrorCode(.invalidArgument, "\(url) does not name a folder on this machine.")
    }
    return try translatingErrors {
      Firestore(phase: .open(try Database.open(at: url.path)), settings: settings)
    }
  }

  /// Makes an empty database in memory. It is gone when it is closed or nothing refers to it any more.
  ///
  /// - Throws: ``FirestoreErrorCode`` `resourceExhausted`.
  public static func inMemory(settings: FirestoreSettings = .init()) throws -> Firestore {
    try translatingErrors {
      Firestore(phase: .open(try Database.inMemory()), settings: settings)
    }
  }

  private static let shared = UncheckedSendable(SharedInstance())

  private final class SharedInstance {
    let lock = NSLock()
    var instance: Firestore?
  }

  /// The default database, in ``defaultFolder``; the same instance until that is terminated.
  ///
  /// The folder is opened by the first operation; if that fails the operation reports it, and the next one tries again.
  public class func firestore() -> Firestore {
    shared.value.lock.withLock {
      if let instance = shared.value.instance, !instance.isTerminated { return instance }
      let instance = Firestore(phase: .unopened(.folder(defaultFolder.path)), settings: FirestoreSettings())
      shared.value.instance = instance
      return instance
    }
  }

  /// Where ``firestore()`` keeps its database.
  ///
  /// On Linux `$XDG_DATA_HOME/hearth/default`, or `~/.local/share/hearth/default`; on Apple systems
  /// `Application Support/Hearth/<bundle identifier>/default`.
  public static var defaultFolder: URL { DefaultFolder.url }
}

extension Firestore {
  /// A copy of the settings. To change them assign a changed copy, before the database is first used; later changes are
  /// ignored and logged.
  public var settings: FirestoreSettings {
    get { lock.withLock { currentSettings.copied() } }
    set {
      let copy = newValue.copied()
      let isUsed = lock.withLock {
        guard case .unopened(let location) = phase, startedHandlers == nil else { return true }
        currentSettings = copy
        // The setter can make the default database one in memory, and back.
        if !copy.isPersistenceEnabled {
          phase = .unopened(.memory)
        } else if case .memory = location {
          phase = .unopened(.folder(Firestore.defaultFolder.path))
        }
        return false
      }
      if isUsed { Log.warning("settings", "The database is in use already; its settings stay as they are.") }
    }
  }

  /// A collection.
  ///
  /// - Parameter collectionPath: From the root: 1, 3, 5… segments.
  public func collection(_ collectionPath: String) -> CollectionReference {
    CollectionReference(firestore: self, path: collectionPath) { () throws(ModelError) in
      try CollectionPath(collectionPath)
    }
  }

  /// A document.
  ///
  /// - Parameter documentPath: From the root: 2, 4, 6… segments.
  public func document(_ documentPath: String) -> DocumentReference {
    DocumentReference(firestore: self, path: documentPath) { () throws(ModelError) in try DocumentKey(documentPath) }
  }

  /// A batch of writes that are committed together.
  public func batch() -> WriteBatch { WriteBatch(firestore: self) }
}

extension Firestore {
  var isTerminated: Bool {
    lock.withLock { if case .terminated = phase { true } else { false } }
  }

  /// The open database, opened now if it was not.
  func database() throws -> Database {
    try lock.withLock {
      switch phase {
      case .open(let database): return database
      case .terminated: throw DatabaseError.terminated
      case .unopened(let location):
        let database =
          switch location {
          case .memory: try Database.inMemory()
          case .folder(let path): try DefaultFolder.open(path)
          }
        phase = .open(database)
        return database
      }
    }
  }

  /// Whether references of one can be used with the other.
  func isSameDatabase(as other: Firestore) -> Bool {
    if self === other { return true }
    guard case .open(let database) = lock.withLock({ phase }),
      case .open(let others) = other.lock.withLock({ other.phase })
    else { return false }
    return database === others
  }

  var handlers: HandlerQueue {
    lock.withLock {
      if let startedHandlers { return startedHandlers }
      let handlers = HandlerQueue(target: currentSettings.dispatchQueue)
      startedHandlers = handlers
      return handlers
    }
  }

  var durability: FirestoreSettings.Durability { lock.withLock { currentSettings.durability } }
}

extension Firestore {
  /// Writes and syncs everything and closes the database. Every later operation fails with `failedPrecondition`.
  /// Closing twice is fine. Where several instances share a folder, the last one closes it.
  ///
  /// - Throws: ``FirestoreErrorCode`` if the last writes could not be made durable; the instance is closed all the same.
  public func close() throws {
    let database: Database? = lock.withLock {
      defer { phase = .terminated }
      if case .open(let database) = phase { return database }
      return nil
    }
    try Firestore.translatingErrors { try database?.close() }
  }

  /// As ``close()``, without waiting.
  ///
  /// - Parameter completion: Called once on the handler queue.
  public func terminate(completion: ((_ error: (any Error)?) -> Void)? = nil) {
    let completion = UncheckedSendable(completion)
    let handlers = handlers
    // Not on the queue of reads alone: reads that were asked for before are to be answered first.
    readQueue.async {
      let result = Result { try self.close() }
      handlers.deliver { completion.value?(result.failure) }
    }
  }

  /// As ``close()``.
  public func terminate() async throws {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      readQueue.async { continuation.resume(with: Result { try self.close() }) }
    }
  }
}

extension Result {
  var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}

extension Firestore {
  /// Ends once every write issued before is as durable as it asked to be, or has failed.
  ///
  /// - Parameter completion: Called once on the handler queue; with `failedPrecondition` if the database is closed.
  public func waitForPendingWrites(completion: @escaping (_ error: (any Error)?) -> Void) {
    read { (_: Bool?, error) in
      completion(error)
    } _: { database in
      try database.waitForWrites()
      return true
    }
  }

  /// Returns once every write issued before is as durable as it asked to be, or has failed.
  ///
  /// - Throws: ``FirestoreErrorCode`` `failedPrecondition` if the database is closed.
  public func waitForPendingWrites() async throws {
    try await read { database in try await database.waitForWrites() }
  }

  /// Succeeds and does nothing: there is no network.
  public func enableNetwork(completion: ((_ error: (any Error)?) -> Void)? = nil) {
    succeed(completion)
  }

  /// Succeeds and does nothing: there is no network.
  public func enableNetwork() async throws {}

  /// Succeeds and does nothing: there is no network. Writes complete all the same.
  public func disableNetwork(completion: ((_ error: (any Error)?) -> Void)? = nil) {
    succeed(completion)
  }

  /// Succeeds and does nothing: there is no network. Writes complete all the same.
  public func disableNetwork() async throws {}

  private func succeed(_ completion: ((_ error: (any Error)?) -> Void)?) {
    guard let completion else { return }
    handlers.deliver { completion(nil) }
  }
}
