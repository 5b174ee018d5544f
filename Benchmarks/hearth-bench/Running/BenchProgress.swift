import Foundation

/// One line on standard error that is written over, a few times a second; silent where that is no terminal.
struct BenchProgress {
  private let isTerminal = isatty(2) == 1
  private var last: UInt64 = 0
  private var hasLine = false

  mutating func show(_ text: @autoclosure () -> String) {
    guard isTerminal, Ticks.now() - last > 200_000_000 else { return }
    last = Ticks.now()
    hasLine = true
    FileHandle.standardError.write(Data("\r\u{1B}[K\(text())".utf8))
  }

  mutating func finish() {
    if hasLine { FileHandle.standardError.write(Data("\r\u{1B}[K".utf8)) }
    hasLine = false
  }
}
