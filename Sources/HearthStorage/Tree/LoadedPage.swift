/// A page of a tree in memory of its own, validated.
final class LoadedPage {
  let reader: PageReader
  private let memory: UnsafeMutableRawBufferPointer

  /// Reads, checks and decodes the page that `child` names.
  ///
  /// - Parameters:
  ///   - lower: the fences that the parent gives it; the page must say the same.
  ///   - buffer: for the stored block.
  /// - Throws: `.corruption` with file and offset when anything does not agree, `.unsupportedFormat` for what only later
  ///   builds read.
  init(
    _ child: ChildReference, tree: TreeID, level: UInt8, lower: PageKey, upper: PageKey?, _ segments: SegmentSet,
    using buffer: ByteBuffer
  ) throws(StorageError) {
    let segment = try segments.reader(child.base.place.segment)
    let block = try segment.read(child.base, expecting: .page, using: buffer)
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: block.header.rawLength, alignment: 64)
    do throws(StorageError) {
      guard block.header.tree == tree, block.header.level == level else {
        throw StorageError(
          .corruption,
          "a page of tree \(block.header.tree?.rawValue ?? BlockFormat.noTree), level \(block.header.level) where one of"
            + " \(tree.rawValue), level \(level) belongs")
      }
      try block.decode(into: memory)
      reader = try PageReader(validating: UnsafeRawBufferPointer(memory))
      try LoadedPage.check(reader, child, level: level, lower: lower, upper: upper)
    } catch {
      memory.deallocate()
      throw error.placed(file: segment.path, offset: child.base.place.offset)
    }
    self.memory = memory
  }

  deinit { memory.deallocate() }

  private static func check(
    _ page: PageReader, _ child: ChildReference, level: UInt8, lower: PageKey, upper: PageKey?
  ) throws(StorageError) {
    guard page.level == level else {
      throw StorageError(.corruption, "a page of level \(page.level) where one of level \(level) belongs")
    }
    // Also what keeps a page from having two parents, or itself among its children.
    let isSame =
      upper.map { upper in page.upperFence.map { $0.compare(upper) == 0 } ?? false } ?? (page.upperFence == nil)
    guard page.lowerFence.compare(lower) == 0, isSame else {
      throw StorageError(
        .corruption,
        "a page from \(page.lowerFence.hex) to \(page.upperFence?.hex ?? "the end") where one from \(lower.hex) to"
          + " \(upper?.hex ?? "the end") belongs")
    }
    guard child.delta == nil, !child.hasBlobs, !page.hasBlobs else {
      throw StorageError(.unsupportedFormat, "a page with a delta or with blobs: use a newer build")
    }
    guard page.entryCount == child.entryCount else {
      throw StorageError(.corruption, "a page of \(page.entryCount) entries where \(child.entryCount) belong")
    }
  }
}
