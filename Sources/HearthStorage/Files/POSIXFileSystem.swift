import CHearth

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The operating system's files. Threading: any thread; it has no state.
///
/// Names that are not UTF-8 come out of ``contents(ofDirectory:)`` repaired, and so name nothing: Hearth makes none.
/// A symbolic link in place of a file is refused: a folder from a stranger must not lead to files outside of it, and
/// what has a second name would be written, or copied, in two places.
package final class POSIXFileSystem: FileSystem {
  package init() {}

  package func createDirectory(_ path: String) throws(StorageError) -> Bool {
    try SystemCalls.check(path: path)
    guard mkdir(path, 0o755) != 0 else { return true }
    let number = errno
    if number == EEXIST, try kind(of: path) == .directory { return false }
    throw SystemCalls.error("mkdir", number, "The folder could not be created", file: path)
  }

  package func contents(ofDirectory path: String) throws(StorageError) -> [String] {
    try SystemCalls.check(path: path)
    let message = "The folder could not be read"
    guard let stream = opendir(path) else { throw SystemCalls.error("opendir", errno, message, file: path) }
    defer { closedir(stream) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = readdir(stream) else {
        let number = errno
        guard number == 0 else { throw SystemCalls.error("readdir", number, message, file: path) }
        break
      }
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: pointer.pointee)) {
          String(cString: $0)
        }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  package func kind(of path: String) throws(StorageError) -> FileKind? {
    try SystemCalls.check(path: path)
    var status = stat()
    guard stat(path, &status) == 0 else {
      let number = errno
      // A file where a folder should be on the way: nothing can be there.
      if number == ENOENT || number == ENOTDIR { return nil }
      throw SystemCalls.error("stat", number, "The path could not be looked at", file: path)
    }
    return POSIXFileSystem.kind(of: status)
  }

  private static func kind(of status: stat) -> FileKind {
    switch status.st_mode & S_IFMT {
    case S_IFREG: .file
    case S_IFDIR: .directory
    default: .other
    }
  }

  package func open(_ path: String, _ mode: FileOpenMode) throws(StorageError) -> any File {
    try SystemCalls.check(path: path)
    let flags: Int32
    switch mode {
    case .read: flags = O_RDONLY
    case .readWrite: flags = O_RDWR
    case .create: flags = O_RDWR | O_CREAT | O_EXCL
    }
    // Without O_NONBLOCK a pipe of that name would hold the caller until someone writes into it.
    switch SystemCalls.open(path, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY) {
    case .failure(let failure):
      throw SystemCalls.openError(failure.number, "The file could not be opened", file: path)
    case .success(let descriptor):
      var status = stat()
      let file = POSIXFile(path: path, descriptor: descriptor)
      guard fstat(descriptor, &status) == 0 else {
        throw SystemCalls.error("fstat", errno, "The file could not be opened", file: path)
      }
      guard POSIXFileSystem.kind(of: status) == .file else {
        throw StorageError(.io, "The path names something that is not a file", file: path)
      }
      return file
    }
  }

  package func rename(_ source: String, to target: String) throws(StorageError) {
    try SystemCalls.check(path: source)
    try SystemCalls.check(path: target)
    #if canImport(Darwin)
    let result = Darwin.rename(source, target)
    #elseif canImport(Glibc)
    let result = Glibc.rename(source, target)
    #elseif canImport(Musl)
    let result = Musl.rename(source, target)
    #endif
    guard result == 0 else {
      throw SystemCalls.error("rename", errno, "The file could not be renamed to \(target)", file: source)
    }
  }

  package func remove(_ path: String) throws(StorageError) {
    try SystemCalls.check(path: path)
    guard unlink(path) == 0 else {
      throw SystemCalls.error("unlink", errno, "The file could not be removed", file: path)
    }
  }

  package func removeDirectory(_ path: String) throws(StorageError) {
    try SystemCalls.check(path: path)
    guard rmdir(path) == 0 else {
      throw SystemCalls.error("rmdir", errno, "The folder could not be removed", file: path)
    }
  }

  package func syncDirectory(_ path: String) throws(StorageError) {
    try SystemCalls.check(path: path)
    let message = "The folder could not be made durable"
    switch SystemCalls.open(path, O_RDONLY | O_DIRECTORY) {
    case .failure(let failure): throw SystemCalls.error("open", failure.number, message, file: path)
    case .success(let descriptor):
      defer { closeDescriptor(descriptor) }
      while true {
        let number = hearth_sync_directory(descriptor)
        // Some file systems have no such call for folders (EINVAL); there is nothing else to ask them.
        if number == 0 || number == EINVAL || number == ENOTSUP { return }
        if number != EINTR { throw SystemCalls.error("fsync", number, message, file: path) }
      }
    }
  }

  package func availableBytes(at path: String) throws(StorageError) -> UInt64? {
    try SystemCalls.check(path: path)
    var volume = statvfs()
    while statvfs(path, &volume) != 0 {
      let number = errno
      if number == ENOSYS || number == ENOTSUP { return nil }
      if number != EINTR {
        throw SystemCalls.error("statvfs", number, "The volume's free space could not be read", file: path)
      }
    }
    // Volumes without a size of their own report zero blocks.
    guard volume.f_blocks > 0 else { return nil }
    return UInt64(volume.f_bavail).multipliedReportingOverflow(by: UInt64(volume.f_frsize)).partialValue
  }

  package func lock(_ path: String, owner: LockOwner) throws(StorageError) -> any DirectoryLock {
    try SystemCalls.check(path: path)
    while true {
      switch SystemCalls.open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY) {
      case .failure(let failure):
        throw SystemCalls.openError(failure.number, "The lock file could not be opened", file: path)
      case .success(let descriptor):
        let lock = POSIXDirectoryLock(path: path, descriptor: descriptor)
        if try lock.acquire(for: owner) { return lock }
      }
    }
  }

  package func lockHolder(_ path: String) throws(StorageError) -> LockOwner? {
    try SystemCalls.check(path: path)
    switch SystemCalls.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY) {
    case .failure(let failure) where failure.number == ENOENT || failure.number == ENOTDIR: return nil
    case .failure(let failure):
      throw SystemCalls.openError(failure.number, "The lock file could not be opened", file: path)
    case .success(let descriptor):
      return try POSIXDirectoryLock(path: path, descriptor: descriptor).holder()
    }
  }
}
