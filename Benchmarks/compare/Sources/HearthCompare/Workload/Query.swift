/// A question to one of the four indexes, in both forms that engines take: as numbers and text, and as bounds of index
/// keys (``StoredDocument/indexKeys``, with the letter of the index in front).
struct Query {
  var city: [UInt8] = []
  var age: Int64 = 0
  /// The key of a document, where a page of results begins.
  var path: [UInt8] = []
  var createdFrom: Int64 = 0
  var createdBefore: Int64 = 0
  /// Included.
  var lower: [UInt8]
  /// Excluded.
  var upper: [UInt8]

  /// The documents of one city, newest first.
  static func newest(inCity city: [UInt8]) -> Query {
    let prefix = [IndexKind.cityCreated.letter] + city
    return Query(city: city, lower: prefix + [0], upper: prefix + [1])
  }

  /// Documents by age and key, beginning at an age and a key.
  static func byAge(from age: Int64, path: [UInt8]) -> Query {
    let letter = IndexKind.age.letter
    let id = path.dropFirst(BenchDocuments.pathPrefix.count)
    return Query(age: age, path: path, lower: [letter] + ordered(age) + id, upper: [letter + 1])
  }

  /// Documents created in a time, both in microseconds since 1970, the second excluded.
  static func created(from lower: Int64, before upper: Int64) -> Query {
    let letter = IndexKind.created.letter
    return Query(
      createdFrom: lower, createdBefore: upper, lower: [letter] + ordered(lower), upper: [letter] + ordered(upper))
  }

  /// Eight bytes that order as the number.
  private static func ordered(_ number: Int64) -> [UInt8] {
    let bits = UInt64(bitPattern: number) ^ 1 << 63
    return (0..<8).map { UInt8(truncatingIfNeeded: bits >> UInt64(56 - 8 * $0)) }
  }
}

/// The four indexes, in the order of ``StoredDocument/indexKeys``.
enum IndexKind: Int, CaseIterable {
  case city, age, created, cityCreated

  /// The first byte of its keys, for engines that keep all of them in one tree.
  var letter: UInt8 {
    switch self {
    case .city: UInt8(ascii: "c")
    case .age: UInt8(ascii: "a")
    case .created: UInt8(ascii: "t")
    case .cityCreated: UInt8(ascii: "x")
    }
  }

  /// In the order of their letters, as one tree holds them.
  static let inKeyOrder = allCases.sorted { $0.letter < $1.letter }
}

extension Query {
  /// Calls `body` with the bounds without the letter of the index, for engines that have a tree for each; past an index's
  /// last key there is no upper one.
  @inline(__always)
  func withIndexBounds<R>(
    _ body: (_ lower: UnsafeRawBufferPointer, _ upper: UnsafeRawBufferPointer) throws -> R
  ) rethrows -> R {
    try lower.withUnsafeBytes { lower in
      try upper.withUnsafeBytes { upper in
        try body(
          UnsafeRawBufferPointer(rebasing: lower.dropFirst()), UnsafeRawBufferPointer(rebasing: upper.dropFirst()))
      }
    }
  }
}
