/// The rules for names of fields that are written, at any depth (semantics.md 9.3).
package enum FieldName {
  package static let bytesMax = 1500

  /// What is wrong with a name, or `nil` if it may be written.
  static func fault(in name: String) -> String? {
    name.withUTF8Bytes { bytes in
      if bytes.isEmpty { return "field names must not be empty" }
      if bytes.count > bytesMax {
        return "field name \(name.quotedForMessage) has \(bytes.count) bytes; at most \(bytesMax) are allowed"
      }
      let underscore = UInt8(ascii: "_")
      // One run of two or three underscores is both beginning and end.
      if bytes.count >= 2, bytes[0] == underscore, bytes[1] == underscore, bytes[bytes.count - 1] == underscore,
        bytes[bytes.count - 2] == underscore
      {
        return "field name \(name.quotedForMessage) is reserved: it begins and ends with \"__\""
      }
      return nil
    }
  }
}
