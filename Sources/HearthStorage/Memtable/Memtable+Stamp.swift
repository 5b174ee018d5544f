/// Filling in what is not known yet while a layer is built by a caller of its own: the commit's version, and values
/// that carry it. Allowed only while nobody else knows the layer.
extension Entry {
  func setVersion(_ version: UInt64) {
    UnsafeMutableRawPointer(mutating: start).storeBytes(of: version, as: UInt64.self)
  }

  func overwriteValue(at offset: Int, with bytes: UnsafeRawBufferPointer) {
    let value = value
    precondition(
      offset >= 0 && offset + bytes.count <= value.count, "\(bytes.count) bytes at \(offset) of \(value.count)")
    UnsafeMutableRawPointer(mutating: value.baseAddress!).advanced(by: offset)
      .copyMemory(from: bytes.baseAddress!, byteCount: bytes.count)
  }
}

extension Root {
  /// The same tree with `version` as the newest of every node, and of every pair that vanished.
  func withVersions(_ version: UInt64) -> Root {
    guard let node else { return vanished > 0 ? Root(vanished: version) : self }
    node.newest = version
    if node.vanished > 0 { node.vanished = version }
    if !node.isLeaf {
      for index in 0..<node.count { node.children[index] = node.children[index].withVersions(version) }
    }
    return self
  }
}
