extension PageBuilder {
  /// Lays out the first `count` items as a page and hands it to `sink`.
  func emit(_ count: Int, upper: KeyBytes?, _ sink: Sink) throws(StorageError) {
    let range = 0..<count
    let shared = prefix(range)
    // The last item holds the prefix, whatever the level; of a single child there is none.
    let upperShared = upper.map { self.shared($0, count - 1, shared) } ?? 0
    let upperRest = upper.map { $0.dropFirst(upperShared) }
    let upperLength = upperRest?.count ?? 0
    let lowerShared = lower.withKeyBytes { self.shared($0, count - 1, shared) }
    let lowerLength = lower.count - lowerShared
    let byteCount = byteCount(range, prefix: shared) + upperLength
    precondition(byteCount <= PageFormat.byteCountMax, "a page of \(byteCount) bytes")
    precondition(upper.map { key(count - 1).compare($0) < 0 } ?? true, "a key is not below the upper fence")
    page.removeAll()
    let p = page.extend(byteCount)
    let slots = PageFormat.headerBytes + PageFormat.padded(prefix: shared)
    p.initializeMemory(as: UInt8.self, repeating: 0, count: slots)
    p.store(u32: UInt32(byteCount), at: PageFormat.Header.byteCount)
    p.store(u32: UInt32(count), at: PageFormat.Header.count)
    p.store(u8: level, at: PageFormat.Header.level)
    let hasBlobs = items[range].contains { $0.isBlob }
    let flags = (hasBlobs ? PageFormat.blobsFlag : 0) | (upper == nil ? 0 : PageFormat.upperFlag)
    p.store(u8: flags, at: PageFormat.Header.flags)
    p.store(u16: UInt16(shared), at: PageFormat.Header.prefixLength)
    p.store(u16: UInt16(lowerLength), at: PageFormat.Header.lowerLength)
    p.store(u16: UInt16(upperLength), at: PageFormat.Header.upperLength)
    p.store(u16: UInt16(lowerShared), at: PageFormat.Header.lowerShared)
    p.store(u16: UInt16(upperShared), at: PageFormat.Header.upperShared)
    if shared > 0 {
      (p + PageFormat.headerBytes).copyMemory(from: key(count - 1).start, byteCount: shared)
    }
    let fences = layOut(
      range, prefix: shared, at: p, slots: slots, byteCount: byteCount, fenceBytes: lowerLength + upperLength)
    let entryCount = items[range].reduce(0) { $0 + $1.entryCount }
    p.store(u64: UInt64(entryCount), at: PageFormat.Header.entryCount)
    if let upperRest { (p + fences + lowerLength).copyMemory(from: upperRest.start, byteCount: upperLength) }
    try lower.withKeyBytes { (lower) throws(StorageError) in
      (p + fences).copyMemory(from: lower.start + lowerShared, byteCount: lowerLength)
      try sink(
        BuiltPage(bytes: page.bytes, level: level, lower: lower, entryCount: entryCount, hasBlobs: hasBlobs))
    }
  }

  /// Writes slots, counts, references and content; returns where the fences go.
  private func layOut(
    _ range: Range<Int>, prefix: Int, at p: UnsafeMutableRawPointer, slots: Int, byteCount: Int, fenceBytes: Int
  ) -> Int {
    let count = range.count
    let counts = slots + (count + 1) * PageFormat.slotBytes
    let references = counts + (count + 1) * PageFormat.countBytes
    let fences = level == 0 ? counts : references + count * ChildFormat.byteCount
    var offset = fences + fenceBytes
    var entriesBefore = 0
    for index in range {
      let slot = slots + index * PageFormat.slotBytes
      p.store(u32: UInt32(offset), at: slot + PageFormat.Slot.offset)
      let isSeparatorOfFirst = level > 0 && index == 0
      let suffix = isSeparatorOfFirst ? KeyBytes(UnsafeRawPointer(p), 0) : key(index).dropFirst(prefix)
      p.store(u32: suffix.shortHead, at: slot + PageFormat.Slot.head)
      let payload = payload(index)
      if level == 0 {
        let lengthAndBlob = UInt16(suffix.count) | (items[index].isBlob ? PageFormat.blobBit : 0)
        p.store(u16: lengthAndBlob, at: offset)
        // Key and value stand behind one another as staged.
        let length = suffix.count + payload.count
        (p + offset + PageFormat.entryHeaderBytes).copyMemory(from: suffix.start, byteCount: length)
        offset += PageFormat.entryHeaderBytes + length
      } else {
        p.store(u64: UInt64(entriesBefore), at: counts + index * PageFormat.countBytes)
        entriesBefore += items[index].entryCount
        if let source = payload.baseAddress {
          (p + references + index * ChildFormat.byteCount).copyMemory(from: source, byteCount: payload.count)
        }
        (p + offset).copyMemory(from: suffix.start, byteCount: suffix.count)
        offset += suffix.count
      }
    }
    precondition(offset == byteCount, "a page of \(byteCount) bytes was filled to \(offset)")
    p.store(u32: 0, at: slots + count * PageFormat.slotBytes)
    p.store(u32: UInt32(byteCount), at: slots + count * PageFormat.slotBytes + PageFormat.Slot.offset)
    if level > 0 { p.store(u64: UInt64(entriesBefore), at: counts + count * PageFormat.countBytes) }
    return fences
  }
}
