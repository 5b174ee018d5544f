/// The half of the log that does I/O: writes what the ``WALAppender`` collected, in order, and syncs it.
///
/// Whoever flushes owns it; only `takeNumber`, `retire`, `hasFailed` and `syncBeside` may be called beside. After an error
/// other than "no room before a byte was written" it refuses every further call: the state of the last file is unknown
/// then, and only reopening finds out (engine.md §10).
final class WALWriter: @unchecked Sendable {
  private let directory: WALDirectory
  private let fileSystem: any FileSystem
  /// Changed under `syncLock`.
  private var current: WALFile?
  /// Bytes were written to `current` since its owner last synced it.
  private var isDirty = false
  /// Content of `current` before this offset is in whole sectors.
  private var filledTo: UInt64 = 0
  private var nextNumber: UInt64
  private var failure: StorageError?
  /// Files that take frames or took them, oldest first, for recycling; the last is the current one.
  private var files: [WALFile]
  /// Guards `files`, `nextNumber` and `failure`: the maintenance recycles while others write. Held for moments.
  private let lock = Lock()
  /// Held during every sync of `current` and while it changes. The system tells an error once for a file: two syncs at a
  /// time could share it so that the wrong one returns well.
  private let syncLock = Lock()
  private let faults = StorageFaults.injected

  /// - Parameters:
  ///   - files: the log files in force, oldest first. None but a `current` that recovery made is written again.
  ///   - current: the file that takes the next frames, open for writing and wholly synced.
  init(directory: WALDirectory, files: [WALFile], current: WALFile?, nextNumber: UInt64) {
    self.directory = directory
    fileSystem = directory.fileSystem
    self.files = files
    self.current = current
    self.nextNumber = nextNumber
  }

  var hasFailed: Bool { lock.withLock { failure != nil } }

  /// A number for a file that nothing has yet.
  func takeNumber() -> UInt64 {
    lock.withLock {
      defer { nextNumber += 1 }
      return nextNumber
    }
  }

  /// Writes the segments and, if asked, syncs: then all of them, and everything before, survives a power cut.
  ///
  /// - Throws: `.resourceExhausted` with the writer still good when there was no room and nothing was written; any
  ///   other error for good.
  func write(_ segments: [WALAppender.Segment], sync: Bool) throws(StorageError) {
    try checkForFailure()
    // Room for new files first: so that a full disk is met before the first byte.
    try prepareAll(segments)
    do {
      for segment in segments {
        if segment.file !== current { try activate(segment.file) }
        guard let handle = segment.file.handle else { preconditionFailure("an active log file has a handle") }
        let offset = segment.file.header.offset(of: segment.position)
        fillSector(after: offset + UInt64(segment.bytes.count), segment)
        try handle.write(segment.bytes.bytes, at: offset)
        isDirty = true
      }
      if sync, !faults.contains(.logNotSynced) { try syncCurrent() }
    } catch {
      throw fail(error)
    }
  }

  /// Syncs what has been written so far, while others go on writing. On failure every later write fails.
  func syncBeside() throws(StorageError) {
    if faults.contains(.logNotSynced) { return }
    try syncLock.withLock { () throws(StorageError) in
      try checkForFailure()
      do throws(StorageError) { try current?.handle?.sync() } catch { throw fail(error) }
    }
  }

  /// Whoever enters a sector writes all of it: into a recycled file that is not in the system's cache any more, a part
  /// of a sector could only be written after reading the rest from the disk.
  private func fillSector(after end: UInt64, _ segment: WALAppender.Segment) {
    guard end > filledTo else { return }
    filledTo = min(alignUp(end, WALFormat.sectorBytes), segment.file.header.fileBytes)
    if filledTo > end { segment.bytes.appendZeros(Int(filledTo - end)) }
  }

  private func checkForFailure() throws(StorageError) {
    if let failure = lock.withLock({ failure }) { throw failure }
  }

  /// Notes that the log is of no use from here on; the first error stays. Returns `error`.
  private func fail(_ error: StorageError) -> StorageError {
    lock.withLock {
      failure =
        failure
        ?? StorageError(
          .closed, "the log stopped after a failed write or sync; reopen the database to go on",
          at: error.place, cause: error.description)
    }
    return error
  }

  /// Takes the files that begin before `position` from the list and returns their paths; the current one stays.
  func retire(before position: UInt64, includingCurrent: Bool) -> [SpareWALFile] {
    lock.withLock {
      let gone = files.filter { file in
        file.header.firstPosition < position && (includingCurrent || file !== files.last)
      }
      files.removeAll { file in gone.contains { $0 === file } }
      return gone.compactMap { file in file.path.map { SpareWALFile(path: $0, fileBytes: file.header.fileBytes) } }
    }
  }

  func close() {
    syncLock.withLock {
      current?.handle?.close()
      current = nil
    }
    lock.withLock { failure = failure ?? StorageError(.closed, "the database is closed") }
  }

  private func prepareAll(_ segments: [WALAppender.Segment]) throws(StorageError) {
    var prepared: [WALFile] = []
    for segment in segments where segment.file.handle == nil {
      do {
        try prepare(segment.file)
        prepared.append(segment.file)
      } catch {
        // Nobody will use these plans: what they took from a full disk goes back.
        for file in prepared {
          file.handle?.close()
          if let path = file.path { try? fileSystem.remove(path) }
        }
        throw error
      }
    }
  }

  /// Gives a planned file its blocks, under a name that promises nothing.
  private func prepare(_ file: WALFile) throws(StorageError) {
    if let spare = file.spare {
      file.handle = try fileSystem.open(spare.path, .readWrite)
      file.path = spare.path
      return
    }
    let path = directory.freshPath(takeNumber())
    let handle = try fileSystem.open(path, .create)
    do {
      try handle.allocate(file.header.fileBytes)
    } catch {
      handle.close()
      try? fileSystem.remove(path)
      throw error
    }
    file.handle = handle
    file.path = path
  }

  /// Makes a prepared file the one that takes frames. The file before it is synced whole first, and header and name
  /// are durable before the first frame: so a header proves that everything before its first position was synced.
  private func activate(_ file: WALFile) throws(StorageError) {
    if !faults.contains(.fileNotSyncedBeforeNext) { try syncCurrent() }
    guard let handle = file.handle, let path = file.path else { preconditionFailure("an unprepared log file") }
    try handle.write(bytes: file.header.encoded(), at: 0)
    if !faults.contains(.headerNotSynced) { try handle.sync() }
    let target = directory.filePath(takeNumber())
    try fileSystem.rename(path, to: target)
    if !faults.contains(.namesNotSynced) { try fileSystem.syncDirectory(directory.path) }
    file.path = target
    syncLock.withLock {
      current?.handle?.close()
      current?.handle = nil
      current = file
    }
    filledTo = WALFormat.framesOffset
    lock.withLock { files.append(file) }
  }

  private func syncCurrent() throws(StorageError) {
    try syncLock.withLock { () throws(StorageError) in
      // A sync beside that failed may have been the one to hear of this file's lost bytes.
      try checkForFailure()
      guard isDirty, let handle = current?.handle else { return }
      try handle.sync()
      isDirty = false
    }
  }
}
