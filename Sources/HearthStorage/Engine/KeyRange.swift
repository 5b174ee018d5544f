/// Keys from `lower` (included) up to `upper` (excluded), compared as unsigned bytes, shorter prefix first.
///
/// "After k" as a lower bound is `k` followed by one zero byte.
package struct KeyRange: Sendable, Equatable {
  package var lower: [UInt8]
  /// `nil` is the end of the tree.
  package var upper: [UInt8]?

  package init(lower: [UInt8] = [], upper: [UInt8]? = nil) {
    self.lower = lower
    self.upper = upper
  }

  package static let everything = KeyRange()

  /// All keys that begin with `prefix`.
  package init(prefix: [UInt8]) {
    self.init(lower: prefix, upper: KeyRange.successor(ofPrefix: prefix))
  }

  /// The lowest key above every key that begins with `prefix`; `nil` if there is none.
  package static func successor(ofPrefix prefix: [UInt8]) -> [UInt8]? {
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
}
