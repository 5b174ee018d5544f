import Foundation

/// Waits for work that an engine does behind its calls: merging, checkpoints.
enum Quiet {
  /// Returns when the process used next to no time and wrote next to nothing for 0.3 s, or after `secondsMax`.
  static func wait(secondsMax: Double = 60) {
    let start = Ticks.now()
    var quiet = 0
    var (time, written) = (Ticks.processor(), ProcessFigures.written().calls)
    while quiet < 3, Ticks.seconds(since: start) < secondsMax {
      usleep(100_000)
      let (newTime, newWritten) = (Ticks.processor(), ProcessFigures.written().calls)
      quiet = newTime - time < 5_000_000 && newWritten - written < 65_536 ? quiet + 1 : 0
      (time, written) = (newTime, newWritten)
    }
  }
}
