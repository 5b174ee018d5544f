extension CompareOptions {
  static let help = """
    usage: Benchmarks/compare/run [OPTION...]

    Runs Hearth beside SQLite, LMDB, LevelDB, RocksDB and WiredTiger: the same documents, bytes, indexes, durability and
    memory. Prints medians over the rounds, what they spread, and Hearth's ratio to the best peer. The answers of all
    engines are compared; a difference fails the run.

    options:
      --documents N        documents loaded before measuring (1000000)
      --rounds N           rounds; in each every engine runs once, in turns (3)
      --engines A,B        of \(EngineKind.allCases.map(\.rawValue).joined(separator: ", ")) (all)
      --rows A,B           of the rows below; a name may end in * (all)
      --seconds S          how long a row that only reads repeats itself, and durable commits go on (2)
      --seconds-max S      longest time of any other row, which is cut short then (20)
      --cache-mib N        cache of every engine that has one, except in cold rows (1024)
      --directory PATH     where the run's folder is made; decides which disk is measured (.)
      --no-control-group   cold rows: small caches instead of a limit on the process's memory
      --json               one JSON object on standard output instead of text
      --svg FILE           draw the medians
      -h, --help           this text

    rows:
    \(Row.all.map { "  " + $0.name.padded(to: 21) + $0.title }.joined(separator: "\n"))

    examples:
      Benchmarks/compare/run --documents 200000 --svg comparison.svg
      Benchmarks/compare/run --rows read,scan,'ycsb-*' --engines hearth,lmdb --documents 200000
      Benchmarks/compare/run --documents 2000 --rounds 1 --seconds 0.05

    exit: 0 measured and all answers equal, 1 an engine or the run failed, 2 wrong usage, 3 a system package is missing,
    4 answers differ
    """
}

extension String {
  func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
  func padded(left width: Int) -> String { String(repeating: " ", count: max(0, width - count)) + self }
}
