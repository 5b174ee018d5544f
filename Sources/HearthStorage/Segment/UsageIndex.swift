/// Where the usage blocks of a database are: the raw payload of a usage block of level 1.
enum UsageIndex {
  struct Item: Equatable, Sendable {
    /// The first segment that the block tells of.
    var firstSegment: UInt64
    var reference: BlockReference
  }

  /// - Parameter items: by segment.
  static func encode(_ items: [Item]) -> [UInt8] {
    var image = [UInt8](repeating: 0, count: UsageFormat.headerBytes + items.count * UsageFormat.indexBytes)
    image.withUnsafeMutableBytes { buffer in
      guard let p = buffer.baseAddress else { return }
      p.store(u32: UInt32(items.count), at: UsageFormat.count)
      var before: UInt64 = 0
      for (index, item) in items.enumerated() {
        precondition(item.firstSegment > before, "segment \(item.firstSegment) after \(before)")
        before = item.firstSegment
        let at = p + UsageFormat.headerBytes + index * UsageFormat.indexBytes
        at.store(u64: item.firstSegment, at: UsageFormat.Index.firstSegment)
        item.reference.encode(to: at + UsageFormat.Index.reference)
      }
    }
    return image
  }

  /// - Throws: `.corruption` when it could not have been written.
  static func read(_ bytes: UnsafeRawBufferPointer) throws(StorageError) -> [Item] {
    let count = try readCount(bytes, itemBytesMin: UsageFormat.indexBytes)
    guard let p = bytes.baseAddress, bytes.count == UsageFormat.headerBytes + count * UsageFormat.indexBytes else {
      throw damage("\(count) blocks in \(bytes.count) bytes")
    }
    var items: [Item] = []
    items.reserveCapacity(count)
    for index in 0..<count {
      let at = p + UsageFormat.headerBytes + index * UsageFormat.indexBytes
      let first = at.u64(UsageFormat.Index.firstSegment)
      guard let reference = try BlockReference.read(at + UsageFormat.Index.reference, kind: .usage),
        at.u32(UsageFormat.Index.reserved) == 0, first > items.last?.firstSegment ?? 0, first <= BlockFormat.segmentMax
      else { throw damage("block \(index) cannot be") }
      items.append(Item(firstSegment: first, reference: reference))
    }
    return items
  }

  /// The number of items, which there is room for.
  static func readCount(_ bytes: UnsafeRawBufferPointer, itemBytesMin: Int) throws(StorageError) -> Int {
    guard let p = bytes.baseAddress, bytes.count >= UsageFormat.headerBytes, p.u32(UsageFormat.reserved) == 0 else {
      throw damage("no header")
    }
    let count = Int(p.u32(UsageFormat.count))
    guard count <= (bytes.count - UsageFormat.headerBytes) / itemBytesMin else {
      throw damage("\(count) items in \(bytes.count) bytes")
    }
    return count
  }

  static func damage(_ what: String) -> StorageError { StorageError(.corruption, "damaged usage block: \(what)") }
}
