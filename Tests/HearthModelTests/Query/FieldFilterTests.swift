import HearthModel
import Testing

/// The table of semantics.md 4.2 where values and operands are null, NaN, or of other types.
@Suite struct FieldFilterTests {
  private static let values: [Value] = [
    .null, .boolean(false), .double(.nan), .double(-.infinity), .integer(1), .integer(2), .integer(3), .string("2"),
    .array([.integer(2)]), .array([.null]), .array([.double(.nan)]),
  ]

  /// Positions in `values` of what passes.
  private static let table: [(FieldFilter.Comparison, Value, [Int])] = [
    (.equal, .double(2), [5]), (.equal, .null, [0]), (.equal, .double(.nan), [2]),
    (.notEqual, .double(2), [1, 2, 3, 4, 6, 7, 8, 9, 10]), (.notEqual, .null, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]),
    (.notEqual, .double(.nan), [1, 3, 4, 5, 6, 7, 8, 9, 10]),
    (.less, .integer(2), [3, 4]), (.lessOrEqual, .integer(2), [3, 4, 5]),
    (.greater, .integer(2), [6]), (.greaterOrEqual, .integer(2), [5, 6]),
    (.less, .null, []), (.lessOrEqual, .null, [0]), (.greater, .null, []), (.greaterOrEqual, .null, [0]),
    (.less, .double(.nan), []), (.lessOrEqual, .double(.nan), [2]),
    (.greater, .double(.nan), []), (.greaterOrEqual, .double(.nan), [2]),
    (.greaterOrEqual, .string(""), [7]), (.greater, .boolean(false), []), (.greaterOrEqual, .array([]), [8, 9, 10]),
    (.isIn, .array([.double(2), .null, .double(.nan), .array([.integer(2)])]), [5, 8]),
    (.notIn, .array([.integer(2), .double(.nan)]), [1, 3, 4, 6, 7, 8, 9, 10]),
    (.notIn, .array([.integer(2), .null]), []),
    (.arrayContains, .double(2), [8]), (.arrayContains, .null, []), (.arrayContains, .double(.nan), []),
    (.arrayContainsAny, .array([.null, .double(.nan), .integer(2)]), [8]),
    (.arrayContainsAny, .array([.null, .double(.nan)]), []),
  ]

  @Test(arguments: table.indices) func whatPasses(row: Int) {
    let (comparison, operand, expected) = FieldFilterTests.table[row]
    let filter = FieldFilter(path: FieldPath(name: "f"), comparison: comparison, operand: operand)
    let values = FieldFilterTests.values
    #expect(values.indices.filter { filter.matches(values[$0]) } == expected, "\(comparison.rawValue) \(operand)")
  }
}

@Suite struct QueryDescriptionTests {
  private let query: QueryDescription

  init() throws { query = QueryDescription(collection: try CollectionPath("c")) }

  @Test func eachCallLeavesTheOldQuery() throws {
    let longer = try query.ordering(by: FieldPath(name: "a")).limiting(to: 3)
    #expect(query == QueryDescription(collection: try CollectionPath("c")))
    #expect(longer != query)
  }

  @Test func inequalitiesFollowInFieldOrderWithTheLastDirection() throws {
    let ordered =
      try query.filtering(FieldPath(name: "b"), .less, .integer(1))
      .filtering(.or([.field(FieldFilter(path: FieldPath(name: "aa"), comparison: .notEqual, operand: .null))]))
      .filtering(FieldPath(name: "x"), .equal, .null)
      .filtering(FieldPath(dotted: "a.a"), .greater, .integer(1))
      .filtering(.documentID, .greater, .string("k"))
      .ordering(by: FieldPath(name: "z")).ordering(by: FieldPath(name: "y"), descending: true)
    #expect(ordered.normalizedOrders.map(\.path.canonicalText) == ["z", "y", "a.a", "aa", "b", "__name__"])
    #expect(ordered.normalizedOrders.map(\.isDescending) == [false, true, true, true, true, true])
  }

  @Test func mistakesAreNamed() throws {
    func expect(_ message: String, _ make: () throws -> QueryDescription) {
      #expect(throws: ModelError.invalidArgument(message)) { try make().validate() }
    }
    let a = FieldPath(name: "a")
    expect("the limit of a query is 0; it must be positive") { try query.limiting(to: 0) }
    expect("\"in\" on \"a\" needs a list that is not empty") { try query.filtering(a, .isIn, .array([])) }
    expect("a query cannot have both \"not-in\" and \"in\"") {
      try query.filtering(a, .isIn, .array([.null])).filtering(a, .notIn, .array([.null]))
    }
    expect("a cursor has 1 values; the query has 0 orders to match them") {
      try query.starting(at: [.null], isInclusive: true)
    }
    expect("a limit to the last results needs at least one explicit order") { try query.limiting(toLast: 1) }
    expect("the query orders by the document id before \"a\"; nothing can follow the document id") {
      try query.ordering(by: .documentID).ordering(by: a)
    }
    expect("a document id is compared with \"x/y\"; in a collection it must not contain a slash") {
      try query.filtering(.documentID, .equal, .string("x/y"))
    }
    #expect(throws: ModelError.self) { try QueryDescription(collectionGroup: "a/b") }
    #expect(throws: ModelError.self) { try QueryDescription(collectionGroup: "") }
  }
}
