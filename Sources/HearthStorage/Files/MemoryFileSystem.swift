import Synchronization

/// Files in memory, for databases without a folder. It behaves as the operating system's files do, and forgets
/// everything with the last reference to it.
///
/// Threading: any thread. Paths begin at one root, with or without a leading `/`.
package final class MemoryFileSystem: FileSystem {
  private enum DirectoryItem {
    case file(MemoryNode)
    case directory(Directory)
  }

  /// Guarded by `mutex`, as all folders are.
  private final class Directory: @unchecked Sendable {
    var entries: [String: DirectoryItem] = [:]
  }

  private let mutex = Lock()
  private let root = Directory()

  package init() {}

  package func createDirectory(_ path: String) throws(StorageError) -> Bool {
    try change(path, "The folder could not be created") { directory, name throws(StorageError) in
      guard let name else { return false }
      switch directory.entries[name] {
      case nil:
        directory.entries[name] = .directory(Directory())
        return true
      case .directory: return false
      case .file:
        throw StorageError(.io, "The folder could not be created", file: path, cause: "a file has its name")
      }
    }
  }

  package func contents(ofDirectory path: String) throws(StorageError) -> [String] {
    let names = try change(path, "The folder could not be read") { directory, name throws(StorageError) in
      guard let name else { return Array(directory.entries.keys) }
      switch directory.entries[name] {
      case .directory(let found): return Array(found.entries.keys)
      case .file: throw StorageError(.io, "The folder could not be read", file: path, cause: "it is a file")
      case nil: throw MemoryFileSystem.notFound(path, "The folder could not be read")
      }
    }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  package func kind(of path: String) throws(StorageError) -> FileKind? {
    do throws(StorageError) {
      return try change(path, "The path could not be looked at") { directory, name throws(StorageError) in
        guard let name else { return FileKind.directory }
        return switch directory.entries[name] {
        case .file: FileKind.file
        case .directory: FileKind.directory
        case nil: nil
        }
      }
    } catch  where error.code == .notFound || error.cause == MemoryFileSystem.notADirectory {
      return nil
    }
  }

  package func open(_ path: String, _ mode: FileOpenMode) throws(StorageError) -> any File {
    let message = "The file could not be opened"
    let node = try change(path, message) { directory, name throws(StorageError) in
      switch (name.flatMap { directory.entries[$0] }, mode) {
      case (.file(let node), .read), (.file(let node), .readWrite): return node
      case (nil, .create) where name != nil:
        let node = MemoryNode()
        directory.entries[name!] = .file(node)
        return node
      case (nil, _) where name != nil: throw MemoryFileSystem.notFound(path, message)
      case (_, .create): throw StorageError(.io, message, file: path, cause: "something has its name")
      default: throw StorageError(.io, "The path names something that is not a file", file: path)
      }
    }
    return MemoryFile(path: path, node: node, isWritable: mode != .read)
  }

  package func rename(_ source: String, to target: String) throws(StorageError) {
    let message = "The file could not be renamed to \(target)"
    try mutex.withLock { () throws(StorageError) in
      let (from, oldName) = try MemoryFileSystem.find(source, from: root, message)
      let (into, newName) = try MemoryFileSystem.find(target, from: root, message)
      guard let oldName, let newName, let entry = from.entries[oldName] else {
        throw MemoryFileSystem.notFound(source, message)
      }
      if case .directory = entry {
        throw StorageError(.io, message, file: source, cause: "it is a folder")
      }
      if case .directory = into.entries[newName] {
        throw StorageError(.io, message, file: source, cause: "a folder has the new name")
      }
      from.entries[oldName] = nil
      into.entries[newName] = entry
    }
  }

  package func remove(_ path: String) throws(StorageError) {
    let message = "The file could not be removed"
    try change(path, message) { directory, name throws(StorageError) in
      switch name.flatMap({ directory.entries[$0] }) {
      case .file: directory.entries[name!] = nil
      case .directory: throw StorageError(.io, message, file: path, cause: "it is a folder")
      case nil: throw MemoryFileSystem.notFound(path, message)
      }
    }
  }

  package func removeDirectory(_ path: String) throws(StorageError) {
    let message = "The folder could not be removed"
    try change(path, message) { directory, name throws(StorageError) in
      switch name.flatMap({ directory.entries[$0] }) {
      case .directory(let found) where found.entries.isEmpty: directory.entries[name!] = nil
      case .directory: throw StorageError(.io, message, file: path, cause: "it is not empty")
      case .file: throw StorageError(.io, message, file: path, cause: "it is a file")
      case nil: throw MemoryFileSystem.notFound(path, message)
      }
    }
  }

  package func syncDirectory(_ path: String) throws(StorageError) {
    _ = try contents(ofDirectory: path)
  }

  package func availableBytes(at path: String) throws(StorageError) -> UInt64? {
    guard try kind(of: path) != nil else {
      throw MemoryFileSystem.notFound(path, "The volume's free space could not be read")
    }
    return nil
  }

  package func lock(_ path: String, owner: LockOwner) throws(StorageError) -> any DirectoryLock {
    let message = "The lock file could not be opened"
    let node = try change(path, message) { directory, name throws(StorageError) in
      switch name.flatMap({ directory.entries[$0] }) {
      case .file(let node): return node
      case nil where name != nil:
        let node = MemoryNode()
        directory.entries[name!] = .file(node)
        return node
      default: throw StorageError(.io, message, file: path, cause: "it is a folder")
      }
    }
    if let holder = node.lock(for: owner) { throw LockOwner.lockedError(path, holder: holder) }
    let text = owner.text
    _ = node.truncate(to: 0)
    _ = text.withUnsafeBytes { node.write($0, at: 0) }
    return MemoryDirectoryLock(node: node)
  }

  package func lockHolder(_ path: String) throws(StorageError) -> LockOwner? {
    do throws(StorageError) {
      return try change(path, "The lock file could not be opened") { directory, name throws(StorageError) in
        guard let name, case .file(let node) = directory.entries[name] else { return nil }
        return node.lockOwner
      }
    } catch  where error.code == .notFound {
      return nil
    }
  }

  /// Runs `body` with the folder that holds the path's last part, and that part; `nil` for the root itself.
  private func change<R>(
    _ path: String, _ message: String, _ body: (Directory, String?) throws(StorageError) -> R
  ) throws(StorageError) -> R {
    try mutex.withLock { () throws(StorageError) in
      let (directory, name) = try MemoryFileSystem.find(path, from: root, message)
      return try body(directory, name)
    }
  }

  private static func find(
    _ path: String, from root: Directory, _ message: String
  ) throws(StorageError) -> (Directory, String?) {
    try SystemCalls.check(path: path)
    let names = path.split(separator: "/").filter { $0 != "." }
    guard let last = names.last else { return (root, nil) }
    var directory = root
    for name in names.dropLast() {
      switch directory.entries[String(name)] {
      case .directory(let next): directory = next
      case .file: throw StorageError(.io, message, file: path, cause: notADirectory)
      case nil: throw notFound(path, message)
      }
    }
    return (directory, String(last))
  }

  private static let notADirectory = "a folder on the way is a file"

  private static func notFound(_ path: String, _ message: String) -> StorageError {
    StorageError(.notFound, message, file: path, cause: "nothing has that name")
  }
}

/// A lock in memory. Threading: any thread.
private final class MemoryDirectoryLock: DirectoryLock {
  private let node: MemoryNode
  private let isReleased = Atomic(false)

  init(node: MemoryNode) {
    self.node = node
  }

  deinit { release() }

  func release() {
    if !isReleased.exchange(true, ordering: .acquiringAndReleasing) { node.unlock() }
  }
}
