/// Compares what engines answered in one round of one row.
struct AnswerCheck {
  private(set) var compared: Set<EngineKind> = []
  private(set) var differences: [String] = []

  /// - Parameter results: in the order of the engines; the first that can be compared is the measure of the others.
  mutating func check(_ row: String, round: Int, _ results: [(EngineKind, RowResult)]) {
    // After a row that was cut short, engines differ for good reason.
    let exact = results.filter { $0.1.absence == nil && $0.1.isStateExact }
    compareDigests(row, round, exact.filter { !$0.1.digests.isEmpty })
    compareStates(row, round, exact.filter { $0.1.isComplete && $0.1.state != nil })
  }

  /// Digests as far as both engines came; each of them came through at least one chunk or none.
  private mutating func compareDigests(_ row: String, _ round: Int, _ results: [(EngineKind, RowResult)]) {
    guard let (first, measure) = results.first else { return }
    for (engine, result) in results.dropFirst() {
      for (thread, (mine, its)) in zip(measure.digests, result.digests).enumerated() {
        let common = min(mine.count, its.count)
        guard common > 0 else { continue }
        compared.formUnion([first, engine])
        guard let chunk = (0..<common).first(where: { mine[$0] != its[$0] }) else { continue }
        differences.append(
          "\(row), round \(round): \(engine.title) answers otherwise than \(first.title) (thread \(thread + 1), "
            + "part \(chunk + 1))")
        break
      }
    }
  }

  private mutating func compareStates(_ row: String, _ round: Int, _ results: [(EngineKind, RowResult)]) {
    guard let (first, measure) = results.first else { return }
    for (engine, result) in results.dropFirst() {
      compared.formUnion([first, engine])
      if result.state != measure.state {
        differences.append("\(row), round \(round): \(engine.title) holds other documents than \(first.title)")
      }
    }
  }
}
