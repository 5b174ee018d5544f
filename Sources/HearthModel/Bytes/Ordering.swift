/// The outcome of comparing a left value with a right one.
package enum Ordering: Int, Hashable, Sendable {
  case less = -1
  case equal = 0
  case greater = 1

  package var reversed: Ordering {
    switch self {
    case .less: .greater
    case .equal: .equal
    case .greater: .less
    }
  }

  /// Compares with `<`; for types whose `<` is a total order.
  @inline(__always)
  static func of<T: Comparable>(_ left: T, _ right: T) -> Ordering {
    left < right ? .less : (right < left ? .greater : .equal)
  }
}
