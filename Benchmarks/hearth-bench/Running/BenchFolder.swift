import Foundation

/// The folder of one run, made anew and removed at its end.
struct BenchFolder {
  let path: String

  init(in directory: String) throws {
    path = "\(directory)/hearth-bench-\(ProcessInfo.processInfo.processIdentifier)"
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    } catch {
      throw BenchError("cannot create \(path): \(error.localizedDescription)")
    }
  }

  func remove() {
    try? FileManager.default.removeItem(atPath: path)
  }
}
