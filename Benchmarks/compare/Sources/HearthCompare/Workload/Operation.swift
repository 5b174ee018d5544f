/// One step of a workload, made before the clock runs.
enum Operation {
  case read([UInt8])
  case miss([UInt8])
  case update(ScoreChange)
  case readModifyWrite(ScoreChange)
  /// A document of the plan's ``ThreadPlan/documents``, by its place.
  case insert(Int)
  case scan(from: [UInt8], limit: Int)
  case newest(Query)
  case byAge(Query)
  case count(Query)
  case scanAll

  static let newestLimit = 20
  static let byAgeLimit = 50
}

/// What one thread does in a row.
struct ThreadPlan {
  var operations: [Operation] = []
  /// What it inserts.
  var documents: [CompareDocument] = []
}
