import Foundation

/// The medians as bars, a panel for each row: the longest bar of a panel is the best engine.
struct Picture {
  let comparison: Comparison

  init(_ comparison: Comparison) { self.comparison = comparison }

  private static let columns = 3
  private static let panelWidth = 370.0
  private static let barHeight = 16.0
  private static let headHeight = 30.0
  private static let labelWidth = 78.0
  private static let figureWidth = 86.0
  private static let margin = 20.0

  private var panelHeight: Double {
    Self.headHeight + Double(comparison.engines.count) * Self.barHeight + 18
  }

  var svg: String {
    let lines = comparison.lines.filter { line in line.cells.contains { $0.statistics != nil } }
    let panelRows = (lines.count + Self.columns - 1) / Self.columns
    let width = Self.margin * 2 + Double(Self.columns) * Self.panelWidth
    let top = 64.0
    let height = top + Double(panelRows) * panelHeight + Self.margin
    var out = [
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(Self.number(width)) \(Self.number(height))\" "
        + "font-family=\"system-ui, 'DejaVu Sans', sans-serif\" font-size=\"11\">",
      "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>",
      text(Self.margin, 28, "Hearth beside its peers", size: 17, weight: "600"),
      text(
        Self.margin, 46,
        "\(comparison.documents) documents, median of \(comparison.roundCount); a longer bar is better. "
          + comparison.machine, fill: "#555555"),
    ]
    for (index, line) in lines.enumerated() {
      let x = Self.margin + Double(index % Self.columns) * Self.panelWidth
      out += panel(line, x: x, y: top + Double(index / Self.columns) * panelHeight)
    }
    out.append("</svg>\n")
    return out.joined(separator: "\n")
  }

  private func panel(_ line: Comparison.Line, x: Double, y: Double) -> [String] {
    var out = [text(x, y + 18, line.title, size: 12, weight: "600")]
    if let ratio = line.ratioToBestPeer {
      out.append(
        text(
          x + Self.panelWidth - 24, y + 18, Figure.ratio(ratio), weight: "600",
          fill: ratio >= 1 ? "#1a7f37" : "#b35900", anchor: "end"))
    }
    let space = Self.panelWidth - Self.labelWidth - Self.figureWidth - 24
    for (index, cell) in line.cells.enumerated() {
      let top = y + Self.headHeight + Double(index) * Self.barHeight
      let isHearth = cell.engine == .hearth
      out.append(text(x, top + 10, cell.engine.title, weight: isHearth ? "600" : "400"))
      let share = self.share(cell, in: line)
      if share > 0 {
        out.append(
          "<rect x=\"\(Self.number(x + Self.labelWidth))\" y=\"\(Self.number(top + 1))\" "
            + "width=\"\(Self.number(max(1, share * space)))\" height=\"\(Self.number(Self.barHeight - 5))\" rx=\"2\" "
            + "fill=\"\(isHearth ? "#d9480f" : "#8aa4bd")\"/>")
      }
      let figure = cell.statistics.map { Figure.text($0.median, line.unit) } ?? cell.shortAbsence
      out.append(text(x + Self.labelWidth + share * space + 6, top + 10, figure, fill: "#333333"))
    }
    return out
  }

  /// Length of a bar as a share of the longest.
  func share(_ cell: Comparison.Cell, in line: Comparison.Line) -> Double {
    let medians = line.cells.compactMap { $0.statistics?.median }.filter { $0 > 0 }
    guard let median = cell.statistics?.median, median > 0,
      let best = line.unit.isLowerBetter ? medians.min() : medians.max()
    else { return 0 }
    return line.unit.isLowerBetter ? best / median : median / best
  }

  private func text(
    _ x: Double, _ y: Double, _ content: String, size: Int = 11, weight: String = "400", fill: String = "#111111",
    anchor: String = "start"
  ) -> String {
    "<text x=\"\(Self.number(x))\" y=\"\(Self.number(y))\" font-size=\"\(size)\" font-weight=\"\(weight)\" "
      + "fill=\"\(fill)\" text-anchor=\"\(anchor)\">\(Self.escaped(content))</text>"
  }

  static func escaped(_ text: String) -> String {
    text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
      .replacingOccurrences(of: ">", with: "&gt;")
  }

  private static func number(_ value: Double) -> String { String(format: "%.1f", value) }
}
