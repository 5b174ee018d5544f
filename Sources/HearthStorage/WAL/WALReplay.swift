/// Finds the log that goes on from a checkpoint and hands its frames, in order, to whoever applies them.
///
/// Reading changes nothing on disk. The answer says where the log ends and whether anything proves that frames which
/// had been synced are missing there (E6): then what was handed out is the good prefix.
struct WALReplay {
  /// The files whose frames count, oldest first.
  private(set) var files: [WALInventory.Item] = []
  /// Where the last good frame ends.
  private(set) var end: UInt64
  /// Checksum of the last good frame.
  private(set) var chain: UInt32
  private(set) var lastVersion: UInt64
  private(set) var lastTime: Int64
  private(set) var frameCount = 0
  /// What stands behind the end, for reports; `nil` where there is nothing but zeros.
  private(set) var tail: String?
  private(set) var damage: StorageError?

  /// The version of a batch whose last part has not come; it may lie in the next file.
  private var openParts: UInt64?
  private let fileSystem: any FileSystem
  private let inventory: WALInventory
  private var generation: UInt64
  private let checkpointedVersion: UInt64

  /// Where a log goes on after a checkpoint.
  struct Start {
    var position: UInt64
    /// Files of older generations don't count.
    var generation: UInt64
    var chain: UInt32
    var commitVersion: UInt64
    var commitTime: Int64
  }

  /// - Parameter checkpointedVersion: the newest commit that any slot of SUPER holds; the log must get there.
  init(
    from start: Start, inventory: WALInventory, fileSystem: any FileSystem, checkpointedVersion: UInt64 = 0
  ) {
    self.checkpointedVersion = checkpointedVersion
    end = start.position
    chain = start.chain
    generation = start.generation
    lastVersion = start.commitVersion
    lastTime = start.commitTime
    self.inventory = inventory
    self.fileSystem = fileSystem
    damage = inventory.damage
  }

  /// - Parameter apply: gets each frame but seals once, with its raw payload. A batch in parts counts with its last
  ///   part only; one that never got it is cut short by the next first part or commit.
  mutating func run(
    _ apply: (WALFrame, UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) {
    while let item = nextFile() {
      guard item.header.chain == chain else {
        proveDamage("the file does not go on where the one before it ends", item.path, nil, nil)
        return
      }
      generation = item.header.generation
      files.append(item)
      guard try read(item, apply) else { return }
    }
    try judgeEnd()
  }

  /// The newest generation's file that begins where the log ends so far.
  private func nextFile() -> WALInventory.Item? {
    let position = alignUp(end, WALFormat.sectorBytes)
    if let last = files.last, last.header.firstPosition == position { return nil }
    if StorageFaults.injected.contains(.oldGenerationWins) {
      return inventory.logs.first { $0.header.firstPosition == position && $0.header.generation >= generation }
    }
    return inventory.logs.last { $0.header.firstPosition == position && $0.header.generation >= generation }
  }

  /// - Returns: whether the log may go on in another file.
  private mutating func read(
    _ item: WALInventory.Item, _ apply: (WALFrame, UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) -> Bool {
    let file = try fileSystem.open(item.path, .read)
    defer { file.close() }
    let reader = try WALFileReader(file, path: item.path, header: item.header)
    while let (frame, payload) = try reader.next() {
      if frame.kind != .seal {
        guard frame.commitVersion > lastVersion || openParts == frame.commitVersion else {
          proveDamage("commit \(frame.commitVersion) follows commit \(lastVersion)", item.path, nil, frame.position)
          return false
        }
        openParts = frame.kind == .firstPart || frame.kind == .part ? frame.commitVersion : nil
        switch frame.codec {
        case .raw: try apply(frame, payload)
        case .lz4: try inflate(frame, payload, apply)
        }
        if openParts == nil {
          lastVersion = frame.commitVersion
          lastTime = frame.commitTime
        }
      }
      frameCount += 1
      end = frame.end
      chain = frame.crc
    }
    if case .invalid(let text) = reader.fault { tail = text } else { tail = nil }
    if item.isCut {
      proveDamage("the log file is shorter than its header says; its end was cut off", item.path, nil, end)
      return false
    }
    if end < item.header.copiedEnd {
      proveDamage(tail ?? "zeros", item.path, nil, end)
      return false
    }
    // Before the file's first position there is at most padding: its header's chain has proven that nothing is missing
    // there. A writer that began at a checkpoint claims up to that position.
    if let later = try reader.laterFrame(syncedBeyond: max(end, item.header.firstPosition)) {
      proveDamage(tail ?? "zeros", item.path, later, end)
      return false
    }
    return true
  }

  private func inflate(
    _ frame: WALFrame, _ payload: UnsafeRawBufferPointer,
    _ apply: (WALFrame, UnsafeRawBufferPointer) throws(StorageError) -> Void
  ) throws(StorageError) {
    // The length was bounded when the frame was read.
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: frame.rawLength, alignment: 16)
    defer { memory.deallocate() }
    try LZ4Block.decompress(payload, into: memory)
    try apply(frame, UnsafeRawBufferPointer(memory))
  }

  /// A header is written only when everything before its file had been synced: one that begins, or knows of commits,
  /// beyond the end proves that the end is not where the log stopped.
  private mutating func judgeEnd() throws(StorageError) {
    let beyond = inventory.logs.first {
      $0.header.generation >= generation && $0.header.firstPosition > alignUp(end, WALFormat.sectorBytes)
    }
    let knowing = inventory.logs.max { $0.header.commitVersion < $1.header.commitVersion }
    if let beyond {
      proveDamage(
        "\(tail ?? "nothing") at position \(end), but \(beyond.path) goes on at \(beyond.header.firstPosition)",
        files.last?.path ?? beyond.path, nil, end)
    } else if let knowing, knowing.header.commitVersion > lastVersion {
      proveDamage(
        "the log ends with commit \(lastVersion), but \(knowing.path) was made after commit "
          + "\(knowing.header.commitVersion)", files.last?.path ?? knowing.path, nil, end)
    } else if checkpointedVersion > lastVersion {
      proveDamage(
        "the log ends with commit \(lastVersion), but SUPER has a checkpoint of commit \(checkpointedVersion), whose "
          + "files are gone", files.last?.path ?? inventory.directory.path, nil, end)
    }
  }

  /// Says why the log begins where it does, if it is damaged: a later checkpoint can't be used.
  mutating func blame(_ error: StorageError?) {
    guard let error, let found = damage else { return }
    damage = StorageError(
      .corruption, found.message, at: error.place ?? found.place,
      cause: "\(error)" + (found.cause.map { "; \($0)" } ?? ""))
  }

  private mutating func proveDamage(_ what: String, _ path: String, _ later: WALFrame?, _ position: UInt64?) {
    guard damage == nil else { return }
    // A log can end on the bound before the file it was to go on in.
    let offset = position.flatMap { position in
      files.last.map { $0.header.offset(of: max(position, $0.header.firstPosition)) }
    }
    let stake = later.map { "; a later batch, commit \($0.commitVersion), proves that they had been synced" } ?? ""
    damage = StorageError(
      .corruption,
      "acknowledged commits after \(lastVersion) are damaged\(stake). Open read-only to get everything before",
      file: path, offset: offset, cause: what)
  }
}
