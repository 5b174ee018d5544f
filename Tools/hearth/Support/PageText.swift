import HearthModel
import HearthStorage

/// Pages of trees for people and as JSON.
enum PageText {
  static func summary(_ page: PageReport, _ tree: TreeID?) -> [String] {
    let what = page.level == 0 ? "leaf" : "inner page of \(page.children.count) children"
    return [
      "  \(what), level \(page.level), \(page.entryCount) entries, all beginning with \(page.prefix.count) bytes "
        + "\(Text.hex(page.prefix.prefix(32)))",
      "  from \(fence(page.lower, tree))", "  to   \(page.upper.map { fence($0, tree) } ?? "the end of the tree")",
    ]
  }

  static func fence(_ key: [UInt8], _ tree: TreeID?) -> String {
    key.isEmpty ? "the beginning" : KeyText.key(tree, key)
  }

  static func line(_ index: Int, _ entry: PageReport.Entry, _ tree: TreeID?) -> String {
    "  \(index)  \(KeyText.key(tree, entry.key))  "
      + (entry.isBlob ? "blob 0x\(Text.hex(entry.value.prefix(64)))" : KeyText.value(tree, entry.key, entry.value))
  }

  static func line(_ index: Int, _ child: PageReport.Child, _ tree: TreeID?) -> String {
    "  \(index)  from \(fence(child.lower, tree))  \(child.entryCount) entries, segment \(child.segment) @\(child.offset),"
      + " \(child.byteCount) bytes" + (child.hasDelta ? ", with a delta" : "")
      + (child.deadBytes > 0 ? ", \(child.deadBytes) bytes dead" : "") + (child.hasBlobs ? ", with blobs" : "")
  }

  static func json(_ page: PageReport, _ tree: TreeID?, limit: Int, hasHex: Bool) -> JSON {
    .object([
      "level": .number(page.level), "entries": .number(page.entryCount), "prefix": .text(Text.hex(page.prefix)),
      "lower": .text(Text.hex(page.lower)), "upper": .text(page.upper.map { Text.hex($0) }),
      "items": .list(
        page.level == 0
          ? page.entries.prefix(limit).map { json($0, tree, hasHex: hasHex) }
          : page.children.prefix(limit).map(json)),
    ])
  }

  private static func json(_ entry: PageReport.Entry, _ tree: TreeID?, hasHex: Bool) -> JSON {
    let document = entry.isBlob ? nil : KeyText.document(tree, entry.key, entry.value)
    return .object([
      "key": .text(Text.hex(entry.key)), "path": .text(KeyText.path(tree, entry.key)),
      "valueBytes": .number(entry.value.count), "isBlob": .flag(entry.isBlob),
      "data": document.map { TypedJSON.json($0.fields) } ?? JSON(.null),
      "value": .text(hasHex || document == nil ? Text.hex(entry.value) : nil),
    ])
  }

  private static func json(_ child: PageReport.Child) -> JSON {
    .object([
      "lower": .text(Text.hex(child.lower)), "entries": .number(child.entryCount), "segment": .number(child.segment),
      "offset": .number(child.offset), "bytes": .number(child.byteCount), "hasDelta": .flag(child.hasDelta),
      "deadBytes": .number(child.deadBytes), "hasBlobs": .flag(child.hasBlobs),
    ])
  }
}
