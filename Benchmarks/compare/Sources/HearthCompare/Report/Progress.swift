import Foundation

/// What the person who waits reads on standard error.
struct Progress {
  let rounds: Int
  let start = Ticks.now()

  func say(_ text: String) {
    FileHandle.standardError.write(Data("\(text)\n".utf8))
  }

  func complain(_ text: String) { say("hearth-compare: \(text)") }

  func show(_ round: Int, _ engine: EngineKind, _ result: RowResult) {
    guard let row = Row.named(result.row) else { return }
    let time = String(format: "%4.0f s", Ticks.seconds(since: start))
    let value = result.value.map { Figure.text($0, row.unit) } ?? result.absence ?? ""
    say(
      "\(time)  \(round + 1)/\(rounds)  \(engine.title.padded(to: 11)) \(row.name.padded(to: 12)) \(value)"
        + (result.isComplete ? "" : "  (time is up)"))
  }
}
