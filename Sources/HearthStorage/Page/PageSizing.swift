/// How large pages become.
struct PageSizing: Equatable, Sendable {
  /// Raw bytes that a page should have at most.
  var targetBytes: Int
  /// A page grows beyond the target up to this before it holds fewer than ``countMin`` entries.
  var grownBytesMax: Int
  var countMin: Int
  /// How much of the target is filled: 95 where entries are appended, about 70 elsewhere, so that later changes find
  /// room.
  var fillPercent: Int

  init(
    targetBytes: Int = 16 << 10, grownBytesMax: Int = PageFormat.byteCountMax, countMin: Int = 8, fillPercent: Int = 95
  ) {
    precondition(targetBytes > 0 && grownBytesMax <= PageFormat.byteCountMax, "pages of \(targetBytes) bytes")
    precondition(countMin > 0 && (1...100).contains(fillPercent), "\(fillPercent) % of \(countMin) entries")
    self.targetBytes = targetBytes
    self.grownBytesMax = grownBytesMax
    self.countMin = countMin
    self.fillPercent = fillPercent
  }

  var filledBytes: Int { targetBytes * fillPercent / 100 }
  /// A page below this is joined with its neighbour: 6 KiB of 16.
  var joinBytes: Int { targetBytes * 3 / 8 }
}
