import Foundation

/// Text made safe for a terminal: what could move its cursor, change its state or reorder what is read is written as an
/// escape.
package enum Terminal {
  package static func printable(_ text: String) -> String { escaped(text, escapesBackslash: true) }

  /// A message, whose quoted parts are escaped already: backslashes stay single.
  package static func printableMessage(_ text: String) -> String { escaped(text, escapesBackslash: false) }

  private static func escaped(_ text: String, escapesBackslash: Bool) -> String {
    var safe = ""
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x5C where escapesBackslash: safe += "\\\\"
      case 0x0A: safe += "\\n"
      case 0x09: safe += "\\t"
      case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x180E, 0x200B...0x200F, 0x2028...0x202E,
        0x2060...0x206F, 0xFEFF, 0xFFF9...0xFFFB, 0xE0000...0xE0FFF:
        safe += "\\u{\(String(scalar.value, radix: 16))}"
      default: safe.unicodeScalars.append(scalar)
      }
    }
    return safe
  }

  /// Whether progress may be written over itself on standard error.
  package static var hasProgress: Bool {
    isatty(2) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
  }

  package static var hasColors: Bool {
    isatty(1) == 1 && ProcessInfo.processInfo.environment["NO_COLOR"] == nil
      && ProcessInfo.processInfo.environment["TERM"] != "dumb"
  }
}
