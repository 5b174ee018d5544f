import Foundation

/// Buffered standard output. A reader that has gone away (`hearth dump | head`) is no error: it ends the program.
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
        // 0 for a closed pipe: whoever read has all that was wanted.
        exit(errno == EPIPE ? 0 : 74)
      }
    }
    buffer.removeAll(keepingCapacity: true)
  }
}
