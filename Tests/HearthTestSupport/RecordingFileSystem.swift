import HearthStorage

/// Passes every call on to another file system, mostly the real one, and writes down what succeeded in the order in
/// which it ended, so that a test can prove "written, then synced, then acknowledged".
///
/// Lines are those of ``SimulatedFileSystem/trace``, with paths shortened by `prefix`; a test adds its own by
/// ``note(_:)``. Threading: any thread.
package final class RecordingFileSystem: FileSystem {
  private let base: any FileSystem
  private let prefix: String
  private let mutex = Lock()
  nonisolated(unsafe) private var lines: [String] = []

  /// - Parameter prefix: What is cut from the front of paths, such as the folder of the test.
  package init(_ base: any FileSystem, prefix: String = "") {
    self.base = base
    self.prefix = prefix
  }

  package var trace: [String] { mutex.withLock { lines } }

  package func note(_ line: String) { mutex.withLock { lines.append(line) } }

  func short(_ path: String) -> String {
    path.hasPrefix(prefix) ? String(path.dropFirst(prefix.count)) : path
  }

  package func createDirectory(_ path: String) throws(StorageError) -> Bool {
    let isNew = try base.createDirectory(path)
    note("createDirectory \(short(path))")
    return isNew
  }

  package func contents(ofDirectory path: String) throws(StorageError) -> [String] {
    try base.contents(ofDirectory: path)
  }

  package func kind(of path: String) throws(StorageError) -> FileKind? { try base.kind(of: path) }

  package func open(_ path: String, _ mode: FileOpenMode) throws(StorageError) -> any File {
    let file = try base.open(path, mode)
    note("\(mode == .create ? "create" : "open") \(short(path))")
    return RecordingFile(file, path: short(path), owner: self)
  }

  package func rename(_ source: String, to target: String) throws(StorageError) {
    try base.rename(source, to: target)
    note("rename \(short(source)) -> \(short(target))")
  }

  package func remove(_ path: String) throws(StorageError) {
    try base.remove(path)
    note("remove \(short(path))")
  }

  package func removeDirectory(_ path: String) throws(StorageError) {
    try base.removeDirectory(path)
    note("removeDirectory \(short(path))")
  }

  package func syncDirectory(_ path: String) throws(StorageError) {
    try base.syncDirectory(path)
    note("syncDirectory \(short(path))")
  }

  package func availableBytes(at path: String) throws(StorageError) -> UInt64? { try base.availableBytes(at: path) }

  package func lock(_ path: String, owner: LockOwner) throws(StorageError) -> any DirectoryLock {
    let lock = try base.lock(path, owner: owner)
    note("lock \(short(path))")
    return lock
  }

  package func lockHolder(_ path: String) throws(StorageError) -> LockOwner? { try base.lockHolder(path) }
}

private final class RecordingFile: File {
  private let base: any File
  private let path: String
  private let owner: RecordingFileSystem

  init(_ base: any File, path: String, owner: RecordingFileSystem) {
    self.base = base
    self.path = path
    self.owner = owner
  }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(StorageError) -> Int {
    try base.read(into: buffer, at: offset)
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(StorageError) {
    try base.write(bytes, at: offset)
    owner.note("write \(path) @\(offset) \(bytes.count)")
  }

  func allocate(_ byteCount: UInt64) throws(StorageError) {
    try base.allocate(byteCount)
    owner.note("allocate \(path) \(byteCount)")
  }

  func truncate(to byteCount: UInt64) throws(StorageError) {
    try base.truncate(to: byteCount)
    owner.note("truncate \(path) \(byteCount)")
  }

  func size() throws(StorageError) -> UInt64 { try base.size() }

  func sync() throws(StorageError) {
    try base.sync()
    owner.note("sync \(path)")
  }

  func close() { base.close() }
}
