/// A page of a tree in memory of its own, validated.
final class LoadedPage {
  let reader: PageReader
  private let memory: UnsafeMutableRawBufferPointer

  /// Reads, checks and decodes the page that `child` names, as ``read(_:tree:level:lower:upper:_:using:allocate:)`` does.
  init(
    _ child: ChildReference, tree: TreeID, level: UInt8, lower: PageKey, upper: PageKey?, _ segments: SegmentSet,
    using buffer: ByteBuffer
  ) throws(StorageError) {
    var allocated: UnsafeMutableRawBufferPointer?
    do throws(StorageError) {
      try LoadedPage.read(child, tree: tree, level: level, lower: lower, upper: upper, segments, using: buffer) {
        byteCount in
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount, alignment: 64)
        allocated = memory
        return memory
      }
    } catch {
      allocated?.deallocate()
      throw error
    }
    guard let allocated, let start = allocated.baseAddress else { throw StorageError(.corruption, "an empty page") }
    memory = allocated
    reader = PageReader(unchecked: start)
  }

  /// A copy of a page that was validated before.
  init(copying page: PageReader) {
    memory = .allocate(byteCount: page.byteCount, alignment: 64)
    memory.copyMemory(from: UnsafeRawBufferPointer(start: page.start, count: page.byteCount))
    reader = PageReader(unchecked: UnsafeRawPointer(memory.baseAddress!))
  }

  deinit { memory.deallocate() }

  /// Reads the page that `child` names, checks and decodes it into memory that `allocate` makes.
  ///
  /// - Parameters:
  ///   - lower: the bounds that the parent gives it. A page may be narrower, where what lay between it and its neighbour
  ///     is gone.
  ///   - buffer: for the stored block.
  /// - Throws: `.corruption` with file and offset when anything does not agree, `.unsupportedFormat` for what only later
  ///   builds read. The memory is the caller's in any case.
  static func read(
    _ child: ChildReference, tree: TreeID, level: UInt8, lower: PageKey, upper: PageKey?, _ segments: SegmentSet,
    using buffer: ByteBuffer, allocate: (Int) -> UnsafeMutableRawBufferPointer
  ) throws(StorageError) {
    let segment = try segments.reader(child.base.place.segment)
    let block = try segment.read(child.base, expecting: .page, using: buffer)
    do throws(StorageError) {
      guard block.header.tree == tree, block.header.level == level else {
        throw StorageError(
          .corruption,
          "a page of tree \(block.header.tree?.rawValue ?? BlockFormat.noTree), level \(block.header.level) where one of"
            + " \(tree.rawValue), level \(level) belongs")
      }
      let memory = allocate(block.header.rawLength)
      try block.decode(into: memory)
      try check(try PageReader(validating: UnsafeRawBufferPointer(memory)), child, level, lower: lower, upper: upper)
    } catch {
      throw error.placed(file: segment.path, offset: child.base.place.offset)
    }
  }

  private static func check(
    _ page: PageReader, _ child: ChildReference, _ level: UInt8, lower: PageKey, upper: PageKey?
  ) throws(StorageError) {
    guard page.level == level else {
      throw StorageError(.corruption, "a page of level \(page.level) where one of level \(level) belongs")
    }
    // Also what keeps a page from having two parents, or itself among its children.
    guard page.isWithin(lower: lower, upper: upper) else {
      throw StorageError(
        .corruption,
        "a page from \(page.lowerFence.hex) to \(page.upperFence?.hex ?? "the end") where one between \(lower.hex) and"
          + " \(upper?.hex ?? "the end") belongs")
    }
    guard child.delta == nil else {
      throw StorageError(.unsupportedFormat, "a page with a delta: use a newer build")
    }
    guard page.entryCount == child.entryCount, page.hasBlobs == child.hasBlobs else {
      throw StorageError(
        .corruption,
        "a page of \(page.entryCount) entries\(page.hasBlobs ? " with long values" : "") where \(child.entryCount)"
          + "\(child.hasBlobs ? " with long values" : "") belong")
    }
  }
}

extension PageReader {
  /// Whether the fences lie within bounds.
  func isWithin(lower: PageKey, upper: PageKey?) -> Bool {
    guard lowerFence.compare(lower) >= 0 else { return false }
    guard let upper else { return true }
    return upperFence.map { $0.compare(upper) <= 0 } ?? false
  }
}
