/// The total order over all values (semantics.md 2).
///
/// `.equal` is *compare-equal*, the equality of filters, cursors and array transforms: integers and doubles by their
/// mathematical value, both zeros the same, NaN equal to NaN and below every other number.
package enum ValueOrder {
  package static func compare(_ left: Value, _ right: Value) -> Ordering {
    switch (left, right) {
    case (.null, .null): .equal
    case (.boolean(let a), .boolean(let b)): a == b ? .equal : (b ? .less : .greater)
    case (.integer(let a), .integer(let b)): .of(a, b)
    case (.double(let a), .double(let b)): compare(a, b)
    case (.integer(let a), .double(let b)): compare(a, b)
    case (.double(let a), .integer(let b)): compare(b, a).reversed
    case (.timestamp(let a), .timestamp(let b)): .of(a, b)
    case (.string(let a), .string(let b)): a.compareUTF8(b)
    case (.bytes(let a), .bytes(let b)):
      a.withUnsafeBytes { a in b.withUnsafeBytes { b in ByteOrder.compare(a, b) } }
    case (.reference(let a), .reference(let b)): a.compare(b)
    case (.geoPoint(let a), .geoPoint(let b)): compare(a, b)
    case (.array(let a), .array(let b)): compare(a, b)
    case (.vector(let a), .vector(let b)): compare(a, b)
    case (.map(let a), .map(let b)): compare(a, b)
    default: .of(left.type, right.type)
    }
  }

  package static func equal(_ left: Value, _ right: Value) -> Bool { compare(left, right) == .equal }

  /// NaN first, both zeros the same.
  package static func compare(_ left: Double, _ right: Double) -> Ordering {
    if left < right { return .less }
    if left > right { return .greater }
    if left == right { return .equal }
    return left.isNaN ? (right.isNaN ? .equal : .less) : .greater
  }

  /// Exact: the integer is never rounded to a double.
  package static func compare(_ left: Int64, _ right: Double) -> Ordering {
    if right.isNaN { return .greater }
    if right >= 0x1p63 { return .less }
    if right < -0x1p63 { return .greater }
    // Truncates; the whole part of a double is a double again, so converting it back is exact.
    let whole = Int64(right)
    let ordering = Ordering.of(left, whole)
    return ordering == .equal ? .of(Double(whole), right) : ordering
  }

  private static func compare(_ left: GeoPoint, _ right: GeoPoint) -> Ordering {
    let ordering = compare(left.latitude, right.latitude)
    return ordering == .equal ? compare(left.longitude, right.longitude) : ordering
  }

  private static func compare(_ left: [Value], _ right: [Value]) -> Ordering {
    for index in 0..<min(left.count, right.count) {
      let ordering = compare(left[index], right[index])
      if ordering != .equal { return ordering }
    }
    return .of(left.count, right.count)
  }

  /// Fewer dimensions first.
  private static func compare(_ left: [Double], _ right: [Double]) -> Ordering {
    if left.count != right.count { return .of(left.count, right.count) }
    for index in left.indices {
      let ordering = compare(left[index], right[index])
      if ordering != .equal { return ordering }
    }
    return .equal
  }

  /// Position by position over the sorted names: the names, then the values; fewer fields first.
  package static func compare(_ left: MapValue, _ right: MapValue) -> Ordering {
    let a = left.entries
    let b = right.entries
    for index in 0..<min(a.count, b.count) {
      let names = a[index].name.compareUTF8(b[index].name)
      if names != .equal { return names }
      let values = compare(a[index].value, b[index].value)
      if values != .equal { return values }
    }
    return .of(a.count, b.count)
  }
}
