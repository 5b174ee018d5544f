/// Which 64-byte units of a segment belong to something: a bit each, in pieces that exist only where something does, so
/// that a long file of holes costs nothing.
struct UnitSet {
  enum Cover: Equatable { case none, part, all }

  /// Units of one piece: 4 MiB of a file.
  private static let pieceUnits = 1 << 16
  private var pieces: [[UInt64]?]

  /// - Parameter byteCount: of the file; beyond what references can name nothing counts.
  init(byteCount: UInt64) {
    let units = (min(byteCount, SegmentFormat.byteCountMax) + BlockFormat.alignment - 1) / BlockFormat.alignment
    pieces = [[UInt64]?](repeating: nil, count: (Int(units) + UnitSet.pieceUnits - 1) / UnitSet.pieceUnits)
  }

  /// Units that a block occupies, its padding included.
  static func units(of place: BlockPlace, byteCount: Int) -> Range<Int> {
    let first = Int(place.unit)
    return first..<first + (byteCount + Int(BlockFormat.alignment) - 1) / Int(BlockFormat.alignment)
  }

  /// How much of `units`, which lie in the file, is in the set.
  func cover(_ units: Range<Int>) -> Cover {
    var inside = 0
    UnitSet.forEachWord(units) { piece, word, mask in
      if let bits = pieces[piece] { inside += (bits[word] & mask).nonzeroBitCount }
    }
    return inside == 0 ? .none : inside == units.count ? .all : .part
  }

  /// Adds units that lie in the file.
  mutating func insert(_ units: Range<Int>) {
    UnitSet.forEachWord(units) { piece, word, mask in
      if pieces[piece] == nil { pieces[piece] = [UInt64](repeating: 0, count: UnitSet.pieceUnits / 64) }
      pieces[piece]?[word] |= mask
    }
  }

  var count: Int { pieces.reduce(0) { $0 + ($1?.reduce(0) { $0 + $1.nonzeroBitCount } ?? 0) } }

  private static func forEachWord(_ units: Range<Int>, _ body: (_ piece: Int, _ word: Int, _ mask: UInt64) -> Void) {
    var unit = units.lowerBound
    while unit < units.upperBound {
      let bit = unit % 64
      let length = min(64 - bit, units.upperBound - unit)
      let mask = (length == 64 ? UInt64.max : (1 << UInt64(length)) - 1) << UInt64(bit)
      body(unit / UnitSet.pieceUnits, unit % UnitSet.pieceUnits / 64, mask)
      unit += length
    }
  }
}
