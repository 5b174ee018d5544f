import HearthModel
import HearthStorage
import Testing

@testable import HearthDatabase

struct DatabaseTests {
  private let database: Database

  init() throws {
    database = try Database.inMemory()
  }

  private func set(_ path: String, _ fields: MapValue = [:]) throws -> Mutation {
    try .set(DocumentKey(path), .value(.map(fields)))
  }

  @Test func aDocumentKnowsItsCommits() throws {
    let key = try DocumentKey("c/d")
    let first = try database.commit([set("c/d", ["n": .integer(1)])])
    let second = try database.commit([set("c/d", ["n": .integer(2)])])
    let document = try #require(try database.document(key))
    #expect(document.fields == ["n": .integer(2)])
    #expect(
      document.createTime == first.time && document.updateTime == second.time && document.version == second.version)
    #expect(second.time > first.time && second.version > first.version)
    #expect(try database.document(DocumentKey("c/e")) == nil)
  }

  @Test func aWriteThatChangesNothingKeepsTheVersion() throws {
    let key = try DocumentKey("c/d")
    try database.commit([set("c/d", ["n": .integer(1), "x": .double(.nan)])])
    let before = try database.document(key)
    try database.commit([set("c/d", ["n": .integer(1), "x": .double(.nan)])])
    try database.commit([.merge(key, .map([]))])
    try database.commit([.delete(DocumentKey("c/absent"))])
    // Deleted and made again within one commit, it was there before and after.
    try database.commit([.delete(key), set("c/d", ["n": .integer(1), "x": .double(.nan)])])
    #expect(try database.document(key) == before)
    // Another representation is a change.
    try database.commit([set("c/d", ["n": .double(1), "x": .double(.nan)])])
    #expect(try database.document(key)?.version != before?.version)
  }

  /// A batch in which one write changes nothing must not be applied over a state in which it would have.
  @Test func aWriteThatChangesNothingStillDependsOnWhatItSaw() throws {
    try database.commit([set("c/flag", ["n": .integer(0)])])
    let batch = try CommitBuilder.batch(
      of: [set("c/flag", ["n": .integer(0)]), set("c/other")], on: database.engine.view())
    try database.commit([set("c/flag", ["n": .integer(1)])])
    let error = #expect(throws: StorageError.self) { try database.engine.commit { _ in batch } }
    #expect(error?.code == .conflict)
    #expect(try database.document(DocumentKey("c/other")) == nil)
  }

  @Test func collectionsAreFoundAlsoBelowAbsentDocuments() throws {
    for path in ["b/1", "a/1/x/1", "a/2", "a/1/x/1/y/1", "a/3/z/1", "a b/1"] { try database.commit([set(path)]) }
    #expect(try database.collections(below: nil).map(\.path) == ["a", "a b", "b"])
    #expect(try database.collections(below: DocumentKey("a/1")).map(\.path) == ["a/1/x"])
    #expect(try database.collections(below: DocumentKey("a/1/x/1")).map(\.path) == ["a/1/x/1/y"])
    #expect(try database.collections(below: DocumentKey("a/2")) == [])
    let keys = try database.reader().documentKeys(in: CollectionPath("a"))
    #expect(keys.map(\.key.path) == ["a/1", "a/2", "a/3"] && keys.map(\.exists) == [false, true, false])
    #expect(keys.map(\.hasMore) == [true, false, true])
    try database.commit([set("a/1"), set("a/4"), set("a/5/x/1"), set("a/5")])
    let more = try database.reader().documentKeys(in: CollectionPath("a"))
    #expect(more.map(\.exists) == [true, true, false, true, true])
    #expect(more.map(\.hasMore) == [true, false, true, false, true])
  }

  /// After an unclean end every kind of first call sees the same.
  @Test(arguments: 0..<4) func whateverIsAskedFirstAfterAKillTheAnswersAreTheSame(first: Int) throws {
    let environment = StorageEnvironment(
      fileSystem: MemoryFileSystem(), clock: SystemClock(), executor: ThreadExecutor(), random: SystemRandom())
    let killed = Database(engine: try StorageEngine.open(at: "/db", environment: environment))
    for number in 0..<5 { try killed.commit([set("c/\(number)", ["n": .integer(Int64(number))])]) }
    try killed.commit([.delete(DocumentKey("c/2"))])
    killed.engine.abandon()
    let database = Database(engine: try StorageEngine.open(at: "/db", environment: environment))
    let query = QueryDescription(collection: try CollectionPath("c"))
    for step in 0..<4 {
      switch (first + step) % 4 {
      case 0: #expect(try database.document(DocumentKey("c/4"))?.fields == ["n": .integer(4)])
      case 1: #expect(try database.documents(matching: query).map(\.key.path) == ["c/0", "c/1", "c/3", "c/4"])
      case 2: #expect(try database.collections(below: nil).map(\.path) == ["c"])
      default: try database.commit([set("d/1"), .delete(DocumentKey("d/1"))])
      }
    }
    try database.close()
  }

  @Test func aFailedCommitChangesNothing() throws {
    try database.commit([set("c/d", ["n": .integer(1)])])
    let version = try database.engine.view().version
    let error = #expect(throws: DatabaseError.self) {
      try database.commit([set("c/d", ["n": .integer(2)]), .update(DocumentKey("c/absent"), [])])
    }
    #expect(error?.code == .notFound)
    #expect(try database.engine.view().version == version)
  }

  @Test func damagedBytesAreDataLoss() throws {
    try database.engine.commit { view in
      var batch = KeyValueBatch(baseVersion: view.version)
      try batch.insert(.documents, key: KeySchema.key(of: DocumentKey("c/d")), value: [1, 2, 3])
      return batch
    }
    for read in [
      { _ = try database.document(DocumentKey("c/d")) },
      { _ = try database.documents(matching: QueryDescription(collection: CollectionPath("c"))) },
      { try database.commit([.delete(DocumentKey("c/d"))]) },
    ] as [() throws -> Void] {
      #expect(throws: DatabaseError.self) { try read() }
    }
    let error = #expect(throws: DatabaseError.self) { try database.document(DocumentKey("c/d")) }
    #expect(error?.code == .dataLoss)
  }

  /// The three ways to run a query give what sorting everything gives.
  @Test func limitsAgreeWithTheWholeResult() throws {
    var mutations: [Mutation] = []
    for number in 0..<200 { mutations.append(try set("c/\(number)", ["n": .integer(Int64(number * 7 % 23))])) }
    try database.commit(mutations, .buffered)
    let all = try QueryDescription(collection: CollectionPath("c"))
    let number = FieldPath(name: "n")
    for query in [
      all, try all.ordering(by: .documentID, descending: true), try all.ordering(by: number),
      try all.ordering(by: number, descending: true),
      try all.filtering(number, .greater, .integer(11)), try all.filtering(number, .equal, .integer(3)),
    ] {
      let whole = try database.documents(matching: query).map(\.key)
      for count in [1, 2, 17, 199, 200, 1000] {
        let first = try database.documents(matching: query.limiting(to: count)).map(\.key)
        #expect(first == Array(whole.prefix(count)))
        guard !query.orders.isEmpty else { continue }
        let last = try database.documents(matching: query.limiting(toLast: count)).map(\.key)
        #expect(last == Array(whole.suffix(count)))
      }
    }
  }
}
