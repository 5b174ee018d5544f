import HearthModel
import HearthTestSupport
import Testing

/// What `writes.json` does not reach: messages, preconditions, and what a commit makes of several writes.
@Suite struct MutationTests {
  private let key: DocumentKey

  init() throws { key = try DocumentKey("c/d") }

  private func path(_ text: String) -> FieldPath {
    guard let path = try? FieldPath(dotted: text) else { preconditionFailure(text) }
    return path
  }

  @Test func aPreconditionDecides() throws {
    let update = try Mutation.update(key, [])
    #expect(throws: ModelError.notFound("there is no document \"c/d\" to update")) { try update.apply(to: nil) }
    #expect(try update.apply(to: [:]) == [:])
    let create = try Mutation.set(key, .map([]), precondition: .absent)
    #expect(throws: ModelError.alreadyExists("document \"c/d\" exists already")) { try create.apply(to: [:]) }
    #expect(try create.apply(to: nil) == [:])
  }

  @Test func mistakesAreNamed() {
    func expect(_ message: String, _ make: () throws -> Mutation) {
      #expect(throws: ModelError.invalidArgument(message)) { try make() }
    }
    expect("FieldValue.delete() at \"a.b\" is only allowed in updates and merges") {
      try .set(key, .map([("a", .map([("b", .delete)]))]))
    }
    expect("FieldValue.delete() at \"a.b\" is inside the value of an update; it is only allowed as the value itself") {
      try .update(key, [(path("a"), .map([("b", .delete)]))])
    }
    expect("the field path \"x.y\" of mergeFields is not in the data") {
      try .merge(key, .map([("x", .value(.integer(1)))]), mask: [path("x.y")])
    }
    expect("the field path \"a\" is updated twice") {
      try .update(key, [(path("a"), .delete), (path("b"), .delete), (path("a"), .delete)])
    }
    expect("the field paths \"a.b\" and \"a.b.c\" of one update overlap") {
      try .update(
        key, [(path("a.b.c"), .delete), (path("a"), .delete), (path("a.b"), .delete)].filter { $0.0 != path("a") })
    }
    expect("the data for document \"c/d\" is not a dictionary") { try .set(key, .value(.integer(1))) }
    expect("field name \"__x__\" is reserved: it begins and ends with \"__\" (in document \"c/d\")") {
      try .set(key, .map([("__x__", .transform(.serverTimestamp))]))
    }
    expect("an array is an element of an array (at \"a[0]\") in document \"c/d\"") {
      try .set(key, .map([("a", .transform(.arrayUnion([.array([])])))]))
    }
    expect("a numeric transform needs a number (in document \"c/d\" at \"n\")") {
      try .set(key, .map([("n", .transform(.increment(.null)))]))
    }
  }

  @Test func sentinelsInArraysAreRefused() {
    #expect(throws: ModelError.self) { try WriteValue.array([.value(.null), .map([("x", .delete)])]) }
    #expect(throws: ModelError.self) { try WriteValue.array([.transform(.serverTimestamp)]) }
  }

  @Test func aMergeLosesNoDeepField() throws {
    // Names whose path as a whole is too long are refused, never dropped.
    let long = String(repeating: "n", count: 800)
    let data = WriteValue.map([(long, .map([(long, .value(.integer(1)))]))])
    #expect(throws: ModelError.self) { try Mutation.merge(key, data) }
    let short = String(repeating: "n", count: 700)
    let fine = WriteValue.map([(short, .map([(short, .value(.integer(1)))]))])
    #expect(try Mutation.merge(key, fine).apply(to: ["z": .null]) == [short: .map([short: .integer(1)]), "z": .null])
  }

  private func isNoOp(_ change: DocumentChange) throws -> Bool {
    if case .unchanged = try change.outcome() { true } else { false }
  }

  @Test func onlyIdentityIsANoOp() throws {
    func change(_ before: Value, _ after: Value) throws -> Bool {
      var change = try DocumentChange(key: key, before: ["a": before])
      try change.apply(.set(key, .map([("a", .value(after))])))
      return try isNoOp(change)
    }
    #expect(try change(.integer(1), .integer(1)))
    #expect(try change(.double(.nan), .double(.nan)))
    #expect(try !change(.integer(1), .double(1)))
    #expect(try !change(.double(0), .double(-0.0)))
    #expect(try !change(.string("\u{E9}"), .string("e\u{301}")))
    var stamped = try DocumentChange(key: key, before: ["a": .timestamp(Timestamp(microseconds: 5))])
    try stamped.apply(.set(key, .map([("a", .transform(.serverTimestamp))])))
    #expect(try !isNoOp(stamped))
    var absent = try DocumentChange(key: key, before: nil)
    try absent.apply(.delete(key))
    #expect(try isNoOp(absent))
    var created = try DocumentChange(key: key, before: nil)
    try created.apply(.set(key, .map([])))
    #expect(try !isNoOp(created))
    try created.apply(.delete(key))
    #expect(try isNoOp(created))
  }

  @Test func serverTimestampsOfOneCommitAreSeenByLaterWrites() throws {
    var change = try DocumentChange(key: key, before: [:])
    try change.apply(.update(key, [(path("m.t"), .transform(.serverTimestamp))]))
    try change.apply(.update(key, [(path("n"), .transform(.increment(.integer(1))))]))
    #expect(try change.fields() == ["m": .map(["t": .timestamp(.commitTime)]), "n": .integer(1)])
    #expect(try change.fields()?.stamped(at: 7)["m"] == .map(["t": .timestamp(Timestamp(microseconds: 7))]))
    try change.apply(.update(key, [(path("m.t"), .transform(.increment(.integer(1))))]))
    #expect(try change.fields()?["m"] == .map(["t": .integer(1)]))
  }

  @Test func numbersMeetExactly() {
    func result(_ operation: FieldTransform.Operation, _ old: Value?) -> Value { operation.result(for: old) }
    let odd = Value.integer(9_007_199_254_740_993)
    #expect(result(.maximum(.double(9_007_199_254_740_992)), odd) == odd)
    #expect(result(.maximum(odd), .double(9_007_199_254_740_992)) == odd)
    #expect(result(.minimum(.double(9_007_199_254_740_992)), odd) == .double(9_007_199_254_740_992))
    #expect(result(.maximum(.integer(1)), .double(.nan)) == .double(.nan))
    #expect(result(.increment(.integer(.min)), .integer(-1)) == .integer(.min))
    #expect(result(.increment(.double(-.infinity)), .double(.infinity)) == .double(.nan))
    #expect(
      result(.arrayUnion([.double(1), .integer(2), .double(2), .double(.nan)]), .array([.integer(1), .double(.nan)]))
        == .array([.integer(1), .double(.nan), .integer(2)]))
    #expect(
      result(.arrayRemove([.double(0)]), .array([.integer(0), .double(-0.0), .integer(1)])) == .array([.integer(1)]))
    #expect(result(.arrayRemove([]), .integer(3)) == .array([]))
  }
}
