import CHearth
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A lock on the writer's lock file that belongs to the open file description: it conflicts with every other opening
/// of the file, in this process too, and the system drops it when the description goes, however the process ended.
///
/// Threading: any thread.
final class POSIXDirectoryLock: DirectoryLock {
  private let path: String
  /// -1 once released.
  private let descriptor: Atomic<Int32>

  init(path: String, descriptor: Int32) {
    self.path = path
    self.descriptor = Atomic(descriptor)
  }

  deinit { release() }

  /// Takes the lock and writes the owner. `false` when the file was removed or replaced meanwhile: whoever opens the
  /// path now would lock another file, so the caller starts again.
  /// - Throws: `.locked` when someone else has it.
  func acquire(for owner: LockOwner) throws(StorageError) -> Bool {
    let descriptor = descriptor.load(ordering: .relaxed)
    var held = stat()
    var named = stat()
    guard fstat(descriptor, &held) == 0 else {
      throw SystemCalls.error("fstat", errno, "The lock file could not be locked", file: path)
    }
    guard held.st_mode & S_IFMT == S_IFREG else {
      throw StorageError(.io, "The lock file is something else than a file; remove it", file: path)
    }
    switch hearth_lock_exclusive(descriptor) {
    case 0: break
    case EAGAIN: throw LockOwner.lockedError(path, holder: readOwner(descriptor))
    case let number: throw SystemCalls.error("fcntl", number, "The lock file could not be locked", file: path)
    }
    guard lstat(path, &named) == 0, named.st_ino == held.st_ino, named.st_dev == held.st_dev else { return false }

    try write(owner.text, descriptor)
    return true
  }

  /// Who holds the lock, asked without taking it. An owner of unknown process and time when the holder's text cannot
  /// be read.
  func holder() throws(StorageError) -> LockOwner? {
    let descriptor = descriptor.load(ordering: .relaxed)
    var held: Int32 = 0
    let number = hearth_lock_query(descriptor, &held)
    guard number == 0 else {
      throw SystemCalls.error("fcntl", number, "The lock file could not be asked", file: path)
    }
    guard held != 0 else { return nil }
    return readOwner(descriptor) ?? LockOwner(processID: 0, startTime: 0, host: "")
  }

  func release() {
    let descriptor = descriptor.exchange(-1, ordering: .acquiringAndReleasing)
    if descriptor >= 0 { closeDescriptor(descriptor) }
  }

  /// Not synced: the text counts only while the lock is held, and no lock outlives the system. On a full disk the
  /// file stays empty, since a lock without a name must not keep anyone from opening and deleting.
  private func write(_ text: [UInt8], _ descriptor: Int32) throws(StorageError) {
    let count = text.withUnsafeBytes { pwrite(descriptor, $0.baseAddress!, $0.count, 0) }
    let number = errno
    if count < 0 && number != ENOSPC && number != EDQUOT && number != EINTR {
      throw SystemCalls.error("pwrite", number, "The lock file could not be written", file: path)
    }
    guard ftruncate(descriptor, count == text.count ? off_t(count) : 0) == 0 else {
      throw SystemCalls.error("ftruncate", errno, "The lock file could not be written", file: path)
    }
  }

  private func readOwner(_ descriptor: Int32) -> LockOwner? {
    var text = [UInt8](repeating: 0, count: LockOwner.textBytesMax)
    let count = text.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress!, $0.count, 0) }
    guard count > 0 else { return nil }
    return LockOwner(text: Array(text[..<count]))
  }
}
