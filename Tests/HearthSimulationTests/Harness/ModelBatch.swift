@testable import HearthStorage

/// Builds a batch and, beside it, the changes the model makes of it. Keys may come several times: each operation is
/// claimed as what the ones before it left.
struct ModelBatch {
  private(set) var batch: KeyValueBatch
  private(set) var changes: [ModelChange] = []
  private let view: View
  /// Sizes of the values of keys touched so far; `nil` inside is absent.
  private var sizes: [TreeID: [Bytes: Int?]] = [:]

  init(_ view: View) {
    self.view = view
    batch = KeyValueBatch(baseVersion: view.version)
  }

  private func size(_ tree: TreeID, _ key: Bytes) throws -> Int? {
    if let known = sizes[tree]?[key] { return known }
    return try view.valueSize(tree, key)
  }

  /// - Parameter stamped: the first eight bytes of the value become the commit's version.
  mutating func put(_ tree: TreeID, _ key: Bytes, _ value: Bytes, stamped: Bool = false) throws {
    if let old = try size(tree, key) {
      try batch.replace(tree, key: key, value: value, oldSize: old)
    } else {
      try batch.insert(tree, key: key, value: value)
    }
    if stamped { batch.stampVersion(atValueOffset: 0) }
    sizes[tree, default: [:]][key] = .some(value.count)
    changes.append(ModelChange(tree: tree, key: key, value: value, stampOffset: stamped ? 0 : nil))
  }

  mutating func delete(_ tree: TreeID, _ key: Bytes) throws {
    guard let old = try size(tree, key) else { return }
    try batch.remove(tree, key: key, oldSize: old)
    sizes[tree, default: [:]][key] = .some(nil)
    changes.append(ModelChange(tree: tree, key: key, value: nil, stampOffset: nil))
  }

  mutating func require(_ tree: TreeID, key: Bytes, since version: UInt64, wasAbsent: Bool) {
    batch.require(tree, key: key, unchangedSince: version, wasAbsent: wasAbsent)
  }

  mutating func require(_ tree: TreeID, range: KeyRange, since version: UInt64) {
    batch.require(tree, range: range, unchangedSince: version)
  }
}
