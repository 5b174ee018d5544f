import Foundation

/// An engine's files.
struct DataFolder {
  let path: String

  init(_ path: String) { self.path = path }

  private var files: [String] {
    let found = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
    return found.map { "\(path)/\($0)" }
  }

  func create() throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  func remove() { try? FileManager.default.removeItem(atPath: path) }

  /// What the files take on the disk: blocks given to them, holes not counted.
  func diskBytes() -> Int {
    files.reduce(0) { sum, file in
      var information = stat()
      guard lstat(file, &information) == 0, information.st_mode & S_IFMT == S_IFREG else { return sum }
      return sum + Int(information.st_blocks) * 512
    }
  }

  /// Writes the files out and asks the system to forget their pages. Does nothing where it can't be asked.
  func dropFromCache() {
    for file in files {
      let descriptor = open(file, O_RDONLY)
      guard descriptor >= 0 else { continue }
      fsync(descriptor)
      #if canImport(Glibc)
      posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
      #endif
      close(descriptor)
    }
  }
}
