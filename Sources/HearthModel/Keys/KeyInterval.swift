/// Keys from `lower` (included) to `upper` (excluded), as unsigned bytes, shorter prefix first.
package struct KeyInterval: Hashable, Sendable {
  package var lower: [UInt8]
  /// `nil` is the end of the tree.
  package var upper: [UInt8]?

  package init(lower: [UInt8], upper: [UInt8]?) {
    self.lower = lower
    self.upper = upper
  }

  /// All keys that begin with `prefix`.
  package init(prefix: [UInt8]) {
    self.init(lower: prefix, upper: KeyInterval.successor(ofPrefix: prefix))
  }

  /// The lowest key above every key that begins with `prefix`; `nil` if there is none.
  static func successor(ofPrefix prefix: [UInt8]) -> [UInt8]? {
    var key = prefix
    while let last = key.last {
      if last < 0xFF {
        key[key.count - 1] = last + 1
        return key
      }
      key.removeLast()
    }
    return nil
  }

  package func contains(_ key: [UInt8]) -> Bool {
    KeyInterval.compare(lower, key) != .greater && upper.map { KeyInterval.compare(key, $0) == .less } ?? true
  }

  static func compare(_ left: [UInt8], _ right: [UInt8]) -> Ordering {
    left.withUnsafeBytes { left in right.withUnsafeBytes { right in ByteOrder.compare(left, right) } }
  }
}
