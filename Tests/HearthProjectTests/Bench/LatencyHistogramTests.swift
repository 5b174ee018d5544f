import Testing

@testable import HearthBench

struct LatencyHistogramTests {
  @Test func bucketsAreNarrowAndInOrder() {
    var random = SplitMix(seed: 1, stream: 0, item: 0)
    var values: [UInt64] = Array(0...4096)
    for shift in UInt64(12)..<45 {
      for _ in 0..<20 { values.append(1 << shift + random.below(1 << shift)) }
    }
    for value in values {
      let lower = LatencyHistogram.lowerBound(ofBucket: LatencyHistogram.bucket(of: value))
      #expect(lower <= value)
      #expect(Double(value - lower) <= Double(value) / 64)
      #expect(LatencyHistogram.bucket(of: lower) == LatencyHistogram.bucket(of: value))
    }
    for (before, after) in zip(values.sorted(), values.sorted().dropFirst()) {
      #expect(LatencyHistogram.bucket(of: before) <= LatencyHistogram.bucket(of: after))
    }
  }

  @Test func quantilesAreThoseOfTheSortedValues() {
    var random = SplitMix(seed: 2, stream: 0, item: 0)
    var histogram = LatencyHistogram()
    var values: [UInt64] = []
    for _ in 0..<10_000 {
      let value = 100 + random.below(1 << (7 + random.below(20)))
      values.append(value)
      histogram.add(value)
    }
    values.sort()
    for share in [0.5, 0.95, 0.99, 0.999] {
      let exact = values[Int((share * 10_000).rounded(.up)) - 1]
      let found = histogram.nanoseconds(atShare: share)
      #expect(found <= exact)
      #expect(Double(found) >= Double(exact) * 63 / 64 - 1)
    }
    #expect(histogram.maxNanoseconds == values.last)
    #expect(histogram.count == 10_000)
  }

  @Test func mergingIsAddingBoth() {
    var (left, right, both) = (LatencyHistogram(), LatencyHistogram(), LatencyHistogram())
    for value in UInt64(0)..<1000 {
      if value % 3 == 0 { left.add(value * 77) } else { right.add(value * 77) }
      both.add(value * 77)
    }
    left.merge(right)
    #expect(left == both)
  }

  @Test func theEdgesAreCounted() {
    var histogram = LatencyHistogram()
    #expect(histogram.nanoseconds(atShare: 0.5) == 0)
    histogram.add(UInt64.max)
    histogram.add(0)
    #expect(histogram.maxNanoseconds == UInt64.max)
    #expect(histogram.nanoseconds(atShare: 0.5) == 0)
    #expect(histogram.nanoseconds(atShare: 1) == 1 << 45 + 63 << 39)
  }
}
