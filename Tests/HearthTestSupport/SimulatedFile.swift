import HearthStorage
import Synchronization

/// An open file of a ``SimulatedFileSystem``.
final class SimulatedFile: File {
  private let files: SimulatedFileSystem
  let path: String
  let node: Int
  let isWritable: Bool
  private let isClosedFlag = Atomic(false)

  init(files: SimulatedFileSystem, path: String, node: Int, isWritable: Bool) {
    self.files = files
    self.path = path
    self.node = node
    self.isWritable = isWritable
  }

  deinit { close() }

  var isClosed: Bool { isClosedFlag.load(ordering: .acquiring) }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(StorageError) -> Int {
    try files.read(self, into: buffer, at: offset)
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(StorageError) {
    try files.write(self, bytes, at: offset)
  }

  func allocate(_ byteCount: UInt64) throws(StorageError) { try files.allocate(self, byteCount) }
  func truncate(to byteCount: UInt64) throws(StorageError) { try files.truncate(self, to: byteCount) }
  func size() throws(StorageError) -> UInt64 { try files.size(self) }
  func sync() throws(StorageError) { try files.sync(self) }

  func close() {
    if !isClosedFlag.exchange(true, ordering: .acquiringAndReleasing) { files.closed(node) }
  }
}

/// A lock of a ``SimulatedFileSystem``.
final class SimulatedLock: DirectoryLock {
  private let files: SimulatedFileSystem
  private let node: Int
  private let token: Int

  init(files: SimulatedFileSystem, node: Int, token: Int) {
    self.files = files
    self.node = node
    self.token = token
  }

  deinit { release() }

  func release() { files.unlock(node, token: token) }
}
