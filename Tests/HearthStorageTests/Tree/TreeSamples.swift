import HearthTestSupport

@testable import HearthStorage

/// A tree built into one segment of a file system in memory, beside the sorted entries it was made of.
struct SampleTree {
  var entries: [PageSamples.Entry]
  var root: TreeRoot?
  var directory: SegmentDirectory
  var segments: SegmentSet
  var blocks: [SegmentBlock]

  var reader: TreeReader { TreeReader(root, .documents, segments) }

  init(_ entries: [PageSamples.Entry], sizing: PageSizing = PageSizing()) throws {
    self.entries = entries
    directory = try SegmentSamples.directory()
    let writer = try SegmentWriter(directory, segment: 5, lineage: SegmentSamples.lineage, checkpoint: 3)
    let builder = TreeBuilder(writer, .documents, sizing: sizing)
    for entry in entries {
      try entry.key.withKeyBytes { key in try entry.value.withUnsafeBytes { try builder.append(key, $0) } }
    }
    root = try builder.finish()
    blocks = writer.blocks
    _ = try writer.finish()
    segments = SegmentSet([try SegmentSamples.open(directory)])
  }

  static func entries(
    _ shape: PageSamples.Shape, _ values: PageSamples.Values, count: Int, _ random: SeededRandom
  ) -> [PageSamples.Entry] {
    PageSamples.entries(shape, values, count: count, random).map { PageSamples.Entry(key: $0.key, value: $0.value) }
  }

  static func scan(_ reader: TreeReader, _ range: KeyRange = .everything, descending: Bool = false) throws
    -> [PageSamples.Entry]
  {
    var found: [PageSamples.Entry] = []
    try reader.scan(range, descending: descending) { key, value in
      found.append(PageSamples.Entry(key: key.bytes, value: [UInt8](value)))
      return true
    }
    return found
  }
}
