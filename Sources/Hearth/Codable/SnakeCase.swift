/// `myURLProperty` ↔ `my_url_property`, as Foundation's JSON coders do it.
enum SnakeCase {
  /// Words begin at an upper-case letter after a lower-case one, and at the last upper-case letter of a run that a
  /// lower-case one follows. Outer underscores stay because they stand for themselves.
  static func convert(_ name: String) -> String {
    var result = ""
    let letters = Array(name)
    for (index, letter) in letters.enumerated() {
      if letter.isUppercase, index > 0 {
        let previous = letters[index - 1]
        let nextIsLower = index + 1 < letters.count && letters[index + 1].isLowercase
        if previous != "_", !previous.isUppercase || nextIsLower { result += "_" }
      }
      result += letter.lowercased()
    }
    return result
  }

  static func revert(_ name: String) -> String {
    guard let first = name.firstIndex(where: { $0 != "_" }), let last = name.lastIndex(where: { $0 != "_" }) else {
      return name
    }
    let words = name[first...last].split(separator: "_")
    guard words.count > 1 else { return name }
    let joined =
      words[0].lowercased() + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst().lowercased() }.joined()
    return name[..<first] + joined + name[name.index(after: last)...]
  }
}
