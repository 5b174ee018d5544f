extension KeyRange {
  /// The bounds as keys, valid inside `body` alone.
  @inline(__always)
  func withKeyBytes<R, E: Error>(_ body: (_ lower: KeyBytes, _ upper: KeyBytes?) throws(E) -> R) throws(E) -> R {
    try lower.withKeyBytes { (lower: KeyBytes) throws(E) -> R in
      guard let upper else { return try body(lower, nil) }
      return try upper.withKeyBytes { (upper: KeyBytes) throws(E) -> R in try body(lower, upper) }
    }
  }
}
