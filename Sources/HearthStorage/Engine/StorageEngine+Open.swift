/// What opening for writing set up.
struct OpenedFiles {
  var appender: WALAppender
  var writer: WALWriter
  var maintenance: Maintenance
  var lock: any DirectoryLock
}

extension StorageEngine {
  static let lockName = "LOCK"
  static let walName = "wal"
  static let segmentsName = "segments"

  /// Opens the database in `directory`, creating it if missing and allowed.
  ///
  /// After an unclean end it recovers: every acknowledged durable commit is there, and nothing of a commit that was
  /// torn. A failed open changes nothing on disk (`LOCK` aside, which says who holds it).
  ///
  /// - Throws: ``StorageError``: `.notFound`, `.notADatabase`, `.permissionDenied`, `.locked` (naming the holder),
  ///   `.unsupportedFormat`, `.corruption` when acknowledged commits are damaged: then a read-only open gives those
  ///   before the damage.
  package static func open(
    at directory: String, options: StorageOptions = StorageOptions(), environment: StorageEnvironment
  ) throws(StorageError) -> StorageEngine {
    let fileSystem = environment.fileSystem
    let isNew = try inspect(directory, fileSystem)
    guard !isNew || (options.createIfMissing && !options.readOnly) else {
      throw StorageError(.notFound, "there is no database here", file: directory)
    }
    if options.readOnly { return try openForReading(directory, options, environment) }
    if try fileSystem.kind(of: directory) == nil {
      _ = try fileSystem.createDirectory(directory)
      try fileSystem.syncDirectory(parent(of: directory))
    } else if isNew {
      // An earlier process may have made the folder and died. A parent that may not be read is somebody else's.
      try? fileSystem.syncDirectory(parent(of: directory))
    }
    let owner = LockOwner(
      processID: ProcessIdentity.processID, startTime: environment.clock.wallMicroseconds(),
      host: ProcessIdentity.host)
    let directoryLock = try fileSystem.lock(directory + "/" + lockName, owner: owner)
    do throws(StorageError) {
      if isNew { try create(directory, environment) }
      var recovery = Recovery(directory: directory, fileSystem: fileSystem, options: options)
      let recovered = try recovery.run()
      if let damage = recovered.replay.damage { throw damage }
      // The process that made SUPER may have died before its name was durable.
      if !isNew, recovered.superblock.number == 1 { try fileSystem.syncDirectory(directory) }
      let opened = try prepareForWriting(recovered, directory, options, environment, directoryLock)
      return StorageEngine(
        directory: directory, options: options, environment: environment, recovered: recovered, opened: opened)
    } catch {
      directoryLock.release()
      throw error
    }
  }

  /// Whether a database is still to be made here.
  private static func inspect(_ directory: String, _ fileSystem: any FileSystem) throws(StorageError) -> Bool {
    switch try fileSystem.kind(of: directory) {
    case nil: return true
    case .directory: break
    default: throw StorageError(.notADatabase, "a database is a folder, but this is a file", file: directory)
    }
    let names = try fileSystem.contents(ofDirectory: directory)
    if names.contains(SuperblockStore.fileName) { return false }
    if let foreign = names.first(where: { ![lockName, walName, segmentsName, SuperblockStore.freshName].contains($0) })
    {
      throw StorageError(
        .notADatabase, "the folder holds other files (\(foreign)) and no database; choose an empty or new folder",
        file: directory)
    }
    for folder in [walName, segmentsName] where names.contains(folder) {
      guard let file = try fileSystem.contents(ofDirectory: directory + "/" + folder).first else { continue }
      throw StorageError(
        .corruption, "SUPER is missing beside a log or segments (\(folder)/\(file)); put it back from a copy",
        file: directory + "/" + SuperblockStore.fileName)
    }
    return true
  }

  private static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  private static func create(_ directory: String, _ environment: StorageEnvironment) throws(StorageError) {
    let fileSystem = environment.fileSystem
    _ = try fileSystem.createDirectory(directory + "/" + walName)
    _ = try fileSystem.createDirectory(directory + "/" + segmentsName)
    try fileSystem.syncDirectory(directory)
    let first = Superblock(
      number: 1, lineage: environment.random.next() | 1, record: nil, recordSegmentBytes: 0, commitVersion: 0,
      commitTime: 0,
      logPosition: 0, logGeneration: 1, logChain: 0, stateBytes: 0,
      entryCounts: [UInt64](repeating: 0, count: TreeID.allCases.count))
    try SuperblockStore.create(directory: directory, fileSystem: fileSystem, first: first).close()
  }

  private static func openForReading(
    _ directory: String, _ options: StorageOptions, _ environment: StorageEnvironment
  ) throws(StorageError) -> StorageEngine {
    // A writer beside may recycle files under the reader; then the superblock has moved.
    var attempts = 0
    var suspectEnd: UInt64?
    while true {
      attempts += 1
      let before = try SuperblockStore.read(directory: directory, fileSystem: environment.fileSystem)
      do throws(StorageError) {
        var recovery = Recovery(directory: directory, fileSystem: environment.fileSystem, options: options)
        let recovered = try recovery.run()
        // A frame that the writer was just writing looks torn, and damaged once the next one has come: real damage
        // stays where it is.
        let isMoving = recovered.replay.damage != nil && suspectEnd != recovered.replay.end
        suspectEnd = recovered.replay.end
        let after = try SuperblockStore.read(directory: directory, fileSystem: environment.fileSystem)
        if !isMoving, after == before {
          return StorageEngine(
            directory: directory, options: options, environment: environment, recovered: recovered, opened: nil)
        }
      } catch {
        let now = try SuperblockStore.read(directory: directory, fileSystem: environment.fileSystem)
        guard error.code == .notFound || now != before, attempts < 20 else { throw error }
      }
      if attempts >= 20 {
        throw StorageError(.io, "the database changed during each of \(attempts) attempts to read it", file: directory)
      }
    }
  }

  /// Makes the log writable again: removes what nobody needs, copies the last file's frames to a fresh one.
  private static func prepareForWriting(
    _ recovered: RecoveredState, _ directory: String, _ options: StorageOptions, _ environment: StorageEnvironment,
    _ lock: any DirectoryLock
  ) throws(StorageError) -> OpenedFiles {
    let fileSystem = environment.fileSystem
    let walDirectory = WALDirectory(database: directory, fileSystem: fileSystem)
    let inventory = recovered.inventory
    var nextNumber = inventory.nextNumber
    func takeNumber() -> UInt64 {
      defer { nextNumber += 1 }
      return nextNumber
    }
    var hasRemoved = false
    func remove(_ path: String) throws(StorageError) {
      try fileSystem.remove(path)
      hasRemoved = true
    }
    for path in inventory.unfinished { try remove(path) }
    let store = try SuperblockStore.open(
      directory: directory, fileSystem: fileSystem, slots: recovered.slots,
      nextNumber: recovered.nextCheckpoint)
    var isSettled = false
    /// What an older checkpoint needs.
    func removeOutdated(_ path: String) throws(StorageError) {
      if !isSettled { try store.settle() }
      isSettled = true
      try remove(path)
    }

    let newestGeneration = inventory.logs.map(\.header.generation).max() ?? 0
    let generation = max(newestGeneration, recovered.superblock.logGeneration) + 1
    var current: WALFile?
    var chain = recovered.replay.chain
    var superseded: UInt64?
    if let last = recovered.replay.files.last {
      superseded = last.header.firstPosition
      if recovered.replay.end > last.header.firstPosition {
        let copy = try WALCopy.make(
          of: last, through: recovered.replay.end, generation: generation, salt: environment.random.next(),
          numbers: (takeNumber(), takeNumber()), directory: walDirectory)
        current = copy.file
        chain = copy.chain
      }
    }

    let valid = recovered.slots.compactMap { $0 }.sorted { $0.number > $1.number }
    let kept = valid.prefix(2)
    let neededFrom = kept.map(\.logPosition).min() ?? 0
    var files: [WALFile] = []
    for item in inventory.logs {
      let isSuperseded = superseded.map { item.header.firstPosition >= $0 } ?? false
      if item.header.firstPosition < neededFrom {
        try removeOutdated(item.path)
      } else if isSuperseded {
        try remove(item.path)
      } else {
        let file = WALFile(header: item.header)
        file.path = item.path
        files.append(file)
      }
    }
    if hasRemoved { try fileSystem.syncDirectory(walDirectory.path) }
    hasRemoved = false
    let needed = recovered.needed.filter { number, _ in kept.contains { $0.number == number } }
    let segmentDirectory = SegmentDirectory(database: directory, fileSystem: fileSystem)
    let segments = recovered.segments
    let isNeeded = needed.values.reduce(into: Set<UInt64>()) { $0.formUnion($1) }
    for segment in segments.finished where !isNeeded.contains(segment) {
      try removeOutdated(segmentDirectory.filePath(segment))
    }
    for path in segments.unfinished { try remove(path) }
    if hasRemoved { try fileSystem.syncDirectory(segmentDirectory.path) }
    if let current { files.append(current) }

    let appender = WALAppender(
      lineage: recovered.superblock.lineage, generation: generation, position: recovered.replay.end, chain: chain,
      file: current, options: options)
    return OpenedFiles(
      appender: appender,
      writer: WALWriter(directory: walDirectory, files: files, current: current, nextNumber: nextNumber),
      maintenance: Maintenance(
        store: store, walDirectory: walDirectory, segmentDirectory: segmentDirectory,
        lineage: recovered.superblock.lineage, generation: generation, cache: recovered.cache,
        checkpoint: recovered.checkpoint, usages: recovered.usages, needed: needed,
        present: isNeeded,
        nextSegment: max(segments.nextNumber, recovered.checkpoint?.record.nextSegment ?? 1)),
      lock: lock)
  }
}
