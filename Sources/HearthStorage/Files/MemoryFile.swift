import Synchronization

/// An open file in memory. Threading: any thread.
final class MemoryFile: File {
  private let path: String
  private let node: MemoryNode
  private let isWritable: Bool
  private let isClosed = Atomic(false)

  init(path: String, node: MemoryNode, isWritable: Bool) {
    self.path = path
    self.node = node
    self.isWritable = isWritable
  }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(StorageError) -> Int {
    try checkOpen()
    return node.read(into: buffer, at: offset)
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(StorageError) {
    try checkWritable("written", offset)
    guard node.write(bytes, at: offset) else { throw tooLarge("written", offset) }
  }

  func allocate(_ byteCount: UInt64) throws(StorageError) {
    try checkWritable("written", nil)
    guard node.extend(to: byteCount) else { throw tooLarge("written", byteCount) }
  }

  func truncate(to byteCount: UInt64) throws(StorageError) {
    try checkWritable("resized", byteCount)
    guard node.truncate(to: byteCount) else { throw tooLarge("resized", byteCount) }
  }

  func size() throws(StorageError) -> UInt64 {
    try checkOpen()
    return UInt64(node.size)
  }

  func sync() throws(StorageError) {
    try checkOpen()
  }

  func close() {
    isClosed.store(true, ordering: .releasing)
  }

  private func checkOpen() throws(StorageError) {
    guard !isClosed.load(ordering: .acquiring) else { throw StorageError(.closed, "The file is closed", file: path) }
  }

  private func checkWritable(_ what: String, _ offset: UInt64?) throws(StorageError) {
    try checkOpen()
    guard isWritable else {
      throw StorageError(
        .io, "The file could not be \(what)", at: StorageError.Place(file: path, offset: offset),
        cause: "it is open for reading only")
    }
  }

  private func tooLarge(_ what: String, _ offset: UInt64) -> StorageError {
    StorageError(.io, "The file could not be \(what)", file: path, offset: offset, cause: "the file would be too large")
  }
}
