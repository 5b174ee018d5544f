import HearthStorage

/// Decides what the callers of one workload do, ahead of time, so that drawing and making it is not measured.
///
/// Not thread-safe: used between slices.
struct BenchPlan<Target: BenchTarget> {
  private let options: BenchOptions
  private let target: Target
  private let zipf: Zipf?
  private var randoms: [SplitMix]
  private var next: UInt64
  /// Documents that operations handed out so far insert.
  var planned: Int { Int(next - loaded) }
  private let loaded: UInt64
  /// Documents inserted by the workload and acknowledged, oldest first.
  private(set) var inserted: [UInt64] = []

  init(_ options: BenchOptions, target: Target, loaded: Int) {
    self.options = options
    self.target = target
    self.loaded = UInt64(loaded)
    next = UInt64(loaded)
    zipf = options.command == .ycsb ? Zipf(count: UInt64(loaded)) : nil
    let stream = 100 + UInt64(options.workload.asciiValue ?? 0)
    randoms = (0..<options.callers).map { SplitMix(seed: options.seed, stream: stream, item: UInt64($0)) }
  }

  /// The next operation of a caller.
  mutating func operation(caller: Int) -> BenchOperation<Target> {
    switch options.command {
    case .load, .commit, .recover: return insert(count: options.command == .load ? options.batch : 1)
    case .read: return .read(target.key(randoms[caller].below(loaded), isForUpdate: false))
    case .scan: return .scanAll
    case .ycsb: return ycsb(caller)
    }
  }

  /// Notes what a caller did and was acknowledged.
  mutating func acknowledge(_ operations: some Sequence<BenchOperation<Target>>) {
    for case .insert(_, let indexes) in operations { inserted += indexes }
  }

  /// - Parameter count: Fewer when a load is nearly done.
  private mutating func insert(count wanted: Int) -> BenchOperation<Target> {
    let count = options.command == .load ? min(wanted, options.records - planned) : wanted
    let indexes = Array(next..<(next + UInt64(count)))
    next += UInt64(count)
    return .insert(indexes.map(target.item), indexes: indexes)
  }

  private mutating func ycsb(_ caller: Int) -> BenchOperation<Target> {
    let share = randoms[caller].below(100)
    switch options.workload {
    case "a": return share < 50 ? read(caller) : update(caller)
    case "b": return share < 95 ? read(caller) : update(caller)
    case "c": return read(caller)
    case "d":
      if share >= 95 { return insert(count: 1) }
      // By age: rank 0 is the newest that is acknowledged.
      let rank = zipf.map { $0.rank(&randoms[caller]) } ?? 0
      let extra = UInt64(inserted.count)
      let index = rank < extra ? inserted[Int(extra - 1 - rank)] : loaded - 1 - min(loaded - 1, rank - extra)
      return .read(target.key(index, isForUpdate: false))
    case "e":
      if share >= 95 { return insert(count: 1) }
      return .scan(target.key(popular(caller), isForUpdate: false), count: 1 + Int(randoms[caller].below(100)))
    default: return share < 50 ? read(caller) : update(caller)
    }
  }

  private mutating func popular(_ caller: Int) -> UInt64 {
    zipf.map { $0.hashed(&randoms[caller]) } ?? 0
  }

  private mutating func read(_ caller: Int) -> BenchOperation<Target> {
    .read(target.key(popular(caller), isForUpdate: false))
  }

  private mutating func update(_ caller: Int) -> BenchOperation<Target> {
    .update(target.key(popular(caller), isForUpdate: true), score: randoms[caller].unit() * 100)
  }
}
