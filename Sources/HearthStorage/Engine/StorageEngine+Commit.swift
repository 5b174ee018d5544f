extension StorageEngine {
  /// Derives a batch from the newest sequenced state, commits it, and returns once it is as durable as asked.
  ///
  /// `derive` runs again when another commit changed what the batch depends on (its keys, its conditions taken from
  /// the view it was given); what it throws comes out unchanged and nothing is written. A condition older than that
  /// view (a transaction's) that no longer holds throws `.conflict`.
  ///
  /// - Throws: what `derive` throws; ``StorageError``: `.conflict`, `.invalidArgument` (a wrong claim, a size),
  ///   `.resourceExhausted` (disk full: nothing of the commit is kept, a later one may succeed), `.readOnly`,
  ///   `.closed`.
  @discardableResult
  package func commit(
    _ durability: Durability = .durable, deriving derive: (View) throws -> KeyValueBatch
  ) throws -> CommitReceipt {
    try wait(for: try sequence(durability, derive)).get()
  }

  /// As the blocking form. Cancelling the task does not undo the commit.
  @discardableResult
  package nonisolated(nonsending) func commit(
    _ durability: Durability = .durable, deriving derive: (View) throws -> KeyValueBatch
  ) async throws -> CommitReceipt {
    let ticket = try sequence(durability, derive)
    // Alone: write and sync in place, which saves two thread switches.
    if lead() { flushAsLeader(forceSync: false) }
    if let result = ticket.result { return try result.get() }
    committer?.signal()
    let result: Result<CommitReceipt, StorageError> = await withUnsafeContinuation { continuation in
      ticket.whenFinished { continuation.resume(returning: $0) }
    }
    return try result.get()
  }

  /// As ``commit(_:deriving:)``, but returns once the commit is ordered; writing and syncing go on behind.
  /// `completion` is called exactly once, on a thread of the engine's that must not be blocked.
  package func enqueue(
    _ durability: Durability = .durable, deriving derive: (View) throws -> KeyValueBatch,
    completion: @escaping @Sendable (Result<CommitReceipt, StorageError>) -> Void
  ) throws {
    let ticket = try sequence(durability, derive)
    lock.withLock {
      // Another thread's, sequenced later, may have been noted before.
      if ticket.receipt.version >= sequencer.lastUnawaited?.receipt.version ?? 0 { sequencer.lastUnawaited = ticket }
    }
    ticket.whenFinished(completion)
    committer?.signal()
  }

  /// Returns once everything sequenced before the call is synced, `.buffered` commits included.
  package func sync() throws {
    try commit(.durable) { KeyValueBatch(baseVersion: $0.version) }
  }

  // MARK: - Sequencing

  /// How often a batch is derived outside the sequencer before that is done under its lock.
  private static let freeAttempts = 2

  private func sequence(_ durability: Durability, _ derive: (View) throws -> KeyValueBatch) throws -> CommitTicket {
    guard writer != nil else { throw StorageError(.readOnly, "the database is open for reading only") }
    try waitForMerge()
    for _ in 0..<Self.freeAttempts {
      let (base, abandonCount) = lock.withLock { (sequencer.view, sequencer.abandonCount) }
      var batch = try derive(base)
      // A stamp in a key decides where it goes: such a batch can't be sorted before it is sequenced.
      let isLarge = batch.payload.count > options.largeBatchBytes && !batch.stamps.contains { $0.isInKey }
      let layer = isLarge ? try PreparedLayer(batch) : nil
      let outcome = try lock.withLock { () throws(StorageError) in
        // What the batch saw may have been given up since; versions alone don't tell.
        if sequencer.abandonCount != abandonCount { return Sequencer.Outcome.moved }
        return try sequencer.sequence(&batch, derivedFrom: base, layer: layer, durability: durability)
      }
      if case .sequenced(let ticket) = outcome { return ticket }
    }
    return try lock.withLock {
      let base = sequencer.view
      var batch = try derive(base)
      let outcome = try sequencer.sequence(&batch, derivedFrom: base, layer: nil, durability: durability)
      guard case .sequenced(let ticket) = outcome else {
        preconditionFailure("nothing can move while the sequencer is held")
      }
      return ticket
    }
  }

  /// While the newest changes take twice their budget, commits wait for the merge that makes room. One that fails in that
  /// time is answered with its error.
  private func waitForMerge() throws(StorageError) {
    let ended = lock.withLock { () -> Int? in
      guard sequencer.isFull, case .open = sequencer.phase else { return nil }
      if sequencer.mergeError != nil { sequencer.mergeRetryPosition = 0 }
      return sequencer.mergesEnded
    }
    guard let ended else { return }
    maintainer?.signal()
    gate.wait(until: {
      lock.withLock {
        if case .open = sequencer.phase { return !sequencer.isFull || sequencer.mergesEnded > ended }
        return true
      }
    })
    let failure = lock.withLock { sequencer.isFull ? sequencer.mergeError : nil }
    if let failure {
      throw StorageError(
        failure.code == .resourceExhausted ? .resourceExhausted : .io,
        "the newest changes fill their memory and can't be merged into the trees; make room and commit again",
        at: failure.place, cause: failure.description)
    }
  }

  // MARK: - Flushing

  /// Makes the caller the one who writes the log, unless someone is or there is nothing to write.
  func lead(evenIfIdle: Bool = false) -> Bool {
    lock.withLock {
      guard !sequencer.isFlushing, evenIfIdle || sequencer.needsFlush else { return false }
      sequencer.isFlushing = true
      return true
    }
  }

  /// Blocks until the ticket is finished, writing the log itself when nobody else does.
  func wait(for ticket: CommitTicket) -> Result<CommitReceipt, StorageError> {
    while true {
      if let result = ticket.result { return result }
      if lead() {
        flushAsLeader(forceSync: false)
      } else {
        gate.wait(until: { ticket.result != nil || !lock.withLock { sequencer.isFlushing } })
      }
    }
  }

  /// Writes, syncs, publishes and acknowledges everything sequenced. The caller has taken the lead.
  func flushAsLeader(forceSync: Bool) {
    guard let writer else { preconditionFailure("a read-only engine has nothing to flush") }
    let now = environment.clock.monotonicNanoseconds()
    let flush = lock.withLock { sequencer.takeFlush(forceSync: forceSync, now: now) }
    var failed: [CommitTicket] = []
    var error: StorageError?
    if faults.contains(.publishedEarly) { publish(flush.point.view) }
    if faults.contains(.acknowledgedEarly) { for ticket in flush.tickets { ticket.finish(nil) } }
    do throws(StorageError) {
      try writer.write(flush.segments, sync: flush.isSynced)
      let view = lock.withLock { sequencer.finish(flush, now: now) }
      publish(view)
    } catch let failure {
      error = failure
      let view = lock.withLock {
        failed = sequencer.abandon(flush, error: failure, logIsGood: !writer.hasFailed, now: now)
        return sequencer.published.view
      }
      publish(view)
    }
    // First acknowledge: who then commits again finds the log still being written, and joins the next group.
    if !faults.contains(.acknowledgedEarly) {
      for ticket in error == nil ? flush.tickets : failed { ticket.finish(error) }
    }
    let (needsMore, isMaintenanceDue, mustPlanSeal) = lock.withLock {
      sequencer.isFlushing = false
      let mustPlanSeal = !sequencer.isSealPlanned
      sequencer.isSealPlanned = true
      return (sequencer.needsFlush, sequencer.isMaintenanceDue, mustPlanSeal)
    }
    gate.announce()
    if needsMore { committer?.signal() }
    if mustPlanSeal || flush.isSyncable { syncer?.signal() }
    if isMaintenanceDue { maintainer?.signal() }
  }

  // MARK: - The committer and the syncer

  /// One step of the committer: flush what waits.
  func commitStep() -> WorkerNeed {
    guard lead() else { return .signal }
    flushAsLeader(forceSync: false)
    return .more
  }

  /// One step of the syncer: sync what is written, beside those who go on writing; end what has been left alone long
  /// enough so that it can be synced, and seal an idle log.
  ///
  /// `.buffered` commits are synced, and an idle log is sealed, within twice ``Sequencer/syncInterval``.
  func syncStep() -> WorkerNeed {
    guard let writer else { return .signal }
    if let syncable = lock.withLock({ sequencer.syncable }) {
      do throws(StorageError) {
        try writer.syncBeside()
        lock.withLock { sequencer.syncedBeside(syncable) }
      } catch {
        // The next flush finds the log failed and tells its commits; without any, the one that is now overdue.
        lock.withLock { sequencer.syncable = nil }
      }
      return .more
    }
    let now = environment.clock.monotonicNanoseconds()
    enum Duty {
      case none
      case later(UInt64)
      case end, seal
    }
    let duty = lock.withLock { () -> Duty in
      let isCovered = sequencer.appender.isSynced
      guard case .open = sequencer.phase, !sequencer.isFlushing, !sequencer.needsFlush,
        !isCovered || !sequencer.appender.lastFrameIsSeal
      else {
        // Nothing to cover, or the end of the flush in progress asks again.
        sequencer.isSealPlanned = false
        return .none
      }
      if now < sequencer.syncDue { return .later(sequencer.syncDue) }
      sequencer.isFlushing = true
      if !isCovered { return .end }
      sequencer.seal()
      return .seal
    }
    switch duty {
    case .none: return .signal
    case .later(let due): return .deadline(due)
    case .end:
      flushAsLeader(forceSync: false)
      return .more
    case .seal:
      flushAsLeader(forceSync: true)
      return .more
    }
  }
}
