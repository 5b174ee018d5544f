/// Makes what a row's threads do: a function of the row, the round and the number of documents, so every engine gets
/// the same.
struct PlanMaker {
  let documents: BenchDocuments
  /// Loaded before any row.
  let count: UInt64
  let round: Int
  private let zipf: Zipf

  init(documents: BenchDocuments, count: Int, round: Int) {
    self.documents = documents
    self.count = UInt64(count)
    self.round = round
    zipf = Zipf(count: UInt64(count))
  }

  /// How many operations a row has: those that only read repeat theirs until the time is up.
  func operationCount(_ row: Row) -> Int {
    let count = Int(self.count)
    switch row.work {
    case .read: return row.stage == .cold ? min(count, 20_000) : min(count, 500_000)
    case .miss: return min(count, 500_000)
    case .byAge, .newest: return min(count, 20_000)
    case .count: return 256
    case .ycsb("c"): return min(count, 500_000)
    case .ycsb("e"): return min(count, 20_000)
    case .ycsb: return min(5 * count, 100_000)
    case .commit: return min(20 * count, 80_000)
    case .scanAll: return 1
    case .load, .bulkLoad, .size, .open: return 0
    }
  }

  /// The first of the documents that a row inserts; no two rows share any.
  func firstInsert(_ row: Row) -> UInt64 {
    let ordinal = Row.all.firstIndex(of: row) ?? 0
    return count + UInt64(ordinal + 1) * 1_000_000
  }

  func plans(_ row: Row) -> [ThreadPlan] {
    let share = max(1, operationCount(row) / row.threads)
    return (0..<row.threads).map { plan(row, thread: $0, operations: share) }
  }

  private func plan(_ row: Row, thread: Int, operations: Int) -> ThreadPlan {
    let ordinal = Row.all.firstIndex(of: row) ?? 0
    var random = SplitMix(seed: 42, stream: UInt64(100 + ordinal * 16 + thread), item: UInt64(round))
    var plan = ThreadPlan()
    plan.operations.reserveCapacity(operations)
    let firstInsert = firstInsert(row) + UInt64(thread * operations)
    for _ in 0..<operations {
      plan.operations.append(operation(row, ordinal, &random, &plan.documents, firstInsert))
    }
    return plan
  }

  private func operation(
    _ row: Row, _ ordinal: Int, _ random: inout SplitMix, _ inserts: inout [CompareDocument], _ firstInsert: UInt64
  ) -> Operation {
    func insert() -> Operation {
      inserts.append(CompareDocument(documents.document(firstInsert + UInt64(inserts.count))))
      return .insert(inserts.count - 1)
    }
    func skewed() -> UInt64 { zipf.hashed(&random) }
    func change() -> ScoreChange {
      let index = skewed()
      let document = CompareDocument(documents.document(index))
      let score = Double(SplitMix.mix(index &+ UInt64(ordinal) << 40) >> 11) * 0x1.0p-53 * 100
      return ScoreChange(key: document.key, score: score, scoreOffset: document.stored.scoreOffset)
    }
    switch row.work {
    case .read: return .read(documents.path(random.below(count)))
    case .miss: return .miss(documents.path(count + 500_000_000 + random.below(count)))
    case .byAge:
      return .byAge(Query.byAge(from: Int64(18 + random.below(72)), path: documents.path(random.below(count))))
    case .newest:
      return .newest(Query.newest(inCity: documents.cities.names[Int(random.below(1000))]))
    case .count:
      let span = Int64(count) * BenchDocuments.creationStep
      let lower = BenchDocuments.firstCreation + Int64(random.below(UInt64(max(1, span * 9 / 10))))
      return .count(Query.created(from: lower, before: lower + span / 10))
    case .ycsb(let letter):
      let draw = random.below(100)
      switch letter {
      case "a": return draw < 50 ? .read(documents.path(skewed())) : .update(change())
      case "b": return draw < 95 ? .read(documents.path(skewed())) : .update(change())
      case "c": return .read(documents.path(skewed()))
      case "d":
        if draw >= 95 { return insert() }
        // The newest are this thread's own inserts, then the last that were loaded.
        let rank = zipf.rank(&random)
        let own = UInt64(inserts.count)
        return .read(
          rank < own ? inserts[Int(own - 1 - rank)].key : documents.path(count - 1 - min(count - 1, rank - own)))
      case "e":
        return draw >= 95
          ? insert() : .scan(from: documents.path(skewed()), limit: 1 + Int(random.below(100)))
      default: return draw < 50 ? .read(documents.path(skewed())) : .readModifyWrite(change())
      }
    case .commit: return insert()
    case .scanAll, .load, .bulkLoad, .size, .open: return .scanAll
    }
  }
}
