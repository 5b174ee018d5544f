/// One block of a segment as its footer lists it.
struct SegmentBlock: Equatable, Sendable {
  var reference: BlockReference
  var kind: BlockKind
  var tree: TreeID?
  var level: UInt8

  /// The offset at which the next block begins.
  var end: UInt64 {
    alignUp(reference.place.offset + UInt64(reference.byteCount), BlockFormat.alignment)
  }

  func encode(to p: UnsafeMutableRawPointer) {
    p.store(u32: reference.place.unit, at: SegmentFormat.FooterEntry.unit)
    p.store(u32: UInt32(reference.byteCount), at: SegmentFormat.FooterEntry.byteCount)
    p.store(u32: reference.check, at: SegmentFormat.FooterEntry.check)
    p.store(u8: kind.rawValue, at: SegmentFormat.FooterEntry.kind)
    p.store(u8: tree?.rawValue ?? BlockFormat.noTree, at: SegmentFormat.FooterEntry.tree)
    p.store(u8: level, at: SegmentFormat.FooterEntry.level)
    p.store(u8: 0, at: SegmentFormat.FooterEntry.reserved)
  }

  /// The entry at `p`, or `nil` when it cannot be one.
  static func read(_ p: UnsafeRawPointer, segment: UInt64) -> SegmentBlock? {
    let treeNumber = p.u8(SegmentFormat.FooterEntry.tree)
    let tree = TreeID(rawValue: treeNumber)
    let level = p.u8(SegmentFormat.FooterEntry.level)
    let byteCount = Int(p.u32(SegmentFormat.FooterEntry.byteCount))
    guard let kind = BlockKind(rawValue: p.u8(SegmentFormat.FooterEntry.kind)),
      kind.belongsToTree ? tree != nil : treeNumber == BlockFormat.noTree,
      level <= BlockFormat.levelMax, p.u8(SegmentFormat.FooterEntry.reserved) == 0,
      byteCount > BlockFormat.headerBytes, byteCount <= BlockFormat.headerBytes + kind.rawBytesMax
    else { return nil }
    let place = BlockPlace(segment: segment, unit: p.u32(SegmentFormat.FooterEntry.unit))
    return SegmentBlock(
      reference: BlockReference(place: place, byteCount: byteCount, check: p.u32(SegmentFormat.FooterEntry.check)),
      kind: kind, tree: tree, level: level)
  }
}
