import Foundation

/// Texts under `Tests/Goldens` that show bytes in a form one can review.
///
/// `HEARTH_UPDATE_GOLDENS=1 swift test` rewrites them; the difference in the commit is the review.
package enum Golden {
  static let folder: URL = {
    var url = URL(fileURLWithPath: #filePath)
    for _ in 0..<2 { url.deleteLastPathComponent() }
    return url.appendingPathComponent("Goldens")
  }()

  /// How `text` differs from the file of that name: the first line that does, or `nil`.
  package static func difference(_ name: String, _ text: String) throws -> String? {
    let file = folder.appendingPathComponent(name)
    if ProcessInfo.processInfo.environment["HEARTH_UPDATE_GOLDENS"] == "1" {
      try text.write(to: file, atomically: true, encoding: .utf8)
      return nil
    }
    let expected = try String(contentsOf: file, encoding: .utf8).split(
      separator: "\n", omittingEmptySubsequences: false)
    let found = text.split(separator: "\n", omittingEmptySubsequences: false)
    for line in 0..<max(expected.count, found.count) {
      let (old, new) = (line < expected.count ? expected[line] : "", line < found.count ? found[line] : "")
      if old != new { return "\(name), line \(line + 1): \"\(old)\" became \"\(new)\"" }
    }
    return nil
  }

  /// Bytes in hexadecimal, each part under its name, with its offset. Longer parts are cut into lines of 16 bytes.
  package static func dump(_ bytes: [UInt8], _ parts: [(name: String, count: Int)]) -> String {
    var text = ""
    var offset = 0
    for (name, count) in parts {
      var line = offset
      repeat {
        let end = min(line + 16, offset + count, bytes.count)
        let digits = bytes[min(line, end)..<end].map { byte in
          (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        let place = String(line)
        text += String(repeating: " ", count: max(0, 5 - place.count)) + place + "  "
        text += digits.joined(separator: " ") + (line == offset ? "  " + name : "") + "\n"
        line += 16
      } while line < offset + count
      offset += count
    }
    if offset != bytes.count { text += "\(bytes.count) bytes, \(offset) named\n" }
    return text
  }
}
