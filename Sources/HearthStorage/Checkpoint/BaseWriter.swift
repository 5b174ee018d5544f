/// Writes a state as a base file and, from the same walk, builds it anew as one packed memtable layer: what was
/// replaced and removed leaves both the disk and the memory.
///
/// Works in steps of about a megabyte. The file has no name that counts until ``finish()`` has synced it.
/// Not thread-safe.
final class BaseWriter {
  /// What a superblock needs to name the base.
  struct Result {
    var path: String
    var salt: UInt64
    var fileBytes: UInt64
    var stateBytes: UInt64
    var entryCounts: [UInt64]
    /// The same state as the bottom layer of a stack.
    var layer: LayerStack.Layer
  }

  private let stack: LayerStack
  private let commitVersion: UInt64
  private let commitTime: Int64
  private let directory: WALDirectory
  private let file: any File
  private let freshPath: String
  private let targetPath: String
  private var header: WALFileHeader
  private let memtable = Memtable()
  private var builders: [BulkBuilder]
  private var remaining = TreeID.allCases[...]
  private var resumeKey: [UInt8] = []
  private var counts = [UInt64](repeating: 0, count: TreeID.allCases.count)
  private var stateBytes: UInt64 = 0
  private var raw: [UInt8] = []
  private var operationCount: UInt32 = 0
  private var position: UInt64 = 0
  private var chain: UInt32 = 0
  private var frameCount = 0

  static let stepBytes = 1 << 20

  /// - Parameters:
  ///   - stack: the state, kept readable by the caller until the base is finished or discarded.
  ///   - checkpoint: the number of the superblock that will name the base.
  ///   - number: a root number that nothing else has.
  init(
    _ stack: LayerStack, commitVersion: UInt64, commitTime: Int64, directory: WALDirectory,
    fileNumbers: (UInt64, UInt64), lineage: UInt64, generation: UInt64,
    checkpoint: UInt64, salt: UInt64, number: UInt64
  ) throws(StorageError) {
    self.stack = stack
    self.commitVersion = commitVersion
    self.commitTime = commitTime
    self.directory = directory
    freshPath = directory.freshPath(fileNumbers.0)
    targetPath = directory.filePath(fileNumbers.1)
    header = WALFileHeader(
      kind: .base, lineage: lineage, generation: generation, salt: salt, firstPosition: 0,
      commitVersion: commitVersion, checkpoint: checkpoint, copiedEnd: 0, chain: 0, fileBytes: 0)
    builders = TreeID.allCases.map { [memtable] in BulkBuilder(memtable, $0, number: number) }
    file = try directory.fileSystem.open(freshPath, .create)
  }

  /// Writes the next piece. Returns whether all entries are written.
  func step() throws(StorageError) -> Bool {
    while let tree = remaining.first, raw.count < Self.stepBytes {
      if try collect(tree) { remaining.removeFirst() }
    }
    let isDone = remaining.isEmpty
    try writeFrame(isDone ? .lastPart : frameCount == 0 ? .firstPart : .part)
    return isDone
  }

  /// Makes the file whole and durable under its name.
  func finish() throws(StorageError) -> Result {
    header.fileBytes = alignUp(WALFormat.framesOffset + position, WALFormat.sectorBytes)
    try file.truncate(to: header.fileBytes)
    try file.write(bytes: header.encoded(), at: 0)
    if !StorageFaults.injected.contains(.baseNotSynced) { try file.sync() }
    file.close()
    try directory.fileSystem.rename(freshPath, to: targetPath)
    try directory.fileSystem.syncDirectory(directory.path)
    var roots = Roots()
    for tree in TreeID.allCases { roots[tree] = builders[Int(tree.rawValue)].finish() }
    return Result(
      path: targetPath, salt: header.salt, fileBytes: header.fileBytes, stateBytes: stateBytes, entryCounts: counts,
      layer: LayerStack.Layer(memtable: memtable, roots: roots))
  }

  /// Takes back what an unfinished base occupies.
  func discard() {
    file.close()
    try? directory.fileSystem.remove(freshPath)
  }

  /// Adds entries of one tree to the open frame until it is full. Returns whether the tree is exhausted.
  private func collect(_ tree: TreeID) throws(StorageError) -> Bool {
    var cursor = MergedCursor(stack, tree, KeyRange(lower: resumeKey))
    while raw.count < Self.stepBytes {
      guard let entry = cursor.next() else {
        resumeKey = []
        return true
      }
      let key = entry.key.bytes
      let value = entry.value
      // The layer keeps each entry's own version, so that open transactions still find their conflicts.
      try builders[Int(tree.rawValue)].append(key: key, value: value, version: entry.version)
      raw.append(BatchFormat.tag(.insert, tree))
      raw.append(varint: key.count)
      raw.append(varint: value.count)
      raw.append(contentsOf: key)
      raw.append(contentsOf: value)
      operationCount += 1
      counts[Int(tree.rawValue)] += 1
      stateBytes += UInt64(key.count + value.count)
      if raw.count >= Self.stepBytes { resumeKey = [UInt8](key) + [0] }
    }
    return false
  }

  private func writeFrame(_ kind: FrameKind) throws(StorageError) {
    let header = WALFormat.frameHeaderBytes
    // A frame is stored compressed only where that saves at least 1/16.
    let stored = raw.count - raw.count / 16
    let memory = UnsafeMutableRawBufferPointer.allocate(
      byteCount: Int(WALFormat.frameBytes(payload: raw.count)), alignment: 4096)
    defer { memory.deallocate() }
    memory.initializeMemory(as: UInt8.self, repeating: 0)
    let target = UnsafeMutableRawBufferPointer(rebasing: memory[header..<(header + stored)])
    let compressed = raw.withUnsafeBytes { LZ4Block.compress($0, into: target) }
    if compressed == nil { UnsafeMutableRawBufferPointer(rebasing: memory[header...]).copyBytes(from: raw) }
    let frame = WALFrame(
      kind: kind, codec: compressed == nil ? .raw : .lz4, storedLength: compressed ?? raw.count,
      rawLength: raw.count, position: position, salt: self.header.salt, generation: self.header.generation,
      syncedThrough: 0, commitVersion: commitVersion, commitTime: commitTime, chain: chain,
      operationCount: operationCount)
    chain = frame.seal(at: memory.baseAddress!)
    let frameBytes = Int(frame.end - frame.position)
    // What a failed compression left behind the frame is not part of it.
    try file.write(
      UnsafeRawBufferPointer(rebasing: memory[..<frameBytes]), at: WALFormat.framesOffset + position)
    position = frame.end
    frameCount += 1
    raw.removeAll(keepingCapacity: true)
    operationCount = 0
  }
}
