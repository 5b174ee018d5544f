import Foundation
import HearthCommandLine
import HearthModel

/// How numbers, times and bytes are shown to people.
enum Text {
  static func bytes(_ count: UInt64) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB"]
    var value = Double(count)
    var unit = 0
    while value >= 1024, unit < units.count - 1 {
      value /= 1024
      unit += 1
    }
    return unit == 0 ? "\(count) B" : String(format: "%.1f %@", value, units[unit])
  }

  /// Microseconds since 1970 as an ISO 8601 text.
  static func time(_ microseconds: Int64) -> String {
    let timestamp = Timestamp(microseconds: microseconds)
    return timestamp.isValid ? timestamp.text : "\(microseconds) µs"
  }

  /// A line that is to be noticed: red on a terminal that has colours.
  static func problem(_ text: String) -> String { Terminal.hasColors ? "\u{1B}[31m\(text)\u{1B}[0m" : text }

  static func hex(_ bytes: some Collection<UInt8>) -> String {
    bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
  }

  /// Lines of 16 bytes: offset, hex, and the printable characters.
  static func hexDump(_ bytes: [UInt8], from offset: UInt64) -> [String] {
    stride(from: 0, to: bytes.count, by: 16).map { start in
      let row = bytes[start..<min(start + 16, bytes.count)]
      let digits = row.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
      let text = row.map { (0x20..<0x7F).contains($0) ? String(UnicodeScalar($0)) : "." }.joined()
      let place = String(offset + UInt64(start), radix: 16)
      return String(repeating: "0", count: max(0, 8 - place.count)) + place + "  "
        + digits.padding(toLength: 47, withPad: " ", startingAt: 0) + "  " + text
    }
  }
}
