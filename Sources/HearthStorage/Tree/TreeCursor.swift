/// A place in a tree, with the pages that lead to it.
struct TreeCursor {
  private struct Step {
    var page: LoadedPage
    /// Of the child that was taken; in the leaf, of the entry.
    var index: Int
  }

  private let tree: TreeReader
  /// From the root down; empty before the first seek and at either end.
  private var path: [Step] = []

  init(_ tree: TreeReader) { self.tree = tree }

  /// The entry at the cursor, valid until it moves; `nil` at either end.
  var current: (key: PageKey, value: UnsafeRawBufferPointer)? {
    guard let step = path.last else { return nil }
    return (step.page.reader.key(step.index), step.page.reader.value(step.index))
  }

  /// Goes to the first entry whose key is not below `key`.
  mutating func seek(_ key: KeyBytes) throws(StorageError) {
    try descend { $0.isLeaf ? $0.lowerBound(key) : $0.childIndex(key) }
    try settleForward()
  }

  /// Goes to the last entry whose key is below `key`, with `nil` to the last of all.
  mutating func seek(before key: KeyBytes?) throws(StorageError) {
    try descend { page in
      guard let key else { return page.count - 1 }
      return page.isLeaf ? page.lowerBound(key) - 1 : page.childIndex(key)
    }
    try settleBackward()
  }

  mutating func next() throws(StorageError) {
    guard !path.isEmpty else { return }
    path[path.count - 1].index += 1
    try settleForward()
  }

  mutating func previous() throws(StorageError) {
    guard !path.isEmpty else { return }
    path[path.count - 1].index -= 1
    try settleBackward()
  }

  private mutating func descend(_ choose: (PageReader) -> Int) throws(StorageError) {
    path = []
    guard let root = try tree.loadRoot() else { return }
    path.append(Step(page: root, index: choose(root.reader)))
    try descendFurther(choose)
  }

  private mutating func descendFurther(_ choose: (PageReader) -> Int) throws(StorageError) {
    while let step = path.last, !step.page.reader.isLeaf {
      let child = try tree.load(child: step.index, of: step.page)
      path.append(Step(page: child, index: choose(child.reader)))
    }
  }

  /// From behind the last entry of a leaf to the first of the next one.
  private mutating func settleForward() throws(StorageError) {
    guard let leaf = path.last, leaf.index >= leaf.page.reader.count else { return }
    while let step = path.last, step.index >= step.page.reader.count {
      path.removeLast()
      if !path.isEmpty { path[path.count - 1].index += 1 }
    }
    try descendFurther { _ in 0 }
  }

  /// From before the first entry of a leaf to the last of the one before.
  private mutating func settleBackward() throws(StorageError) {
    guard let leaf = path.last, leaf.index < 0 else { return }
    while let step = path.last, step.index < 0 {
      path.removeLast()
      if !path.isEmpty { path[path.count - 1].index -= 1 }
    }
    try descendFurther { $0.count - 1 }
  }
}
