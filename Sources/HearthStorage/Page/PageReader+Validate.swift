extension PageReader {
  /// Checks all of a page once, when it has been loaded: every offset and length, order, fences, prefix, heads, counts
  /// and references. Whatever the bytes are, nothing outside them is read.
  ///
  /// - Parameter bytes: exactly the page; kept by the caller as long as the reader is used.
  /// - Throws: `.corruption` that says what is wrong where in the page; the caller adds the place of the page.
  init(validating bytes: UnsafeRawBufferPointer) throws(StorageError) {
    guard let start = bytes.baseAddress, bytes.count >= PageFormat.headerBytes else {
      throw PageReader.damage("it has \(bytes.count) bytes")
    }
    self.init(unchecked: start)
    try checkHeader(bytes.count)
    let room = bytes.count - PageFormat.headerBytes - PageFormat.padded(prefix: prefixLength)
    let perSlot = isLeaf ? PageFormat.slotBytes : PageFormat.slotBytes + PageFormat.countBytes
    let perChild = isLeaf ? 0 : ChildFormat.byteCount
    let fixed = perSlot + Int(start.u16(PageFormat.Header.lowerLength)) + Int(start.u16(PageFormat.Header.upperLength))
    // Divided and not multiplied, since the count may be anything.
    guard room >= fixed, count <= (room - fixed) / (perSlot + perChild) else {
      throw PageReader.damage("\(count) slots do not fit into \(bytes.count) bytes")
    }
    let padding = prefix.start + prefixLength
    guard (0..<(PageFormat.padded(prefix: prefixLength) - prefixLength)).allSatisfy({ padding.u8($0) == 0 }) else {
      throw PageReader.damage("the prefix is not followed by zeros")
    }
    let contentStart = bytes.count - (room - fixed - count * (perSlot + perChild))
    try checkFences()
    if isLeaf { try checkEntries(contentStart) } else { try checkChildren(contentStart) }
  }

  private static func damage(_ what: String) -> StorageError { StorageError(.corruption, "damaged page: \(what)") }

  private func checkHeader(_ byteCount: Int) throws(StorageError) {
    guard self.byteCount == byteCount, byteCount <= PageFormat.byteCountMax else {
      throw PageReader.damage("it says it has \(self.byteCount) bytes of \(byteCount)")
    }
    let flags = start.u8(PageFormat.Header.flags)
    guard level <= BlockFormat.levelMax, flags & ~(PageFormat.blobsFlag | PageFormat.upperFlag) == 0,
      isLeaf || !hasBlobs
    else { throw PageReader.damage("level \(level) with flags \(flags)") }
    guard count > 0 else { throw PageReader.damage("it is empty") }
    let (lower, upper) = (Int(start.u16(PageFormat.Header.lowerLength)), Int(start.u16(PageFormat.Header.upperLength)))
    let lowerShared = Int(start.u16(PageFormat.Header.lowerShared))
    let upperShared = Int(start.u16(PageFormat.Header.upperShared))
    guard lowerShared <= prefixLength, upperShared <= prefixLength,
      max(prefixLength, lower + lowerShared, upper + upperShared) <= StorageLimits.keyBytesMax
    else {
      throw PageReader.damage(
        "a prefix of \(prefixLength) bytes, fences of \(lowerShared) + \(lower) and \(upperShared) + \(upper)")
    }
    let filter = try BlockReference.read(start + PageFormat.Header.filter, kind: .filter)
    guard filter == nil || level == 1 else { throw PageReader.damage("a filter at level \(level)") }
    guard (PageFormat.Header.reserved..<PageFormat.headerBytes).allSatisfy({ start.u8($0) == 0 }) else {
      throw PageReader.damage("reserved bytes are not zero")
    }
  }

  private func checkFences() throws(StorageError) {
    guard let upper = upperFence else {
      guard start.u16(PageFormat.Header.upperLength) == 0, start.u16(PageFormat.Header.upperShared) == 0 else {
        throw PageReader.damage("no upper fence, but a length")
      }
      return
    }
    guard lowerFence.compare(upper) < 0 else {
      throw PageReader.damage("fences \(lowerFence.hex) and \(upper.hex) out of order")
    }
  }

  private func checkEntries(_ contentStart: Int) throws(StorageError) {
    guard start.u64(PageFormat.Header.entryCount) == UInt64(count) else {
      throw PageReader.damage("a leaf of \(count) entries that says \(start.u64(PageFormat.Header.entryCount))")
    }
    guard offset(0) == contentStart, offset(count) == byteCount, head(count) == 0 else {
      throw PageReader.damage("the content reaches from \(offset(0)) to \(offset(count))")
    }
    var anyBlob = false
    var before = KeyBytes(start, 0)
    for index in 0..<count {
      let (offset, end) = (offset(index), offset(index + 1))
      guard offset >= contentStart, end <= byteCount, offset + PageFormat.entryHeaderBytes <= end else {
        throw PageReader.damage("entry \(index) at \(offset), the next at \(end)")
      }
      let suffix = suffix(index)
      guard suffix.count <= end - offset - PageFormat.entryHeaderBytes,
        prefixLength + suffix.count <= StorageLimits.keyBytesMax
      else { throw PageReader.damage("entry \(index) at \(offset) with a key of \(suffix.count) bytes") }
      guard value(index).count <= PageFormat.valueBytesMax else {
        throw PageReader.damage("entry \(index) at \(offset) with a value of \(value(index).count) bytes")
      }
      try checkKey(index, suffix, after: index == 0 ? nil : before)
      before = suffix
      anyBlob = anyBlob || isBlob(index)
    }
    guard anyBlob == hasBlobs else { throw PageReader.damage("the flag of blobs is wrong") }
    try checkEnds(first: key(0), last: key(count - 1))
  }

  private func checkChildren(_ contentStart: Int) throws(StorageError) {
    guard offset(0) == contentStart, offset(1) == contentStart, head(0) == 0, head(count) == 0,
      offset(count) == byteCount
    else { throw PageReader.damage("the content reaches from \(offset(0)) to \(offset(count))") }
    guard count > 1 || prefixLength == 0 else { throw PageReader.damage("a prefix of no separators") }
    // Whole numbers here, since a count may be any 64 bits.
    let counts = slots + (count + 1) * PageFormat.slotBytes
    guard counts.u64(0) == 0, counts.u64(count * PageFormat.countBytes) == start.u64(PageFormat.Header.entryCount),
      start.u64(PageFormat.Header.entryCount).isCountable
    else { throw PageReader.damage("counts from \(counts.u64(0)) to \(counts.u64(count * PageFormat.countBytes))") }
    let references = counts + (count + 1) * PageFormat.countBytes
    var before = KeyBytes(start, 0)
    for index in 0..<count {
      let (entries, next) = (counts.u64(index * PageFormat.countBytes), counts.u64((index + 1) * PageFormat.countBytes))
      guard entries < next, next <= start.u64(PageFormat.Header.entryCount) else {
        throw PageReader.damage("counts \(entries) and \(next) around child \(index)")
      }
      let child = try ChildReference.read(
        references + index * ChildFormat.byteCount, entryCount: Int(next - entries))
      guard level == 1 || (child.deadBytes == 0 && !child.hasBlobs) else {
        throw PageReader.damage("child \(index) is no leaf but has \(child.deadBytes) dead bytes or blobs")
      }
      let (offset, end) = (offset(index), offset(index + 1))
      guard offset >= contentStart, offset <= end, end <= byteCount,
        prefixLength + end - offset <= StorageLimits.keyBytesMax
      else { throw PageReader.damage("separator \(index) at \(offset), the next at \(end)") }
      guard index > 0 else { continue }
      let suffix = separatorSuffix(index)
      try checkKey(index, suffix, after: index == 1 ? nil : before)
      before = suffix
    }
    if count > 1 {
      let (first, last) = (lowerFence(ofChild: 1), lowerFence(ofChild: count - 1))
      guard first.compare(lowerFence) > 0 else { throw PageReader.damage("the first separator is the lower fence") }
      try checkEnds(first: first, last: last)
    }
  }

  private func checkKey(_ index: Int, _ suffix: KeyBytes, after before: KeyBytes?) throws(StorageError) {
    guard head(index) == suffix.shortHead else { throw PageReader.damage("the head of key \(index) is not its own") }
    guard before.map({ $0.compare(suffix) < 0 }) ?? true else {
      throw PageReader.damage("key \(index) is not above the one before")
    }
  }

  private func checkEnds(first: PageKey, last: PageKey) throws(StorageError) {
    guard first.compare(lowerFence) >= 0, upperFence.map({ last.compare($0) < 0 }) ?? true else {
      throw PageReader.damage("a key lies outside the fences")
    }
  }
}
