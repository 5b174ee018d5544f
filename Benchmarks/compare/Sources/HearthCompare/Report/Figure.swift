import Foundation

/// Numbers as people read them: three digits and a unit.
enum Figure {
  static func text(_ value: Double, _ unit: Row.Unit) -> String {
    switch unit {
    case .perSecond: return short(value) + "/s"
    case .milliseconds: return digits(value) + " ms"
    case .mebibytes: return digits(value) + " MiB"
    }
  }

  /// 871568 is "872k".
  static func short(_ value: Double) -> String {
    switch value {
    case 999.5e6...: return digits(value / 1e9) + "G"
    case 999.5e3...: return digits(value / 1e6) + "M"
    case 9995...: return digits(value / 1e3) + "k"
    default: return digits(value)
    }
  }

  /// At least three digits.
  static func digits(_ value: Double) -> String {
    switch value {
    case 99.95...: String(format: "%.0f", value)
    case 9.995...: String(format: "%.1f", value)
    default: String(format: "%.2f", value)
    }
  }

  static func ratio(_ value: Double) -> String { digits(value) + "x" }
  static func percent(_ value: Double) -> String { String(format: "%.0f %%", value * 100) }
}
