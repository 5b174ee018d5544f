/// An ordered map from bytes to bytes in a folder: atomic batches, immutable views, a write-ahead log.
///
/// Threading: every member may be called from any thread at any time. Four kinds of work meet here, each with its
/// own lock or owner:
/// - *sequencing* (`sequencer`, under `lock`): a commit gets its place, no I/O;
/// - *flushing* (`writer`): whoever set `isFlushing` writes and syncs the log, publishes, acknowledges;
/// - *syncing* (one worker): syncs what `.buffered` commits wrote, beside those who write, and seals an idle log;
/// - *maintenance* (one worker): merges, checkpoints, recycling.
package final class StorageEngine: @unchecked Sendable {
  let directory: String
  let options: StorageOptions
  let environment: StorageEnvironment
  let faults = StorageFaults.injected

  /// Guards `sequencer`.
  let lock = Lock()
  let sequencer: Sequencer
  let registry: LiveViews
  /// Owned by whoever set `sequencer.isFlushing`.
  let writer: WALWriter?
  /// Announced when a flush ended or the maintenance got on.
  let gate: any Gate

  /// The view that readers get; under `viewLock`.
  private let viewLock = Lock()
  private var publishedView: View

  /// Owned by the maintenance worker.
  let maintenance: Maintenance?
  private(set) var committer: (any Worker)?
  private(set) var syncer: (any Worker)?
  private(set) var maintainer: (any Worker)?
  private let directoryLock: (any DirectoryLock)?
  /// What was not as it should be when the database was opened, and cost nothing; for people.
  package let openNotes: [String]
  /// Read-only, of a damaged log: what is lost after the prefix that the views show.
  package let openDamage: StorageError?

  init(
    directory: String, options: StorageOptions, environment: StorageEnvironment, recovered: RecoveredState,
    opened: OpenedFiles?
  ) {
    self.directory = directory
    self.options = options
    self.environment = environment
    registry = LiveViews()
    let appender =
      opened?.appender
      ?? WALAppender(
        lineage: recovered.superblock.lineage, generation: recovered.superblock.logGeneration,
        position: recovered.replay.end, chain: recovered.replay.chain, file: nil, options: options)
    sequencer = Sequencer(
      recovered: recovered, appender: appender, registry: registry, environment: environment, options: options)
    publishedView = sequencer.view
    writer = opened?.writer
    maintenance = opened?.maintenance
    directoryLock = opened?.lock
    openNotes = recovered.notes
    openDamage = recovered.replay.damage
    gate = environment.executor.makeGate()
    guard opened != nil else { return }
    committer = environment.executor.makeWorker("hearth-commit") { [weak self] in self?.commitStep() ?? .signal }
    syncer = environment.executor.makeWorker("hearth-sync") { [weak self] in self?.syncStep() ?? .signal }
    maintainer = environment.executor.makeWorker("hearth-maintain") { [weak self] in
      self?.maintenanceStep() ?? .signal
    }
    maintainer?.signal()
  }

  deinit { abandon() }

  /// Lets go of the database as a killed process would: nothing more is written, the lock is free. For tests, and for
  /// an engine that nobody closed.
  package func abandon() {
    committer?.stop()
    syncer?.stop()
    maintainer?.stop()
    lock.withLock { sequencer.phase = .closed }
    writer?.close()
    directoryLock?.release()
    gate.announce()
  }

  // MARK: - Reading

  /// The newest published state.
  package func view() throws(StorageError) -> View {
    let phase = lock.withLock { sequencer.phase }
    if case .closed = phase { throw StorageError(.closed, "the database is closed") }
    return currentView()
  }

  func currentView() -> View { viewLock.withLock { publishedView } }

  func publish(_ view: View) {
    // The old one dies outside the lock.
    let old = viewLock.withLock {
      defer { publishedView = view }
      return publishedView
    }
    _ = old
  }

  /// The newest published state once it holds every write that was enqueued without waiting before this call.
  package func settledView() throws(StorageError) -> View {
    if let ticket = lock.withLock({ sequencer.lastUnawaited }), ticket.result == nil { _ = wait(for: ticket) }
    return try view()
  }

  /// As the other form, suspending instead of blocking.
  package func settledView() async throws(StorageError) -> View {
    if let ticket = lock.withLock({ sequencer.lastUnawaited }), ticket.result == nil {
      committer?.signal()
      await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
        ticket.whenFinished { _ in continuation.resume() }
      }
    }
    return try view()
  }

  // MARK: - Closing

  /// Writes and syncs everything, merges it into the trees, releases the lock. Later calls throw `.closed`; twice is fine.
  ///
  /// - Throws: what went wrong on the way; the database is closed all the same, and what was acknowledged is in the
  ///   log.
  package func close() throws(StorageError) {
    let isFirst = lock.withLock {
      switch sequencer.phase {
      case .open, .failed:
        let hasFailed = if case .failed = sequencer.phase { true } else { false }
        sequencer.phase = hasFailed ? .closed : .closing
        return true
      case .closing, .closed: return false
      }
    }
    guard isFirst else {
      gate.wait(until: { lock.withLock { if case .closed = sequencer.phase { true } else { false } } })
      return
    }
    var failure: StorageError?
    if let maintenance, writer?.hasFailed == false {
      maintenance.requestClose()
      maintainer?.signal()
      gate.wait(until: { maintenance.isClosed })
      failure = maintenance.closeError
      settleLog()
    }
    abandon()
    if let failure { throw failure }
  }

  /// Writes, syncs and answers everything sequenced: a checkpoint that can't be written must not cost any of that.
  func settleLog() {
    while writer?.hasFailed == false,
      lock.withLock({ sequencer.isFlushing || sequencer.needsFlush || !sequencer.appender.isSynced })
    {
      if lead(evenIfIdle: true) {
        flushAsLeader(forceSync: true)
      } else {
        gate.wait(until: { !lock.withLock { sequencer.isFlushing } })
      }
    }
  }
}
