/// Something in the files of a database that is not as it should be.
package struct Finding: Sendable {
  /// On display and in JSON by these names.
  package enum Kind: String, Sendable, CaseIterable {
    /// The checkpoint record is not the block that it should be.
    case record
    case segmentMissing
    /// A listed segment can't be opened, or is another one.
    case segmentUnusable
    case segmentLength
    /// One of a segment's two headers is damaged, or they differ.
    case segmentHeader
    case segmentFooter
    /// A block that something needs can't be read or is not as it was written.
    case block
    /// The same of one that nothing needs.
    case deadBlock
    /// A reference leads to where no block can be.
    case reference
    /// Two references lead to one block, or into each other's.
    case sharedBlock
    /// A reference leads to a block that the segment does not list.
    case unlistedBlock
    /// A page's content is not one that could have been built.
    case page
    /// A page of another level or tree than its parent says.
    case level
    /// A page reaches out of the bounds that its parent gives it.
    case fences
    case count
    case blobFlag
    case deadBytes
    /// Blocks of usage can't be read.
    case usage
    /// A block that a tree needs is not alive in usage.
    case usageTooLow
    /// Usage counts blocks as alive that nothing needs, or counts them wrong.
    case usageTooHigh
    /// Something that this build does not know.
    case unsupported
  }

  package enum Severity: String, Sendable {
    /// Something can't be read, or would be read wrong.
    case damage
    /// All can be read; what later work or a repair relies on is wrong.
    case risk
  }

  package let kind: Kind
  /// What is wrong.
  package let message: String
  package var file: String?
  /// In the file.
  package var offset: UInt64?
  /// The block's number in its segment.
  package var block: Int?
  package var tree: TreeID?
  package var level: UInt8?
  /// The beginning of the lowest key that is concerned; empty for a whole tree.
  package var keyPrefix: [UInt8]?

  /// So much of a key is kept.
  static let keyBytesMax = 64

  package var severity: Severity {
    switch kind {
    case .segmentHeader, .segmentFooter, .deadBlock, .usage, .usageTooLow, .usageTooHigh, .deadBytes: .risk
    default: .damage
    }
  }

  /// What it means for whoever has the database.
  package var meaning: String {
    switch kind {
    case .record: "the checkpoint can't be trusted; an older one serves if it is whole"
    case .segmentMissing, .segmentUnusable: "what its blocks hold can't be read; put the file back from a copy"
    case .segmentLength: "the file was cut or added to after it was finished"
    case .segmentHeader: "the other copy serves; the disk or something else changed the file"
    case .segmentFooter: "its blocks are found one by one instead; the disk or something else changed the file"
    case .block: "the keys in it and below can't be read"
    case .deadBlock: "nothing needs it; the disk or something else changed the file"
    case .reference, .level, .page: "the keys there can't be read"
    case .sharedBlock: "one of the two leads to the wrong keys"
    case .unlistedBlock: "a repair by the segment's list would lose it"
    case .fences: "keys are found in the wrong place or not at all"
    case .count: "counts and offsets come out wrong"
    case .blobFlag: "values outside their page would be lost or never freed"
    case .deadBytes: "pages are rewritten too early or too late"
    case .usage: "what is alive must be counted anew before space can be freed"
    case .usageTooLow: "freeing space would remove what is needed"
    case .usageTooHigh: "space is never freed"
    case .unsupported: "it is not checked; use a newer build"
    }
  }
}

extension Finding: CustomStringConvertible {
  /// `kind: what (file, offset n, block n, tree, level n, key from …): what it means`.
  package var description: String {
    var place: [String] = []
    if let file { place.append(file) }
    if let offset { place.append("offset \(offset)") }
    if let block { place.append("block \(block)") }
    if let tree { place.append("\(tree)") }
    if let level { place.append("level \(level)") }
    if let keyPrefix, !keyPrefix.isEmpty { place.append("keys from \(keyPrefix.withKeyBytes { $0.hex })") }
    let at = place.isEmpty ? "" : " (\(place.joined(separator: ", ")))"
    return "\(kind.rawValue): \(message)\(at): \(meaning)"
  }
}
