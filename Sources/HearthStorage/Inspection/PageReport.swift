/// A page of a tree, decoded.
package struct PageReport: Sendable {
  package struct Entry: Sendable {
    package let key: [UInt8]
    package let value: [UInt8]
    package let isBlob: Bool
  }

  package struct Child: Sendable {
    /// The lowest key that belongs to it.
    package let lower: [UInt8]
    package let entryCount: Int
    package let segment: UInt64
    package let offset: UInt64
    package let byteCount: Int
    package let hasDelta: Bool
    package let deadBytes: Int
    package let hasBlobs: Bool

    init(lower: [UInt8], _ reference: ChildReference) {
      self.lower = lower
      entryCount = reference.entryCount
      segment = reference.base.place.segment
      offset = reference.base.place.offset
      byteCount = reference.base.byteCount
      hasDelta = reference.delta != nil
      deadBytes = reference.deadBytes
      hasBlobs = reference.hasBlobs
    }
  }

  package let level: UInt8
  /// Of the subtree.
  package let entryCount: Int
  /// What all keys or separators begin with.
  package let prefix: [UInt8]
  package let lower: [UInt8]
  /// `nil` at the end of the tree.
  package let upper: [UInt8]?
  /// Of a leaf.
  package let entries: [Entry]
  /// Of an inner page.
  package let children: [Child]

  /// - Throws: `.corruption` when it is not a page that could have been built.
  init(_ raw: UnsafeRawBufferPointer) throws(StorageError) {
    let page = try PageReader(validating: raw)
    level = page.level
    entryCount = page.entryCount
    prefix = [UInt8](page.prefix.bytes)
    lower = page.lowerFence.bytes
    upper = page.upperFence?.bytes
    entries =
      page.isLeaf
      ? (0..<page.count).map {
        Entry(key: page.key($0).bytes, value: [UInt8](page.value($0)), isBlob: page.isBlob($0))
      } : []
    children =
      page.isLeaf ? [] : (0..<page.count).map { Child(lower: page.lowerFence(ofChild: $0).bytes, page.child($0)) }
  }
}
