import Foundation
import HearthCommandLine
import HearthModel

/// The lines of a file or of standard input, with memory bounded by the longest line allowed.
final class LineReader {
  /// Of a line; the largest document in typed JSON is below.
  static let lineBytesMax = 64 << 20

  private let descriptor: Int32
  private var buffer: [UInt8] = []
  private var start = 0
  private var isAtEnd = false
  /// Of the line returned last, from 1.
  private(set) var number = 0

  /// - Parameter path: `-` is standard input.
  init(path: String) throws {
    descriptor = path == "-" ? 0 : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw CommandLineWords.UsageError("\(path) can't be read: \(String(cString: strerror(errno)))")
    }
  }

  deinit { if descriptor > 0 { close(descriptor) } }

  /// The next line without its end, or `nil`.
  func next() throws -> [UInt8]? {
    var searched = start
    while true {
      if let end = buffer[searched...].firstIndex(of: 0x0A) {
        defer { start = end + 1 }
        number += 1
        return Array(buffer[start..<end])
      }
      searched = buffer.count
      if isAtEnd {
        guard start < buffer.count else { return nil }
        defer { start = buffer.count }
        number += 1
        return Array(buffer[start...])
      }
      guard buffer.count - start <= Self.lineBytesMax else {
        throw ModelError.invalidArgument("line \(number + 1) is longer than \(Self.lineBytesMax) bytes")
      }
      searched -= start
      buffer.removeFirst(start)
      start = 0
      try fill()
    }
  }

  private func fill() throws {
    var chunk = [UInt8](repeating: 0, count: 256 << 10)
    while true {
      let count = read(descriptor, &chunk, chunk.count)
      if count > 0 {
        buffer.append(contentsOf: chunk[..<count])
      } else if count == 0 {
        isAtEnd = true
      } else if errno == EINTR, !Interrupt.isRequested {
        continue
      } else if errno == EINTR {
        isAtEnd = true
      } else {
        throw CommandLineWords.UsageError("reading failed: \(String(cString: strerror(errno)))")
      }
      return
    }
  }
}
