/// A key as a page holds it: in two pieces that live as long as the page does.
struct PageKey {
  let prefix: KeyBytes
  let suffix: KeyBytes

  init(prefix: KeyBytes, suffix: KeyBytes) {
    self.prefix = prefix
    self.suffix = suffix
  }

  /// A key that lies in one piece elsewhere.
  @inline(__always)
  init(whole key: KeyBytes) { self.init(prefix: KeyBytes(key.start, 0), suffix: key) }

  /// The lowest key of all.
  static var empty: PageKey {
    let nothing = KeyBytes(UnsafeRawBufferPointer(start: nil, count: 0))
    return PageKey(prefix: nothing, suffix: nothing)
  }

  var count: Int { prefix.count &+ suffix.count }

  /// Negative, zero or positive as this key is below, equal to or above `other`.
  @inline(__always)
  func compare(_ other: KeyBytes) -> Int {
    if other.count <= prefix.count {
      let order = prefix.compare(other)
      return order != 0 ? order : suffix.count
    }
    let order = prefix.compare(KeyBytes(other.start, prefix.count))
    return order != 0 ? order : suffix.compare(other.dropFirst(prefix.count))
  }

  /// The same for a key in another page.
  func compare(_ other: PageKey) -> Int {
    if other.prefix.count == 0 { return compare(other.suffix) }
    if prefix.count == 0 { return -other.compare(suffix) }
    let common = min(count, other.count)
    var offset = 0
    while offset < common {
      let (mine, theirs) = (piece(from: offset), other.piece(from: offset))
      let length = min(mine.count, theirs.count)
      let order = KeyBytes(mine.start, length).compare(KeyBytes(theirs.start, length))
      if order != 0 { return order }
      offset &+= length
    }
    return count &- other.count
  }

  /// What lies in one piece from `offset` on, which is below ``count``.
  private func piece(from offset: Int) -> KeyBytes {
    offset < prefix.count ? prefix.dropFirst(offset) : suffix.dropFirst(offset &- prefix.count)
  }

  /// As text for a message.
  var hex: String { bytes.withKeyBytes { $0.hex } }

  /// Writes the whole key to `target`, which has room for ``count`` bytes.
  @inline(__always)
  func copy(to target: UnsafeMutableRawPointer) {
    target.copyMemory(from: prefix.start, byteCount: prefix.count)
    (target + prefix.count).copyMemory(from: suffix.start, byteCount: suffix.count)
  }

  var bytes: [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      if let start = buffer.baseAddress { copy(to: UnsafeMutableRawPointer(start)) }
      initialized = count
    }
  }
}
