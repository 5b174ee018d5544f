#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Says whether two paths name one file or folder, whatever their spelling.
package struct FileIdentity: Hashable, Sendable {
  let device: UInt64
  let number: UInt64
}

extension POSIXFileSystem {
  /// What the path names, symbolic links followed; `nil` if nothing. Holds as long as the file or folder exists.
  package func identity(of path: String) throws(StorageError) -> FileIdentity? {
    try SystemCalls.check(path: path)
    var status = stat()
    guard stat(path, &status) == 0 else {
      let number = errno
      if number == ENOENT || number == ENOTDIR { return nil }
      throw SystemCalls.error("stat", number, "The path could not be looked at", file: path)
    }
    return FileIdentity(
      device: UInt64(truncatingIfNeeded: status.st_dev), number: UInt64(truncatingIfNeeded: status.st_ino))
  }
}
