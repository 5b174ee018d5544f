extension StorageEngine {
  /// One step of the maintenance worker.
  func maintenanceStep() -> WorkerNeed {
    guard let maintenance, let writer else { return .signal }
    if maintenance.isClosed { return .signal }
    if sequencer.blocks.wantsBlock {
      sequencer.blocks.fill()
      return .more
    }
    if writer.hasFailed {
      // Nothing may be named any more; what was begun goes.
      discardJobs(maintenance)
      if maintenance.isClosing {
        maintenance.finishClose(nil)
        gate.announce()
      }
      return .signal
    }
    do throws(StorageError) {
      if let job = maintenance.spare { return try stepSpare(job, maintenance) ? .more : next(maintenance) }
      if let job = maintenance.base { return try stepBase(job, maintenance, writer) ? .more : next(maintenance) }
      if let job = maintenance.fold { return try stepFold(job, maintenance) ? .more : next(maintenance) }
      return next(maintenance)
    } catch {
      discardJobs(maintenance)
      maintenance.lastError = error
      lock.withLock { sequencer.delayBase() }
      if maintenance.isClosing {
        maintenance.finishClose(error)
        gate.announce()
        return .signal
      }
      return next(maintenance)
    }
  }

  /// Begins whatever is due.
  private func next(_ maintenance: Maintenance) -> WorkerNeed {
    reclaimFolded(maintenance)
    do throws(StorageError) {
      if maintenance.isClosing { return try stepClose(maintenance) }
      if let fileBytes = lock.withLock({ sequencer.spareBytesWanted }), let writer {
        // Once a file: without room for it a commit meets the full disk itself.
        lock.withLock { sequencer.sparedPosition = sequencer.appender.position }
        maintenance.spare = try SpareJob(
          path: maintenance.walDirectory.freshPath(writer.takeNumber()), fileBytes: fileBytes,
          fileSystem: environment.fileSystem)
        return .more
      }
      if lock.withLock({ sequencer.isBaseDue }) {
        try beginBase(maintenance)
        return .more
      }
    } catch {
      maintenance.lastError = error
      lock.withLock { sequencer.delayBase() }
      if maintenance.isClosing {
        maintenance.finishClose(error)
        gate.announce()
        return .signal
      }
    }
    let job = lock.withLock { () -> FoldJob? in
      guard let (upper, lower) = sequencer.foldableLayers else { return nil }
      sequencer.number += 1
      return FoldJob(upper, into: lower, number: sequencer.number)
    }
    maintenance.fold = job
    return job == nil ? .signal : .more
  }

  private func discardJobs(_ maintenance: Maintenance) {
    maintenance.base?.writer.discard()
    maintenance.base = nil
    maintenance.spare?.discard(environment.fileSystem)
    maintenance.spare = nil
  }

  /// Returns whether the file needs more steps.
  private func stepSpare(_ job: SpareJob, _ maintenance: Maintenance) throws(StorageError) -> Bool {
    guard try job.step() else { return true }
    maintenance.spare = nil
    lock.withLock {
      sequencer.appender.spares.append(SpareWALFile(path: job.path, fileBytes: job.fileBytes))
    }
    return false
  }

  // MARK: - Folding

  private func stepFold(_ job: FoldJob, _ maintenance: Maintenance) throws(StorageError) -> Bool {
    guard try job.step() else { return true }
    maintenance.fold = nil
    let number = exchangeTail(layers: 2, by: LayerStack.Layer(memtable: job.lower, roots: job.roots))
    maintenance.folded = (job.lower, number)
    gate.announce()
    return false
  }

  private func reclaimFolded(_ maintenance: Maintenance) {
    // Until the fold is published a failed flush can bring back views of the state before it.
    guard let folded = maintenance.folded, lock.withLock({ sequencer.isPublished(folded.number) }) else { return }
    folded.memtable.published(folded.number)
    let live = registry.liveNumbers()
    guard live.first.map({ $0 >= folded.number }) ?? true else { return }
    folded.memtable.reclaim(live: live)
    maintenance.folded = nil
  }

  /// Puts one layer in the place of the lowest `layers`. Returns the number of the first state that shows it.
  private func exchangeTail(layers: Int, by layer: LayerStack.Layer) -> UInt64 {
    let number = lock.withLock { sequencer.exchangeTail(layers: layers, by: layer) }
    // Only who writes the log publishes, or an older state could follow a newer one. If someone is at it, the end of
    // that flush or the next shows the exchange.
    if lead(evenIfIdle: true) { flushAsLeader(forceSync: false) }
    return number
  }

  // MARK: - Bases

  /// Freezes the state, ends the log file, and makes sure that everything so far is durable and visible.
  private func beginBase(_ maintenance: Maintenance) throws(StorageError) {
    guard let writer else { return }
    maintenance.fold = nil
    let salt = environment.random.next() | 1
    let (view, position, framesEnd, chain, abandonCount, number) = lock.withLock {
      sequencer.freeze()
      let position = sequencer.appender.closeFile()
      sequencer.number += 1
      return (
        sequencer.view, position, sequencer.appender.framesEnd, sequencer.appender.chain, sequencer.abandonCount,
        sequencer.number
      )
    }
    // The end of the file must be published too, even if no commit is: a flush that fails later goes back to what is
    // published, and if that file were open again, frames would stand where the base says that another one begins.
    while lock.withLock({
      sequencer.abandonCount == abandonCount
        && (sequencer.appender.syncedThrough < framesEnd || !sequencer.isPublished(view.number))
    }) {
      if lead(evenIfIdle: true) {
        flushAsLeader(forceSync: true)
      } else {
        gate.wait(until: { !lock.withLock { sequencer.isFlushing } })
      }
    }
    guard lock.withLock({ sequencer.abandonCount }) == abandonCount else {
      throw StorageError(.io, "the commits a base was to hold were given up")
    }
    let checkpoint = maintenance.store.nextNumber
    let base = try BaseWriter(
      view.stack, commitVersion: view.version, commitTime: view.commitTime, directory: maintenance.walDirectory,
      fileNumbers: (writer.takeNumber(), writer.takeNumber()),
      lineage: maintenance.lineage, generation: maintenance.generation, checkpoint: checkpoint, salt: salt,
      number: number)
    maintenance.base = Maintenance.BaseJob(
      writer: base, view: view, number: checkpoint, salt: salt, logPosition: position, logChain: chain)
  }

  /// Returns whether the base needs more steps.
  private func stepBase(
    _ job: Maintenance.BaseJob, _ maintenance: Maintenance, _ writer: WALWriter
  ) throws(StorageError) -> Bool {
    guard try job.writer.step() else { return true }
    let result = try job.writer.finish()
    maintenance.base = nil
    // From here on a slot may name the file, whatever the write of the slot returns.
    maintenance.basePaths[job.salt] = result.path
    let superblock = Superblock(
      number: job.number, lineage: maintenance.lineage, baseSalt: job.salt, baseBytes: result.fileBytes,
      commitVersion: job.view.version, commitTime: job.view.commitTime, logPosition: job.logPosition,
      logGeneration: maintenance.generation, logChain: job.logChain, stateBytes: result.stateBytes,
      entryCounts: result.entryCounts)
    try maintenance.store.write(superblock)
    lock.withLock {
      sequencer.checkpointNumber = superblock.number
      sequencer.basePosition = superblock.logPosition
      sequencer.baseDelay = 0
      sequencer.validatableFrom = max(sequencer.validatableFrom, job.view.version)
    }
    _ = exchangeTail(layers: job.view.stack.below.count, by: result.layer)
    gate.announce()
    try recycle(maintenance, writer, includingCurrent: false)
    return false
  }

  /// Lets go of the files that neither of the two newest superblocks needs (E3).
  private func recycle(
    _ maintenance: Maintenance, _ writer: WALWriter, includingCurrent: Bool
  ) throws(StorageError) {
    let (first, second) = maintenance.store.newest
    guard let first else { return }
    let isEarly = faults.contains(.recycledTooEarly)
    let position = isEarly ? first.logPosition : min(first.logPosition, second?.logPosition ?? 0)
    var isEmpty = true
    for file in writer.retire(before: position, includingCurrent: includingCurrent) {
      isEmpty = false
      let wantsSpare = !includingCurrent && lock.withLock { sequencer.appender.spares.isEmpty }
      if wantsSpare {
        // Its old content is below every position that counts, and its new header will say whose it is.
        let freshPath = maintenance.walDirectory.freshPath(writer.takeNumber())
        try environment.fileSystem.rename(file.path, to: freshPath)
        lock.withLock {
          sequencer.appender.spares.append(SpareWALFile(path: freshPath, fileBytes: file.fileBytes))
        }
      } else {
        try environment.fileSystem.remove(file.path)
      }
    }
    // In order of their names, so that one seed gives one history.
    for (salt, path) in maintenance.basePaths.sorted(by: { $0.value < $1.value })
    where salt != first.baseSalt && salt != second?.baseSalt {
      isEmpty = false
      try environment.fileSystem.remove(path)
      maintenance.basePaths[salt] = nil
    }
    if !isEmpty { try environment.fileSystem.syncDirectory(maintenance.walDirectory.path) }
  }

  // MARK: - Closing

  /// Brings the database to where two superblocks name one base and no log is needed.
  private func stepClose(_ maintenance: Maintenance) throws(StorageError) -> WorkerNeed {
    guard let writer else { return .signal }
    settleLog()
    let (version, end, chain) = lock.withLock {
      (sequencer.view.version, sequencer.appender.position, sequencer.appender.chain)
    }
    guard let first = maintenance.store.newest.0, first.commitVersion == version else {
      try beginBase(maintenance)
      return .more
    }
    // What may stand behind the base, seals and what is left of a torn batch, changes nothing.
    func isLast(_ superblock: Superblock?) -> Bool {
      superblock?.baseSalt == first.baseSalt && superblock?.logPosition == end
    }
    let isUnused = first.number == 1 && end == 0
    for _ in 0..<2 where !isUnused && !(isLast(maintenance.store.newest.0) && isLast(maintenance.store.newest.1)) {
      var again = first
      again.number = maintenance.store.nextNumber
      (again.logPosition, again.logChain, again.logGeneration) = (end, chain, maintenance.generation)
      try maintenance.store.write(again)
    }
    try recycle(maintenance, writer, includingCurrent: true)
    let spares = lock.withLock {
      defer { sequencer.appender.spares = [] }
      return sequencer.appender.spares
    }
    for spare in spares { try environment.fileSystem.remove(spare.path) }
    if !spares.isEmpty { try environment.fileSystem.syncDirectory(maintenance.walDirectory.path) }
    maintenance.store.close()
    maintenance.finishClose(nil)
    gate.announce()
    return .signal
  }
}
