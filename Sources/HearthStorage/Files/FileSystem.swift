/// The only door to the operating system's files: POSIX in production, memory for databases without a folder, and a
/// simulated one that keeps durable and live bytes apart.
///
/// Threading: every call may come from any thread. Paths are plain strings joined with `/`.
/// A file's bytes are durable after ``File/sync()``; its *name* (creation, rename, removal) only after
/// ``syncDirectory(_:)`` of the folder that holds it.
package protocol FileSystem: AnyObject, Sendable {
  /// Creates one folder (not its parents). `true` if it was made, `false` if a folder of that name was there.
  func createDirectory(_ path: String) throws(StorageError) -> Bool
  /// The names in a folder, without `.` and `..`, sorted by bytes.
  func contents(ofDirectory path: String) throws(StorageError) -> [String]
  /// What the path names, or `nil` if nothing. Symbolic links are followed.
  func kind(of path: String) throws(StorageError) -> FileKind?
  /// Opens a regular file. Anything else of that name, a symbolic link too, is refused.
  func open(_ path: String, _ mode: FileOpenMode) throws(StorageError) -> any File
  /// Renames a file over whatever has the new name, atomically.
  func rename(_ source: String, to target: String) throws(StorageError)
  /// Removes a file's name. A file that is open stays readable through its handle.
  func remove(_ path: String) throws(StorageError)
  func removeDirectory(_ path: String) throws(StorageError)
  /// Makes creations, renames and removals in the folder durable.
  func syncDirectory(_ path: String) throws(StorageError)
  /// Bytes that an ordinary user can still write on the volume of `path`, or `nil` where the system does not say.
  func availableBytes(at path: String) throws(StorageError) -> UInt64?
  /// Takes the writer's lock: creates the file if missing, locks it without waiting (an open-file-description lock
  /// that goes with the handle and with the process), then replaces its content by `owner`.
  /// - Throws: `.locked` when someone else holds it; the message carries what the holder wrote.
  func lock(_ path: String, owner: LockOwner) throws(StorageError) -> any DirectoryLock
  /// Who holds the writer's lock, without taking it; `nil` when it is free or the file is missing.
  func lockHolder(_ path: String) throws(StorageError) -> LockOwner?
}

package enum FileKind: Sendable, Equatable { case file, directory, other }

package enum FileOpenMode: Sendable, Equatable {
  case read
  /// The file must exist.
  case readWrite
  /// The file must not exist.
  case create
}

/// An open file. Reads and writes carry their offset; there is no cursor. Closed by ``close()`` or when released.
package protocol File: AnyObject, Sendable {
  /// Reads into the whole buffer; returns fewer bytes only at the end of the file.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(StorageError) -> Int
  /// Writes all bytes or throws; after a throw any part of them may be in the file.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(StorageError)
  /// Makes the file at least `byteCount` long with real, zero-filled blocks, so that a later write in that range
  /// needs no new space. Bytes that exist are kept.
  func allocate(_ byteCount: UInt64) throws(StorageError)
  func truncate(to byteCount: UInt64) throws(StorageError)
  func size() throws(StorageError) -> UInt64
  /// Returns once the file's bytes and size survive a power cut. After it threw nothing may be assumed of any byte
  /// written since the last success, and the same handle must not be synced again.
  func sync() throws(StorageError)
  func close()
}

/// The writer's lock, held until ``release()`` or until the object goes.
package protocol DirectoryLock: AnyObject, Sendable {
  func release()
}

/// What the writer's lock file says about its holder. Trusted only while the lock is held.
package struct LockOwner: Sendable, Equatable {
  package var processID: Int32
  /// Wall clock, microseconds since 1970.
  package var startTime: Int64
  package var host: String

  package init(processID: Int32, startTime: Int64, host: String) {
    self.processID = processID
    self.startTime = startTime
    self.host = host
  }
}
