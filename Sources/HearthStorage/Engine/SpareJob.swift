/// The next log file being filled with zeros, so that no commit has to wait for that, nor for the sync of them all: the
/// first sync of its header would be theirs, too.
final class SpareJob {
  let path: String
  let fileBytes: UInt64
  private let file: any File
  private var done: UInt64 = 0

  private static let stepBytes: UInt64 = 4 << 20

  init(path: String, fileBytes: UInt64, fileSystem: any FileSystem) throws(StorageError) {
    self.path = path
    self.fileBytes = fileBytes
    file = try fileSystem.open(path, .create)
  }

  /// Returns whether it is done.
  func step() throws(StorageError) -> Bool {
    done = min(done + Self.stepBytes, fileBytes)
    try file.allocate(done)
    try file.sync()
    if done == fileBytes { file.close() }
    return done == fileBytes
  }

  func discard(_ fileSystem: any FileSystem) {
    file.close()
    try? fileSystem.remove(path)
  }
}
