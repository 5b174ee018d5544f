import Testing

@testable import HearthCompare

struct StatisticsTests {
  @Test func medianIsTheMiddleOrTheMeanOfTwo() throws {
    #expect(try #require(Statistics([5, 1, 3])).median == 3)
    #expect(try #require(Statistics([4, 1, 3, 2])).median == 2.5)
    #expect(try #require(Statistics([7])).median == 7)
    #expect(Statistics([]) == nil)
  }

  @Test func spreadIsTheDistanceOfTheExtremes() throws {
    let statistics = try #require(Statistics([90, 100, 120]))
    #expect(statistics.least == 90)
    #expect(statistics.most == 120)
    #expect(abs(statistics.spread - 0.3) < 1e-12)
    #expect(try #require(Statistics([0, 0])).spread == 0)
  }

  @Test func moreThanOneIsBetterWhateverTheUnit() throws {
    let (small, large) = (try #require(Statistics([10])), try #require(Statistics([20])))
    #expect(large.ratio(to: small, isLowerBetter: false) == 2)
    #expect(small.ratio(to: large, isLowerBetter: true) == 2)
    #expect(try #require(Statistics([0])).ratio(to: small, isLowerBetter: true) == nil)
  }

  @Test(arguments: [
    (0.123, "0.12"), (9.99, "9.99"), (9.996, "10.0"), (99.94, "99.9"), (99.96, "100"), (1234, "1234"),
    (9994, "9994"), (9996, "10.0k"), (871_568, "872k"), (999_600, "1.00M"), (24_500_000, "24.5M"), (2.5e9, "2.50G"),
  ])
  func figuresHaveThreeDigits(value: Double, text: String) {
    #expect(Figure.short(value) == text)
  }
}
