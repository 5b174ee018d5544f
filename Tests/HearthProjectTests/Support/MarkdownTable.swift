/// A table of a Markdown document, with the heading it stands under.
struct MarkdownTable: Equatable {
  /// The text of the nearest heading above, without its marks; empty above the first heading.
  var heading: String
  /// Column names, in lower case.
  var columns: [String]
  /// Cells without surrounding spaces; each row has one cell per column.
  var rows: [[String]]

  /// All tables of a document in order. Lines inside fenced code are skipped.
  static func all(in document: String) -> [MarkdownTable] {
    var tables: [MarkdownTable] = []
    var heading = ""
    var isCode = false
    var header: [String]?
    var isInTable = false
    for line in document.split(separator: "\n", omittingEmptySubsequences: false) {
      let text = line.drop { $0 == " " }
      if text.hasPrefix("```") { isCode.toggle() }
      guard !isCode, text.hasPrefix("|") else {
        header = nil
        isInTable = false
        if !isCode, text.hasPrefix("#") { heading = trimmed(text.drop { $0 == "#" }) }
        continue
      }
      let cells = Self.cells(of: text)
      if isInTable {
        // A short row is filled, a long one cut, as renderers do; nothing may shift.
        var row = cells
        let width = tables[tables.count - 1].columns.count
        while row.count < width { row.append("") }
        tables[tables.count - 1].rows.append(Array(row.prefix(width)))
      } else if let names = header, cells.allSatisfy({ !$0.isEmpty && $0.allSatisfy { "-:".contains($0) } }) {
        tables.append(MarkdownTable(heading: heading, columns: names.map { $0.lowercased() }, rows: []))
        isInTable = true
      } else {
        header = cells
      }
    }
    return tables
  }

  /// The cells of one column, or `nil` if there is no such column.
  func column(_ name: String) -> [String]? {
    guard let index = columns.firstIndex(of: name) else { return nil }
    return rows.map { $0[index] }
  }

  /// The texts between backticks in a cell.
  static func names(in cell: String) -> [String] {
    let parts = cell.split(separator: "`", omittingEmptySubsequences: false)
    return stride(from: 1, to: parts.count, by: 2).map { String(parts[$0]) }
  }

  private static func cells(of line: Substring) -> [String] {
    var cells: [String] = []
    var cell = ""
    var isEscaped = false
    for character in line.dropFirst() {
      if isEscaped {
        if character != "|" { cell.append("\\") }
        cell.append(character)
        isEscaped = false
      } else if character == "\\" {
        isEscaped = true
      } else if character == "|" {
        cells.append(trimmed(cell[...]))
        cell = ""
      } else {
        cell.append(character)
      }
    }
    if !trimmed(cell[...]).isEmpty { cells.append(trimmed(cell[...])) }
    return cells
  }

  private static func trimmed(_ text: Substring) -> String {
    var text = text.drop { $0 == " " || $0 == "\t" }
    while let last = text.last, last == " " || last == "\t" || last == "\r" || last == "\r\n" { text.removeLast() }
    return String(text)
  }
}
