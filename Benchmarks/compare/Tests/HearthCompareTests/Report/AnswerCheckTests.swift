import Testing

@testable import HearthCompare

struct AnswerCheckTests {
  static func result(_ digests: [[UInt64]], state: UInt64? = nil) -> RowResult {
    RowResult(row: "read", value: 1, digests: digests, state: state)
  }

  @Test func equalAnswersAreEqualAsFarAsBothCame() {
    var check = AnswerCheck()
    check.check("read", round: 1, [(.hearth, Self.result([[1, 2, 3]])), (.lmdb, Self.result([[1, 2]]))])
    #expect(check.differences.isEmpty)
    #expect(check.compared == [.hearth, .lmdb])
  }

  @Test func aDifferenceNamesEngineThreadAndPart() throws {
    var check = AnswerCheck()
    check.check("read-2", round: 2, [(.hearth, Self.result([[1], [5, 6]])), (.lmdb, Self.result([[1], [5, 7]]))])
    #expect(check.differences == ["read-2, round 2: LMDB answers otherwise than Hearth (thread 2, part 2)"])
  }

  @Test func otherDocumentsAfterwardsAreADifference() {
    var check = AnswerCheck()
    check.check("ycsb-a", round: 1, [(.hearth, Self.result([], state: 1)), (.sqlite, Self.result([], state: 2))])
    #expect(check.differences == ["ycsb-a, round 1: SQLite holds other documents than Hearth"])
  }

  @Test func whatWasCutShortIsNotCompared() {
    var cut = Self.result([], state: 2)
    cut.isComplete = false
    var after = Self.result([[9]], state: 3)
    after.isStateExact = false
    var check = AnswerCheck()
    check.check("ycsb-a", round: 1, [(.hearth, Self.result([], state: 1)), (.sqlite, cut)])
    check.check("ycsb-f", round: 1, [(.hearth, Self.result([[1]], state: 1)), (.sqlite, after)])
    #expect(check.differences.isEmpty)
    #expect(check.compared.isEmpty)
  }
}
