/// What the tests here ask of a Swift file, read without a parser.
struct SwiftSource {
  /// The text with comments and the insides of string literals replaced by spaces; line breaks stay.
  let code: String

  init(_ text: String) {
    code = Self.blanked(text)
  }

  /// Modules named by `import` lines, with or without attributes, access level and a kind of declaration.
  var imports: [String] {
    code.split(separator: "\n").compactMap { line in
      var words = line.split(separator: " ")
      let marks: Set<Substring> = ["public", "package", "internal", "fileprivate", "private"]
      while let first = words.first, first.hasPrefix("@") || marks.contains(first) { words.removeFirst() }
      guard words.first == "import", words.count >= 2 else { return nil }
      let kinds: Set<Substring> = ["struct", "class", "enum", "protocol", "typealias", "func", "let", "var", "actor"]
      let path = kinds.contains(words[1]) && words.count >= 3 ? words[2] : words[1]
      return String(path.prefix { $0 != "." && $0 != ";" })
    }
  }

  /// Types declared outside any braces.
  var topLevelTypes: Set<String> { types { $0 == 0 } }

  /// Types declared inside braces.
  var nestedTypes: Set<String> { types { $0 > 0 } }

  private func types(atDepth isWanted: (Int) -> Bool) -> Set<String> {
    var types: Set<String> = []
    var depth = 0
    var previous = ""
    for token in tokens {
      switch token {
      case "{": depth += 1
      case "}": depth -= 1
      default:
        if isWanted(depth), ["struct", "class", "enum", "protocol", "actor", "typealias"].contains(previous) {
          types.insert(token)
        }
      }
      previous = token
    }
    return types
  }

  /// All identifiers and keywords.
  var words: Set<String> {
    Set(tokens.filter { $0 != "{" && $0 != "}" })
  }

  private var tokens: [String] {
    var tokens: [String] = []
    var word = ""
    for character in code {
      if character.isLetter || character.isNumber || character == "_" {
        word.append(character)
      } else {
        if !word.isEmpty { tokens.append(word) }
        word = ""
        if character == "{" || character == "}" { tokens.append(String(character)) }
      }
    }
    if !word.isEmpty { tokens.append(word) }
    return tokens
  }

  private static func blanked(_ text: String) -> String {
    let bytes = Array(text.utf8)
    var out = bytes
    var i = 0
    let newline = UInt8(ascii: "\n")
    func blank(_ range: Range<Int>) {
      for k in range where out[k] != newline { out[k] = UInt8(ascii: " ") }
    }
    func has(_ word: String, at index: Int) -> Bool {
      bytes[index...].starts(with: word.utf8)
    }
    while i < bytes.count {
      if has("//", at: i) {
        let end = bytes[i...].firstIndex(of: newline) ?? bytes.count
        blank(i..<end)
        i = end
      } else if has("/*", at: i) {
        var depth = 1
        var end = i + 2
        while end < bytes.count, depth > 0 {
          if has("/*", at: end) {
            depth += 1
            end += 2
          } else if has("*/", at: end) {
            depth -= 1
            end += 2
          } else {
            end += 1
          }
        }
        end = min(end, bytes.count)
        blank(i..<end)
        i = end
      } else if bytes[i] == UInt8(ascii: "\"") {
        var pounds = 0
        while i - pounds > 0, bytes[i - pounds - 1] == UInt8(ascii: "#") { pounds += 1 }
        let quote = has("\"\"\"", at: i) ? "\"\"\"" : "\""
        let close = quote + String(repeating: "#", count: pounds)
        var end = i + quote.utf8.count
        while end < bytes.count, !has(close, at: end) {
          // A raw literal has no plain escapes; a lone quote in one ends nothing unless its marks follow.
          end += bytes[end] == UInt8(ascii: "\\") && pounds == 0 ? 2 : 1
        }
        let inner = min(end, bytes.count)
        blank((i + quote.utf8.count)..<max(inner, i + quote.utf8.count))
        i = min(inner + close.utf8.count, bytes.count)
      } else {
        i += 1
      }
    }
    return String(decoding: out, as: UTF8.self)
  }
}
