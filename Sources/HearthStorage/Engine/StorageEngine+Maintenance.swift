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
      if let job = maintenance.merge { return try stepMerge(job, maintenance, writer) ? .more : next(maintenance) }
      return next(maintenance)
    } catch {
      discardJobs(maintenance)
      note(error, maintenance)
      return maintenance.isClosed ? .signal : next(maintenance)
    }
  }

  /// A job failed, or could not begin: whoever waits for a merge or for the end gets the error.
  private func note(_ error: StorageError, _ maintenance: Maintenance) {
    maintenance.lastError = error
    lock.withLock { sequencer.mergeEnded(error) }
    if maintenance.isClosing { maintenance.finishClose(error) }
    gate.announce()
  }

  /// Begins whatever is due.
  private func next(_ maintenance: Maintenance) -> WorkerNeed {
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
      let isDue = lock.withLock {
        sequencer.forget()
        return sequencer.isMergeDue
      }
      if isDue {
        try beginMerge(maintenance)
        return .more
      }
    } catch { note(error, maintenance) }
    return .signal
  }

  private func discardJobs(_ maintenance: Maintenance) {
    if let merge = maintenance.merge?.merge {
      merge.roller.abandon()
      maintenance.nextSegment = max(maintenance.nextSegment, merge.roller.nextSegment)
    }
    maintenance.merge = nil
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

  // MARK: - Merging

  /// Freezes the newest changes, ends the log file, and makes sure that everything so far is durable and visible.
  private func beginMerge(_ maintenance: Maintenance) throws(StorageError) {
    let (view, position, framesEnd, chain, abandonCount) = lock.withLock {
      sequencer.freeze()
      let position = sequencer.appender.closeFile()
      return (
        sequencer.view, position, sequencer.appender.framesEnd, sequencer.appender.chain, sequencer.abandonCount
      )
    }
    // The end of the file must be published too, even if no commit is: a flush that fails later goes back to what is
    // published, and if that file were open again, frames would stand where the checkpoint says that another one begins.
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
      throw StorageError(.io, "the commits a checkpoint was to hold were given up")
    }
    let number = maintenance.store.nextNumber
    let stateBytes = lock.withLock { UInt64(max(sequencer.stateBytes, 0)) }
    let roller = SegmentRoller(
      maintenance.segmentDirectory, lineage: maintenance.lineage, checkpoint: number,
      nextSegment: maintenance.nextSegment,
      segmentBytes: max(UInt64(options.segmentBytesMin), stateBytes / 256))
    maintenance.merge = Maintenance.MergeJob(
      merge: StateMerge(
        view.stack, into: roller, sizing: PageSizing(targetBytes: options.pageBytes),
        rewritesAll: maintenance.wantsRewrite),
      view: view, number: number,
      log: CheckpointWriter.LogPlace(position: position, generation: maintenance.generation, chain: chain))
  }

  /// Returns whether the merge needs more steps.
  private func stepMerge(
    _ job: Maintenance.MergeJob, _ maintenance: Maintenance, _ writer: WALWriter
  ) throws(StorageError) -> Bool {
    guard try job.merge.step() else { return true }
    let merged = job.merge.result
    let result = try CheckpointWriter(
      directory: maintenance.segmentDirectory, lineage: maintenance.lineage, number: job.number,
      previous: maintenance.checkpoint, usages: maintenance.usages
    ).write(
      job.merge.roller, roots: merged.roots, killed: merged.killed, growth: merged.growth,
      commitVersion: job.view.version, commitTime: job.view.commitTime, log: job.log)
    maintenance.merge = nil
    maintenance.nextSegment = job.merge.roller.nextSegment
    // From here on a slot may name the files, whatever the write of the slot returns.
    let checkpoint = result.checkpoint
    maintenance.present.formUnion(checkpoint.segmentNumbers)
    maintenance.needed[job.number] = checkpoint.segmentNumbers
    let superblock = Superblock(checkpoint)
    try maintenance.store.write(superblock)
    maintenance.checkpoint = checkpoint
    maintenance.usages = result.usages
    let snapshot = TreeSnapshot(
      commitVersion: checkpoint.record.commitVersion, roots: checkpoint.record.roots, segments: checkpoint.segments,
      cache: maintenance.cache)
    lock.withLock {
      sequencer.checkpointNumber = superblock.number
      sequencer.checkpointPosition = superblock.logPosition
      sequencer.mergeEnded(nil)
      _ = sequencer.exchangeTail(layers: job.view.stack.below.count, by: snapshot)
    }
    // Only who writes the log publishes, or an older state could follow a newer one. If someone is at it, the end of
    // that flush or the next shows the exchange.
    if lead(evenIfIdle: true) { flushAsLeader(forceSync: false) }
    job.merge.warm()
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
    if !isEmpty { try environment.fileSystem.syncDirectory(maintenance.walDirectory.path) }
    try removeSegments(maintenance)
  }

  /// Removes the segments that neither of the two newest superblocks needs (E3), those of failed attempts among them (E4).
  private func removeSegments(_ maintenance: Maintenance) throws(StorageError) {
    let (first, second) = maintenance.store.newest
    let slots = faults.contains(.segmentRemovedEarly) ? [first] : [first, second]
    let numbers = slots.compactMap { $0?.number }
    maintenance.needed = maintenance.needed.filter { numbers.contains($0.key) }
    let needed = maintenance.needed.values.reduce(into: Set<UInt64>()) { $0.formUnion($1) }
    let removable = maintenance.present.subtracting(needed).sorted()
    for segment in removable {
      try environment.fileSystem.remove(maintenance.segmentDirectory.filePath(segment))
      maintenance.present.remove(segment)
    }
    if !removable.isEmpty { try environment.fileSystem.syncDirectory(maintenance.segmentDirectory.path) }
  }

  // MARK: - Closing

  /// Brings the database to where two superblocks name one checkpoint and no log is needed.
  private func stepClose(_ maintenance: Maintenance) throws(StorageError) -> WorkerNeed {
    guard let writer else { return .signal }
    settleLog()
    let (version, end, chain) = lock.withLock {
      (sequencer.view.version, sequencer.appender.position, sequencer.appender.chain)
    }
    guard let first = maintenance.store.newest.0, first.commitVersion == version else {
      try beginMerge(maintenance)
      return .more
    }
    // What may stand behind the checkpoint, seals and what is left of a torn batch, changes nothing.
    func isLast(_ superblock: Superblock?) -> Bool {
      superblock?.record == first.record && superblock?.logPosition == end
    }
    let isUnused = first.number == 1 && end == 0
    for _ in 0..<2 where !isUnused && !(isLast(maintenance.store.newest.0) && isLast(maintenance.store.newest.1)) {
      var again = first
      again.number = maintenance.store.nextNumber
      (again.logPosition, again.logChain, again.logGeneration) = (end, chain, maintenance.generation)
      maintenance.needed[again.number] = maintenance.needed[first.number]
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
