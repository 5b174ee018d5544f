import HearthCommandLine
import HearthModel
import HearthStorage

/// Keys and values of trees as commands print them: documents by their path and as typed JSON, all else in hexadecimal.
enum KeyText {
  /// So much of a key or value is printed for people.
  static let charactersMax = 400

  static func path(_ tree: TreeID?, _ key: [UInt8]) -> String? {
    guard tree == .documents else { return nil }
    return try? KeySchema.document(of: key).path
  }

  static func key(_ tree: TreeID?, _ key: [UInt8]) -> String {
    if let path = path(tree, key) { return cut(Terminal.printable(path)) }
    return key.isEmpty ? "(empty)" : "0x" + cut(Text.hex(key.prefix(charactersMax)))
  }

  static func document(_ tree: TreeID?, _ key: [UInt8], _ value: [UInt8]) -> Document? {
    guard tree == .documents, let key = try? KeySchema.document(of: key) else { return nil }
    return try? DocumentCodec.decode(value, key: key)
  }

  static func value(_ tree: TreeID?, _ key: [UInt8], _ value: [UInt8]) -> String {
    if let document = document(tree, key, value) { return cut(TypedJSON.json(document.fields).text) }
    return value.isEmpty ? "(empty)" : "0x" + cut(Text.hex(value.prefix(charactersMax)))
  }

  private static func cut(_ text: String) -> String {
    text.utf8.count <= charactersMax ? text : text.prefix(charactersMax) + "…"
  }
}
