#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Says whether two paths name one file or folder, whatever their spelling. A number may be given anew once what had it
/// is gone: keep it together with a ``FolderHold``.
package struct FileIdentity: Hashable, Sendable {
  let device: UInt64
  let number: UInt64
}

/// Keeps the identity of a folder from being given to another one, even when the folder is deleted meanwhile.
///
/// Threading: immutable.
package final class FolderHold: Sendable {
  package let identity: FileIdentity
  private let descriptor: Int32

  fileprivate init(identity: FileIdentity, descriptor: Int32) {
    self.identity = identity
    self.descriptor = descriptor
  }

  deinit { closeDescriptor(descriptor) }
}

extension POSIXFileSystem {
  /// Holds the folder that the path names, symbolic links followed; `nil` if there is none.
  package func hold(folder path: String) throws(StorageError) -> FolderHold? {
    try SystemCalls.check(path: path)
    switch SystemCalls.open(path, O_RDONLY | O_DIRECTORY) {
    case .failure(let failure) where failure.number == ENOENT || failure.number == ENOTDIR: return nil
    case .failure(let failure):
      throw SystemCalls.error("open", failure.number, "The folder could not be looked at", file: path)
    case .success(let descriptor):
      var status = stat()
      guard fstat(descriptor, &status) == 0 else {
        let number = errno
        closeDescriptor(descriptor)
        throw SystemCalls.error("fstat", number, "The folder could not be looked at", file: path)
      }
      let identity = FileIdentity(
        device: UInt64(truncatingIfNeeded: status.st_dev), number: UInt64(truncatingIfNeeded: status.st_ino))
      return FolderHold(identity: identity, descriptor: descriptor)
    }
  }
}
