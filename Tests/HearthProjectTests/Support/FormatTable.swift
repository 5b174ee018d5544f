/// What a `*Format.swift` says about one structure, to compare with its table in Sources/FORMAT.md.
struct FormatTable {
  struct Field: Equatable {
    /// The first name between backticks in the table's `field` column.
    var name: String
    var offset: Int
    /// Bytes; `nil` for a field whose length another field tells, which only the last may be.
    var size: Int?
  }

  /// The heading in FORMAT.md that the table stands under.
  var heading: String
  var fields: [Field]
  /// Size of the structure up to its first field of variable length.
  var byteCount: Int

  /// A structure whose fields follow one another without gaps.
  init(_ heading: String, byteCount: Int, _ fields: (name: String, offset: Int, size: Int?)...) {
    self.heading = heading
    self.byteCount = byteCount
    self.fields = fields.map { Field(name: $0.name, offset: $0.offset, size: $0.size) }
  }

  /// Whether a table of a document is a layout: offset, size and field.
  static func isLayout(_ table: MarkdownTable) -> Bool {
    ["offset", "size", "field"].allSatisfy(table.columns.contains)
  }

  /// The fields of a layout table; a size that is no number (`n`, `len`) is a variable one.
  static func fields(of table: MarkdownTable) throws(Unreadable) -> [Field] {
    guard let offsets = table.column("offset"), let sizes = table.column("size"), let names = table.column("field")
    else { throw Unreadable(message: "\(table.heading): a layout table has the columns offset, size, field") }
    var fields: [Field] = []
    for row in offsets.indices {
      guard let offset = Int(offsets[row]), let name = MarkdownTable.names(in: names[row]).first else {
        throw Unreadable(
          message: "\(table.heading), row \(row + 1): needs a number as offset and the field's name in backticks")
      }
      fields.append(Field(name: name, offset: offset, size: Int(sizes[row])))
    }
    return fields
  }

  struct Unreadable: Error, CustomStringConvertible {
    var message: String
    var description: String { message }
  }

  /// What is wrong with a list of fields by itself: gaps, overlaps, a variable field before the end.
  static func layoutFaults(_ heading: String, _ fields: [Field]) -> [String] {
    var faults: [String] = []
    var end = 0
    for (index, field) in fields.enumerated() {
      if field.offset != end {
        faults.append("\(heading): \(field.name) is at \(field.offset), the field before ends at \(end)")
      }
      if let size = field.size {
        end = field.offset + size
      } else if index != fields.count - 1 {
        faults.append("\(heading): \(field.name) has no fixed size but fields follow it")
      }
    }
    return faults
  }

  /// How the document differs from the constants; empty when they agree.
  func differences(from document: String) -> [String] {
    let tables = MarkdownTable.all(in: document).filter { $0.heading == heading && Self.isLayout($0) }
    guard tables.count == 1, let table = tables.first else {
      return ["FORMAT.md has \(tables.count) layout tables under \"\(heading)\", not 1"]
    }
    let written: [Field]
    do { written = try Self.fields(of: table) } catch { return [error.message] }
    var found = Self.layoutFaults(heading, written)
    for index in 0..<max(written.count, fields.count) {
      let document = index < written.count ? written[index] : nil
      let code = index < fields.count ? fields[index] : nil
      if document != code {
        found.append(
          "\(heading), field \(index + 1): FORMAT.md says \(Self.text(document)), the code \(Self.text(code))")
      }
    }
    let total = written.reduce(0) { $0 + ($1.size ?? 0) }
    if total != byteCount {
      found.append("\(heading): sizes in FORMAT.md add up to \(total), the code says \(byteCount)")
    }
    return found
  }

  private static func text(_ field: Field?) -> String {
    guard let field else { return "nothing" }
    return "\(field.name) at \(field.offset), size \(field.size.map(String.init) ?? "variable")"
  }
}
