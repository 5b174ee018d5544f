import Foundation

/// The control for everything durable: what one 4 KiB overwrite of a preallocated file and its `fdatasync` cost on the
/// same disk in the same run, without any of the engine's code.
final class RawSync {
  static let blockBytes = 4096
  /// Written round and round, as a recycled log is.
  static let fileBytes = 4 << 20

  private let path: String
  private let descriptor: Int32
  private let block: [UInt8]
  private var position = 0
  private(set) var latencies = LatencyHistogram()

  /// Makes the file with real blocks, so that no measured write allocates.
  init(directory: String) throws {
    path = directory + "/raw-sync.dat"
    descriptor = open(path, O_CREAT | O_RDWR | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw BenchError("cannot create \(path): \(String(cString: strerror(errno)))") }
    block = (0..<Self.blockBytes).map { UInt8(truncatingIfNeeded: SplitMix.mix(UInt64($0))) }
    for _ in 0..<(Self.fileBytes / Self.blockBytes) { try writeBlock() }
    guard fsync(descriptor) == 0 else { throw BenchError("cannot sync \(path): \(String(cString: strerror(errno)))") }
  }

  func measure(seconds: Double) throws {
    let end = Ticks.now() + UInt64(seconds * 1e9)
    var now = Ticks.now()
    repeat {
      let start = now
      try writeBlock()
      #if canImport(Darwin)
      // fsync does not reach the platter there; this does.
      let result = fcntl(descriptor, F_FULLFSYNC)
      #else
      let result = fdatasync(descriptor)
      #endif
      guard result == 0 else { throw BenchError("cannot sync \(path): \(String(cString: strerror(errno)))") }
      now = Ticks.now()
      latencies.add(now - start)
    } while now < end
  }

  func close() {
    _ = Foundation.close(descriptor)
    unlink(path)
  }

  private func writeBlock() throws {
    guard pwrite(descriptor, block, block.count, off_t(position)) == block.count else {
      throw BenchError("cannot write \(path): \(String(cString: strerror(errno)))")
    }
    position = (position + block.count) % Self.fileBytes
  }
}
