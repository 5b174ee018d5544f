import HearthStorage

/// A disk that keeps apart what a program has written and what would survive a power cut.
///
/// Every file and folder has its durable state and the ordered list of operations since; ``crash()`` tells which disks
/// a power cut could leave. Faults strike by plan, and the same calls give the same bytes, trace and hashes, always.
///
/// What a crash may do is the worst that POSIX allows: a file's synced bytes are kept, its name only if the folder was
/// synced; of unsynced writes any subset, each torn at sector bounds; sizes without content and content without size;
/// folder operations in any subset, but each as a whole. One mercy: the lock file is durable at once and has no unsynced
/// operations, since no lock and nothing in that file counts after a crash.
///
/// Threading: any thread; only one thread gives a repeatable history.
package final class SimulatedFileSystem: FileSystem, @unchecked Sendable {
  /// Writes are torn at multiples of this in the file.
  package let sectorBytes: Int

  private let mutex = Lock()
  // All of this is guarded by `mutex`. Node 0 is the root folder.
  var files: [Int: SimulatedFileNode] = [:]
  var directories: [Int: [String: Int]] = [0: [:]]
  var durableDirectories: [Int: [String: Int]] = [0: [:]]
  var directoryOperations: [SimulatedDirectoryOperation] = []
  var nextNode = 1
  private var lockOwners: [Int: LockOwner] = [:]
  private var nextLockToken = 1

  private var faults: [SimulatedFault] = []
  private var traceLines: [String] = []
  private var calls = 0
  private var stop = Int.max
  private var history: UInt64 = 0
  private var capacityValue: Int?
  private var budgetValue: Int?
  private var lies = false
  private var tracesReadsValue = false
  private var syncs = 0
  private var written = 0
  private var hook: (@Sendable (Int, String) -> Void)?

  package init(sectorBytes: Int = 4096) {
    precondition(sectorBytes > 0, "Sectors of \(sectorBytes) bytes")
    self.sectorBytes = sectorBytes
  }

  func withLock<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R { try mutex.withLock(body) }

  // MARK: What tests set and ask

  /// Bytes that all files together may have; more is `.resourceExhausted` after what fits was written.
  package var capacityBytes: Int? {
    get { withLock { capacityValue } }
    set { withLock { capacityValue = newValue } }
  }

  /// Bytes that may still be written at all, as ``capacityBytes`` but counting overwriting too.
  package var writeBudgetBytes: Int? {
    get { withLock { budgetValue } }
    set { withLock { budgetValue = newValue } }
  }

  /// A disk that says yes to every sync and does nothing.
  package var liesAboutSync: Bool {
    get { withLock { lies } }
    set { withLock { lies = newValue } }
  }

  package var tracesReads: Bool {
    get { withLock { tracesReadsValue } }
    set { withLock { tracesReadsValue = newValue } }
  }

  /// Called before every operation that changes something, without any lock, with its number from 1 and its line of
  /// the trace.
  package var beforeOperation: (@Sendable (Int, String) -> Void)? {
    get { withLock { hook } }
    set { withLock { hook = newValue } }
  }

  package func inject(_ fault: SimulatedFault) { withLock { faults.append(fault) } }
  package func clearFaults() { withLock { faults = [] } }

  /// Operations so far that change something: create, write, allocate, truncate, sync, syncDirectory, rename, remove,
  /// createDirectory, removeDirectory.
  package var operationCount: Int { withLock { calls } }

  /// Kills the process after its operation number `count` (0 kills before the first): every later call throws an error
  /// that ``isKill(_:)`` knows. What was done is there as it was, for ``crash()`` and ``killedProcess()``.
  package func stopAfter(_ count: Int) { withLock { stop = count } }

  package var isStopped: Bool { withLock { calls >= stop } }

  package static func isKill(_ error: any Error) -> Bool {
    (error as? StorageError)?.cause == killCause
  }

  private static let killCause = "killed by the simulation"

  /// `create /db/a`, `write /db/a @0 12`, `sync /db/a`, `syncDirectory /db`, `rename /db/a -> /db/b`, …; failed ones end
  /// in ` failed io`.
  package var trace: [String] { withLock { traceLines } }
  package func clearTrace() { withLock { traceLines = [] } }

  /// Hash of every operation and byte written so far.
  package var historyHash: UInt64 { withLock { history } }

  /// Successful syncs of files and folders.
  package var syncCount: Int { withLock { syncs } }
  package var writtenBytes: Int { withLock { written } }

  // MARK: Folders

  package func createDirectory(_ path: String) throws(StorageError) -> Bool {
    try run(.createDirectory, path, "createDirectory \(path)") { () throws(StorageError) in
      guard let (directory, name) = try find(path) else { return false }
      if let node = directories[directory]![name] {
        guard directories[node] == nil else { return false }
        throw error(.io, "createDirectory", path, "a file has its name")
      }
      let node = newNode()
      directories[node] = [:]
      durableDirectories[node] = [:]
      directories[directory]![name] = node
      record(.link(directory: directory, name: name, node: node), [directory])
      return true
    }
  }

  package func contents(ofDirectory path: String) throws(StorageError) -> [String] {
    try run(.contents, path, nil) { () throws(StorageError) in
      try directories[directoryNode(path, "contents")]!.keys
        .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
  }

  package func kind(of path: String) throws(StorageError) -> FileKind? {
    try run(.kind, path, nil) { () throws(StorageError) in
      do throws(StorageError) {
        guard let (directory, name) = try find(path) else { return .directory }
        guard let node = directories[directory]![name] else { return nil }
        return directories[node] == nil ? .file : .directory
      } catch  where error.code != .invalidArgument {
        return nil
      }
    }
  }

  package func removeDirectory(_ path: String) throws(StorageError) {
    try run(.removeDirectory, path, "removeDirectory \(path)") { () throws(StorageError) in
      let node = try directoryNode(path, "removeDirectory")
      guard directories[node]!.isEmpty, let (directory, name) = try find(path) else {
        throw error(.io, "removeDirectory", path, "it is not empty")
      }
      directories[directory]![name] = nil
      record(.unlink(directory: directory, name: name, node: node), [directory])
    }
  }

  package func syncDirectory(_ path: String) throws(StorageError) {
    try run(.syncDirectory, path, "syncDirectory \(path)") { () throws(StorageError) in
      let node = try directoryNode(path, "syncDirectory")
      syncs += 1
      if !lies { makeDurable(directory: node) }
    }
  }

  // MARK: Names

  package func open(_ path: String, _ mode: FileOpenMode) throws(StorageError) -> any File {
    let call: SimulatedFault.Call = mode == .create ? .create : .open
    return try run(call, path, mode == .create ? "create \(path)" : nil) { () throws(StorageError) in
      guard let (directory, name) = try find(path) else { throw error(.io, "open", path, "it is a folder") }
      let found = directories[directory]![name]
      let node: Int
      if mode == .create {
        guard found == nil else { throw error(.io, "create", path, "something has its name") }
        node = newNode()
        files[node] = SimulatedFileNode()
        directories[directory]![name] = node
        record(.link(directory: directory, name: name, node: node), [directory])
      } else {
        guard let found else { throw error(.notFound, "open", path, "nothing has that name") }
        guard directories[found] == nil else { throw error(.io, "open", path, "it is a folder") }
        node = found
        traceLines.append("open \(path)")
      }
      files[node]!.openCount += 1
      return SimulatedFile(files: self, path: path, node: node, isWritable: mode != .read)
    }
  }

  package func rename(_ source: String, to target: String) throws(StorageError) {
    try run(.rename, source, "rename \(source) -> \(target)") { () throws(StorageError) in
      guard let (from, oldName) = try find(source), let (into, newName) = try find(target),
        let node = directories[from]![oldName]
      else { throw error(.notFound, "rename", source, "nothing has that name") }
      guard directories[node] == nil else { throw error(.io, "rename", source, "it is a folder") }
      let replaced = directories[into]![newName]
      if replaced == node { return }
      if let replaced {
        guard directories[replaced] == nil else { throw error(.io, "rename", source, "a folder has the new name") }
        files[replaced]!.isLinked = false
      }
      directories[from]![oldName] = nil
      directories[into]![newName] = node
      record(
        .rename(from: from, oldName: oldName, into: into, newName: newName, node: node, replaced: replaced),
        [from, into])
    }
  }

  package func remove(_ path: String) throws(StorageError) {
    try run(.remove, path, "remove \(path)") { () throws(StorageError) in
      guard let (directory, name) = try find(path), let node = directories[directory]![name] else {
        throw error(.notFound, "remove", path, "nothing has that name")
      }
      guard directories[node] == nil else { throw error(.io, "remove", path, "it is a folder") }
      directories[directory]![name] = nil
      files[node]!.isLinked = false
      record(.unlink(directory: directory, name: name, node: node), [directory])
    }
  }

  package func availableBytes(at path: String) throws(StorageError) -> UInt64? {
    try run(.kind, path, nil) { () throws(StorageError) in
      if let (directory, name) = try find(path), directories[directory]![name] == nil {
        throw error(.notFound, "availableBytes", path, "nothing has that name")
      }
      let rooms = [capacityValue.map { $0 - usedBytes }, budgetValue].compactMap { $0 }
      return rooms.min().map { UInt64(max(0, $0)) }
    }
  }

  // MARK: Locks

  package func lock(_ path: String, owner: LockOwner) throws(StorageError) -> any DirectoryLock {
    try run(.lock, path, nil) { () throws(StorageError) in
      guard let (directory, name) = try find(path) else { throw error(.io, "lock", path, "it is a folder") }
      let node: Int
      if let found = directories[directory]![name] {
        guard directories[found] == nil else { throw error(.io, "lock", path, "it is a folder") }
        node = found
      } else {
        node = newNode()
        files[node] = SimulatedFileNode()
        directories[directory]![name] = node
        durableDirectories[directory]![name] = node
      }
      if let holder = lockOwners[node] { throw LockOwner.lockedError(path, holder: holder) }
      lockOwners[node] = owner
      nextLockToken += 1
      files[node]!.live = SimulatedBytes(owner.text)
      files[node]!.durable = files[node]!.live
      files[node]!.operations = []
      files[node]!.lockOwnerToken = nextLockToken
      traceLines.append("lock \(path)")
      return SimulatedLock(files: self, node: node, token: nextLockToken)
    }
  }

  package func lockHolder(_ path: String) throws(StorageError) -> LockOwner? {
    try run(.kind, path, nil) { () throws(StorageError) in
      do throws(StorageError) {
        guard let (directory, name) = try find(path) else { return nil }
        return directories[directory]![name].flatMap { lockOwners[$0] }
      } catch  where error.code == .notFound {
        return nil
      }
    }
  }

  func unlock(_ node: Int, token: Int) {
    withLock {
      guard files[node]?.lockOwnerToken == token else { return }
      files[node]!.lockOwnerToken = nil
      lockOwners[node] = nil
      traceLines.append("unlock")
    }
  }

  // MARK: Files

  func read(_ file: SimulatedFile, into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(StorageError)
    -> Int
  {
    try run(.read, file.path, nil, file) { () throws(StorageError) in
      if tracesReadsValue { traceLines.append("read \(file.path) @\(offset) \(buffer.count)") }
      guard let start = Int(exactly: offset) else { return 0 }
      return files[file.node]!.live.read(into: buffer, at: start)
    }
  }

  func write(_ file: SimulatedFile, _ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(StorageError) {
    let hash = SimulatedBytes.hash(of: bytes)
    try run(
      .write, file.path, "write \(file.path) @\(offset) \(bytes.count)", file, contentHash: hash,
      short: { count in
        guard let start = Int(exactly: offset), start < SimulatedFileSystem.fileBytesMax else { return }
        self.put(UnsafeRawBufferPointer(rebasing: bytes.prefix(count)), at: start, in: file.node)
      },
      { () throws(StorageError) in
        guard file.isWritable else { throw error(.io, "write", file.path, "it is open for reading only") }
        guard let start = Int(exactly: offset), start <= SimulatedFileSystem.fileBytesMax - bytes.count else {
          throw error(.io, "write", file.path, "the file would be too large")
        }
        let size = files[file.node]!.live.count
        var fitting = bytes.count
        if let capacityValue {
          let end = max(size, size + capacityValue - usedBytes)
          fitting = min(fitting, max(0, end - start))
        }
        if let budgetValue { fitting = min(fitting, budgetValue) }
        put(UnsafeRawBufferPointer(rebasing: bytes.prefix(fitting)), at: start, in: file.node)
        if fitting < bytes.count { throw error(.resourceExhausted, "write", file.path, "no space left") }
      })
  }

  private func put(_ bytes: UnsafeRawBufferPointer, at start: Int, in node: Int) {
    guard !bytes.isEmpty else { return }
    let end = start + bytes.count
    if end > files[node]!.live.count { record(.size(end), in: node) }
    record(.write(start, Array(bytes)), in: node)
    files[node]!.live.write(bytes, at: start)
    budgetValue? -= bytes.count
    written += bytes.count
  }

  func allocate(_ file: SimulatedFile, _ byteCount: UInt64) throws(StorageError) {
    try run(.allocate, file.path, "allocate \(file.path) \(byteCount)", file) { () throws(StorageError) in
      guard file.isWritable else { throw error(.io, "allocate", file.path, "it is open for reading only") }
      guard let end = Int(exactly: byteCount), end <= SimulatedFileSystem.fileBytesMax else {
        throw error(.io, "allocate", file.path, "the file would be too large")
      }
      let size = files[file.node]!.live.count
      guard end > size else { return }
      let room = min(capacityValue.map { $0 - usedBytes } ?? Int.max, budgetValue ?? Int.max)
      guard end - size <= room else { throw error(.resourceExhausted, "allocate", file.path, "no space left") }
      record(.size(end), in: file.node)
      record(.zeros(size..<end), in: file.node)
      files[file.node]!.live.resize(to: end)
      budgetValue? -= end - size
      written += end - size
    }
  }

  func truncate(_ file: SimulatedFile, to byteCount: UInt64) throws(StorageError) {
    try run(.truncate, file.path, "truncate \(file.path) \(byteCount)", file) { () throws(StorageError) in
      guard file.isWritable else { throw error(.io, "truncate", file.path, "it is open for reading only") }
      guard let end = Int(exactly: byteCount), end <= SimulatedFileSystem.fileBytesMax else {
        throw error(.io, "truncate", file.path, "the file would be too large")
      }
      guard end != files[file.node]!.live.count else { return }
      record(.size(end), in: file.node)
      files[file.node]!.live.resize(to: end)
    }
  }

  func size(_ file: SimulatedFile) throws(StorageError) -> UInt64 {
    try run(.size, file.path, nil, file) { UInt64(files[file.node]!.live.count) }
  }

  func sync(_ file: SimulatedFile) throws(StorageError) {
    try run(
      .sync, file.path, "sync \(file.path)", file,
      loseDirtyPages: { self.files[file.node]!.abandon() },
      {
        syncs += 1
        if !lies { files[file.node]!.makeDurable() }
      })
  }

  func closed(_ node: Int) {
    withLock { files[node]?.openCount -= 1 }
  }

  // MARK: Inside

  private static let fileBytesMax = 1 << 44

  /// The frame of every call: kill, numbering, hook, faults, trace.
  /// - Parameter line: The call's line in the trace; `nil` for calls that change nothing.
  private func run<R>(
    _ call: SimulatedFault.Call, _ path: String, _ line: String?, _ file: SimulatedFile? = nil, contentHash: UInt64 = 0,
    short: (Int) -> Void = { _ in }, loseDirtyPages: () -> Void = {}, _ body: () throws(StorageError) -> R
  ) throws(StorageError) -> R {
    if let line, let (number, hook) = withLock({ hook.map { (calls + 1, $0) } }) { hook(number, line) }
    return try withLock { () throws(StorageError) in
      if calls >= stop {
        throw StorageError(
          .io, "The simulated process is dead", file: path, cause: SimulatedFileSystem.killCause)
      }
      if let file, file.isClosed { throw StorageError(.closed, "The file is closed", file: path) }
      if let line {
        calls += 1
        traceLines.append(line)
        history = SeededRandom.mix(history &+ SimulatedBytes.hash(of: Array(line.utf8)) ^ contentHash)
      }
      do throws(StorageError) {
        if let effect = strike(call, path) {
          switch effect {
          case .fail(let code): throw injected(code, call, path)
          case .short(let count, let code):
            short(count)
            throw injected(code, call, path)
          case .loseDirtyPages(let code):
            loseDirtyPages()
            throw injected(code, call, path)
          }
        }
        return try body()
      } catch {
        if line != nil { traceLines[traceLines.count - 1] += " failed \(error.code.rawValue)" }
        throw error
      }
    }
  }

  private func strike(_ call: SimulatedFault.Call, _ path: String) -> SimulatedFault.Effect? {
    var result: SimulatedFault.Effect?
    for index in faults.indices
    where faults[index].calls.contains(call) && path.hasSuffix(faults[index].pathSuffix) {
      if faults[index].remainingPasses > 0 {
        faults[index].remainingPasses -= 1
      } else if faults[index].remainingFailures > 0, result == nil {
        faults[index].remainingFailures -= 1
        result = faults[index].effect
      }
    }
    return result
  }

  private func injected(_ code: StorageError.Code, _ call: SimulatedFault.Call, _ path: String) -> StorageError {
    StorageError(code, "The simulated \(call.rawValue) failed", file: path, cause: "injected")
  }

  private func error(_ code: StorageError.Code, _ call: String, _ path: String, _ cause: String) -> StorageError {
    StorageError(code, "The simulated \(call) failed", file: path, cause: cause)
  }

  private func newNode() -> Int {
    defer { nextNode += 1 }
    return nextNode
  }

  private func record(_ change: SimulatedFileOperation.Change, in node: Int) {
    files[node]!.operations.append(SimulatedFileOperation(change: change, call: calls))
  }

  private func record(_ change: SimulatedDirectoryOperation.Change, _ directories: Set<Int>) {
    directoryOperations.append(
      SimulatedDirectoryOperation(change: change, unsyncedDirectories: directories, call: calls))
  }

  private func makeDurable(directory: Int) {
    for index in directoryOperations.indices {
      directoryOperations[index].unsyncedDirectories.remove(directory)
      if directoryOperations[index].unsyncedDirectories.isEmpty { directoryOperations[index].state = .durable }
    }
    // Only from the front: a durable operation must stay behind an undecided one that came before it.
    while let first = directoryOperations.first, first.state == .durable {
      first.apply(to: &durableDirectories)
      directoryOperations.removeFirst()
    }
    forgetNodes()
  }

  /// Drops files that nothing can lead to any more.
  private func forgetNodes() {
    var named = Set(durableDirectories.values.flatMap(\.values))
    for operation in directoryOperations {
      switch operation.change {
      case .link(_, _, let node), .unlink(_, _, let node), .rename(_, _, _, _, let node, _): named.insert(node)
      }
    }
    files = files.filter { $0.value.isLinked || $0.value.openCount > 0 || named.contains($0.key) }
  }

  private var usedBytes: Int {
    files.values.reduce(0) { $0 + ($1.isLinked || $1.openCount > 0 ? $1.live.count : 0) }
  }

  /// Goes on counting where the killed process's system stood, since its unsynced operations carry those numbers.
  func continueNumbering(_ other: SimulatedFileSystem) {
    calls = other.calls
    history = other.history
    capacityValue = other.capacityValue
    budgetValue = other.budgetValue
    lies = other.lies
  }

  /// The folder that holds the path's last part, and that part; `nil` for the root.
  func find(_ path: String) throws(StorageError) -> (directory: Int, name: String)? {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw error(.invalidArgument, "lookup", path, "a path must not be empty or hold a zero byte")
    }
    let names = path.split(separator: "/").filter { $0 != "." }.map(String.init)
    guard let last = names.last else { return nil }
    var directory = 0
    for name in names.dropLast() {
      guard let next = directories[directory]![name] else {
        throw error(.notFound, "lookup", path, "a folder on the way is missing")
      }
      guard directories[next] != nil else { throw error(.io, "lookup", path, "a folder on the way is a file") }
      directory = next
    }
    return (directory, last)
  }

  private func directoryNode(_ path: String, _ call: String) throws(StorageError) -> Int {
    guard let (directory, name) = try find(path) else { return 0 }
    guard let node = directories[directory]![name] else { throw error(.notFound, call, path, "nothing has that name") }
    guard directories[node] != nil else { throw error(.io, call, path, "it is a file") }
    return node
  }
}
