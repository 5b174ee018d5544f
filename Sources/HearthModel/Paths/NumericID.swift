/// Document ids of the form `__id<n>__`, with n an Int64 in canonical decimals: they sort before all other ids, by n.
package enum NumericID {
  /// The number of an id, or `nil` for any other id, also for one that is not in canonical form (`__id007__`).
  package static func number(of id: UnsafeRawBufferPointer) -> Int64? {
    // "__id0__" is the shortest, "__id-9223372036854775808__" the longest.
    guard id.count >= 7, id.count <= 26, id[0] == underscore, id[1] == underscore,
      id[2] == UInt8(ascii: "i"), id[3] == UInt8(ascii: "d"),
      id[id.count - 1] == underscore, id[id.count - 2] == underscore
    else { return nil }
    var index = 4
    let end = id.count - 2
    let isNegative = id[index] == UInt8(ascii: "-")
    if isNegative { index += 1 }
    guard index < end else { return nil }
    // No leading zero, and zero itself without a sign.
    if id[index] == UInt8(ascii: "0") { return end - index == 1 && !isNegative ? 0 : nil }
    var number: Int64 = 0
    while index < end {
      let digit = id[index] &- UInt8(ascii: "0")
      guard digit <= 9 else { return nil }
      // Counting down reaches Int64.min, which counting up cannot.
      let (product, overflowed) = number.multipliedReportingOverflow(by: 10)
      let (difference, underflowed) = product.subtractingReportingOverflow(Int64(digit))
      if overflowed || underflowed { return nil }
      number = difference
      index += 1
    }
    if isNegative { return number }
    return number == .min ? nil : -number
  }

  package static func number(of id: String) -> Int64? { id.withUTF8Bytes { number(of: $0) } }

  package static func id(of number: Int64) -> String { "__id\(number)__" }

  private static let underscore = UInt8(ascii: "_")
}
