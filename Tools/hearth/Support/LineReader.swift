import Foundation
import HearthCommandLine
import HearthModel

/// The lines of a file or of standard input, with memory bounded by the longest line allowed.
final class LineReader {
  /// Of a line; the largest document in typed JSON is below.
  static let lineBytesMax = 64 << 20
  /// How long Ctrl-C may wait for its answer while nothing comes.
  private static let waitMilliseconds: Int32 = 200

  /// The file, or what stands for it, can't be read.
  struct InputError: Error, CustomStringConvertible {
    var path: String
    var number: Int32

    var description: String {
      "\(path == "-" ? "standard input" : path) can't be read: \(String(cString: strerror(number)))"
    }
  }

  private let path: String
  private let descriptor: Int32
  private var buffer: [UInt8] = []
  private var start = 0
  private var isAtEnd = false
  /// Of the line returned last, from 1.
  private(set) var number = 0

  /// - Parameter path: `-` is standard input.
  init(path: String) throws {
    self.path = path
    descriptor = path == "-" ? 0 : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw InputError(path: path, number: errno)
    }
  }

  deinit { if descriptor > 0 { close(descriptor) } }

  /// The next line without its end; `nil` at the end, or as soon as an interrupt is requested.
  func next() throws -> [UInt8]? {
    var searched = start
    while true {
      if let end = buffer[searched...].firstIndex(of: 0x0A) {
        defer { start = end + 1 }
        number += 1
        return Array(buffer[start..<end])
      }
      searched = buffer.count
      // What has been read of a line is not all of it.
      if Interrupt.isRequested { return nil }
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
    while !Interrupt.isRequested {
      // A read that blocks goes on blocking after Ctrl-C; so wait in steps for something to read.
      var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let ready = poll(&waiting, 1, Self.waitMilliseconds)
      if ready == 0 || (ready < 0 && errno == EINTR) { continue }
      let count = read(descriptor, &chunk, chunk.count)
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      guard count >= 0 else { throw InputError(path: path, number: errno) }
      if count == 0 { isAtEnd = true }
      buffer.append(contentsOf: chunk[..<count])
      return
    }
  }
}
