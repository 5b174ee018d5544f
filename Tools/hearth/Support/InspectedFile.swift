import Foundation
import HearthCommandLine
import HearthStorage

/// How commands get at single files.
enum InspectedFile {
  /// A file of a database is never a link, but the way that a person names one may be.
  static func path(_ operand: String) -> String {
    URL(fileURLWithPath: operand).resolvingSymlinksInPath().path
  }

  /// The segment that the first operand names.
  ///
  /// - Throws: also when the file is another one of a database.
  static func segment(_ operand: String) throws -> SegmentDump {
    let path = path(operand)
    let fileSystem = POSIXFileSystem()
    switch try DatabaseFile.kind(of: path, fileSystem: fileSystem) {
    case .segment: break
    case .log: throw StorageError(.notADatabase, "a log file has no blocks; hearth wal shows it", file: path)
    case .superblocks:
      throw StorageError(.notADatabase, "superblocks are no blocks; hearth file shows them", file: path)
    // Without any magic left it may be one all the same.
    case nil where path.hasSuffix(".seg") || path.hasSuffix(".new"): break
    case nil: throw StorageError(.notADatabase, "this is no file of a database", file: path)
    }
    return try SegmentDump(path, fileSystem: fileSystem)
  }

  /// The block that an operand names: `@OFFSET` in bytes or a number in the segment's list.
  static func block(_ operand: String, in segment: SegmentDump) throws -> BlockReport {
    if operand.hasPrefix("@") {
      let digits = operand.dropFirst()
      let offset = digits.hasPrefix("0x") ? UInt64(digits.dropFirst(2), radix: 16) : UInt64(digits)
      guard let offset else { throw CommandLineWords.UsageError("an offset is @ and a number, not \(operand)") }
      return try segment.block(at: offset)
    }
    guard let number = Int(operand), number >= 0 else {
      throw CommandLineWords.UsageError("a block is its number or @ and its offset, not \(operand)")
    }
    guard segment.blocks.indices.contains(number) else {
      throw StorageError(
        .notFound, "there is no block \(number), the segment lists \(segment.blocks.count)", file: segment.path)
    }
    return try segment.block(at: segment.blocks[number].offset)
  }
}
