import Foundation

/// Buffered standard output. A reader that has gone away (`hearth dump | head`) is no error: it ends the program with
/// status 0. Output that can't be written (a full disk) ends it with a message and status 4.
package final class Output {
  private var buffer: [UInt8] = []
  private let descriptor: Int32

  package init(descriptor: Int32 = 1) {
    self.descriptor = descriptor
    signal(SIGPIPE, SIG_IGN)
  }

  package func line(_ text: String) {
    buffer.append(contentsOf: text.utf8)
    buffer.append(0x0A)
    if buffer.count > 64 << 10 { flush() }
  }

  package func flush() {
    var start = 0
    while start < buffer.count {
      let written = buffer.withUnsafeBytes { write(descriptor, $0.baseAddress! + start, $0.count - start) }
      if written > 0 {
        start += written
      } else if errno != EINTR {
        // Whoever read from a pipe that is closed has all that was wanted.
        if errno == EPIPE { exit(0) }
        let reason = String(cString: strerror(errno))
        FileHandle.standardError.write(Data("standard output can't be written: \(reason)\n".utf8))
        exit(4)
      }
    }
    buffer.removeAll(keepingCapacity: true)
  }
}
