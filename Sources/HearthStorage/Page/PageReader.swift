import CHearth

/// A page in memory, seen through a pointer.
///
/// Made once for each page that is loaded by ``init(validating:)``, which checks everything; after that all access is
/// unchecked. The memory is someone else's and never changes, so that any number of threads may read.
struct PageReader {
  let start: UnsafeRawPointer

  /// - Parameter start: a page that was validated before.
  @inline(__always)
  init(unchecked start: UnsafeRawPointer) { self.start = start }

  @inline(__always) var byteCount: Int { Int(start.u32(PageFormat.Header.byteCount)) }
  /// Entries of a leaf, children of an inner page; at least one.
  @inline(__always) var count: Int { Int(start.u32(PageFormat.Header.count)) }
  @inline(__always) var level: UInt8 { start.u8(PageFormat.Header.level) }
  @inline(__always) var isLeaf: Bool { level == 0 }
  @inline(__always) var hasBlobs: Bool { start.u8(PageFormat.Header.flags) & PageFormat.blobsFlag != 0 }
  @inline(__always) var prefixLength: Int { Int(start.u16(PageFormat.Header.prefixLength)) }
  /// Entries of the subtree.
  @inline(__always) var entryCount: Int { Int(truncatingIfNeeded: start.u64(PageFormat.Header.entryCount)) }

  /// What all keys of the page begin with.
  @inline(__always) var prefix: KeyBytes { KeyBytes(start + PageFormat.headerBytes, prefixLength) }

  @inline(__always) var slots: UnsafeRawPointer {
    start + (PageFormat.headerBytes &+ PageFormat.padded(prefix: prefixLength))
  }

  @inline(__always) private var counts: UnsafeRawPointer { slots + (count &+ 1) &* PageFormat.slotBytes }
  @inline(__always) private var references: UnsafeRawPointer { counts + (count &+ 1) &* PageFormat.countBytes }

  private var fences: UnsafeRawPointer { isLeaf ? counts : references + count &* ChildFormat.byteCount }

  /// The lowest key that belongs here.
  var lowerFence: PageKey {
    PageKey(
      prefix: KeyBytes(prefix.start, Int(start.u16(PageFormat.Header.lowerShared))),
      suffix: KeyBytes(fences, Int(start.u16(PageFormat.Header.lowerLength))))
  }

  /// The lowest key that belongs into the next page; `nil` at the end of the tree.
  var upperFence: PageKey? {
    guard start.u8(PageFormat.Header.flags) & PageFormat.upperFlag != 0 else { return nil }
    return PageKey(
      prefix: KeyBytes(prefix.start, Int(start.u16(PageFormat.Header.upperShared))),
      suffix: KeyBytes(
        fences + Int(start.u16(PageFormat.Header.lowerLength)), Int(start.u16(PageFormat.Header.upperLength))))
  }

  @inline(__always) func head(_ index: Int) -> UInt32 { slots.u32(index &* PageFormat.slotBytes) }

  @inline(__always) func offset(_ index: Int) -> Int {
    Int(slots.u32(index &* PageFormat.slotBytes &+ PageFormat.Slot.offset))
  }
}

// MARK: - Leaves

extension PageReader {
  @inline(__always) func suffix(_ index: Int) -> KeyBytes {
    let entry = start + offset(index)
    return KeyBytes(entry + PageFormat.entryHeaderBytes, Int(entry.u16(0) & ~PageFormat.blobBit))
  }

  @inline(__always) func key(_ index: Int) -> PageKey { PageKey(prefix: prefix, suffix: suffix(index)) }

  /// The value, or what stands for it when it is a blob.
  @inline(__always) func value(_ index: Int) -> UnsafeRawBufferPointer {
    let suffix = suffix(index)
    let value = suffix.start + suffix.count
    return UnsafeRawBufferPointer(start: value, count: start + offset(index &+ 1) - value)
  }

  @inline(__always) func isBlob(_ index: Int) -> Bool { (start + offset(index)).u16(0) & PageFormat.blobBit != 0 }

  /// The index of the first entry whose key is not below `key`, and whether it has that very key.
  @inline(__always) func search(_ key: KeyBytes) -> (index: Int, isFound: Bool) {
    search(key, from: 0) { suffix($0) }
  }

  /// The index of the entry with that key.
  @inline(__always) func find(_ key: KeyBytes) -> Int? {
    let place = search(key, from: 0) { index in
      // An equal head nearly always means the key, and its value is wanted next.
      let (entry, end) = (start + offset(index), start + offset(index &+ 1))
      var line = entry + 64
      while line < end {
        hearth_prefetch(line)
        line += 64
      }
      return KeyBytes(entry + PageFormat.entryHeaderBytes, Int(entry.u16(0) & ~PageFormat.blobBit))
    }
    return place.isFound ? place.index : nil
  }

  /// The index of the first entry whose key is not below `key`; the number of entries when there is none.
  @inline(__always) func lowerBound(_ key: KeyBytes) -> Int { search(key).index }
}

// MARK: - Inner pages

extension PageReader {
  /// The separator before a child without the prefix; nothing for the first child.
  @inline(__always) func separatorSuffix(_ index: Int) -> KeyBytes {
    let offset = offset(index)
    return KeyBytes(start + offset, self.offset(index &+ 1) &- offset)
  }

  /// The lowest key that belongs to a child.
  func lowerFence(ofChild index: Int) -> PageKey {
    index == 0 ? lowerFence : PageKey(prefix: prefix, suffix: separatorSuffix(index))
  }

  /// The lowest key behind a child; `nil` at the end of the tree.
  func upperFence(ofChild index: Int) -> PageKey? {
    index &+ 1 < count ? PageKey(prefix: prefix, suffix: separatorSuffix(index &+ 1)) : upperFence
  }

  /// Entries of all children before `index`, which may be the number of children.
  @inline(__always) func entriesBefore(child index: Int) -> Int {
    Int(truncatingIfNeeded: counts.u64(index &* PageFormat.countBytes))
  }

  @inline(__always) func child(_ index: Int) -> ChildReference {
    ChildReference(
      unchecked: references + index &* ChildFormat.byteCount,
      entryCount: entriesBefore(child: index &+ 1) &- entriesBefore(child: index))
  }

  /// The place of a child's base as one number (``BlockPlace/word``).
  @inline(__always) func childPlace(_ index: Int) -> UInt64 {
    let base = references + (index &* ChildFormat.byteCount &+ ChildFormat.base)
    return BlockPlace(
      segment: base.u64(BlockFormat.Reference.segment), unit: base.u32(BlockFormat.Reference.unit)
    ).word
  }

  /// The child that `key` belongs to, given that it belongs to this page.
  @inline(__always) func childIndex(_ key: KeyBytes) -> Int {
    let place = search(key, from: 1) { separatorSuffix($0) }
    return place.isFound ? place.index : place.index &- 1
  }

  /// The child that holds the entry at `rank`, which is below ``entryCount``.
  func childIndex(ofEntry rank: Int) -> Int {
    var low = 0
    var length = count
    while length > 0 {
      let half = length &>> 1
      if entriesBefore(child: low &+ half &+ 1) <= rank {
        low = low &+ half &+ 1
        length = length &- half &- 1
      } else {
        length = half
      }
    }
    return low
  }
}

// MARK: - Searching

extension PageReader {
  /// The first slot from `first` on whose key is not below `key`. Heads alone decide nearly always.
  @inline(__always)
  private func search(_ key: KeyBytes, from first: Int, suffix: (Int) -> KeyBytes) -> (index: Int, isFound: Bool) {
    let count = count
    let prefix = prefix
    if prefix.count > 0 {
      let order = KeyBytes(key.start, min(key.count, prefix.count)).compare(prefix)
      // Equal bytes and a shorter key give a negative order too.
      if order != 0 { return (order < 0 ? first : max(first, count), false) }
    }
    let rest = key.dropFirst(prefix.count)
    let head = rest.shortHead
    let slots = slots
    var low = first
    var length = count &- first
    while length > 0 {
      let half = length &>> 1
      let middle = low &+ half
      let other = slots.u32(middle &* PageFormat.slotBytes)
      var order = other < head ? -1 : 1
      if other == head {
        order = suffix(middle).compareAfterShortHead(rest)
        if order == 0 { return (middle, true) }
      }
      if order < 0 {
        low = middle &+ 1
        length = length &- half &- 1
      } else {
        length = half
      }
    }
    return (low, false)
  }
}
