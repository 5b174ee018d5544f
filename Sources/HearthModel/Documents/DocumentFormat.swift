/// The layout of an encoded document: the value in the document tree. On disk since format 0; never renumber.
///
/// Document, numbers little-endian unless said otherwise:
///
/// | offset | size | field       | meaning                                                                       |
/// | ------ | ---- | ----------- | ----------------------------------------------------------------------------- |
/// | 0      | 1    | format      | 1                                                                             |
/// | 1      | 8    | version     | of the last commit that changed it; big-endian                                |
/// | 9      | 8    | update time | of that commit: microseconds since 1970, sign bit flipped, big-endian         |
/// | 17     | 8    | create time | of the commit that made it, likewise                                          |
/// | 25     | rest | fields      | a map's content                                                               |
///
/// Version and times are not known when a document is encoded: the storage engine stamps them, and the server
/// timestamps among the values, when it sequences the commit. Hence fixed widths at known places.
///
/// Content of a map with *n* > 0 fields, by name in UTF-8 order (no bytes at all for *n* = 0); *w* is 4 if bit 0 of the
/// flags is set, else 2:
///
/// | size         | field                                                                                          |
/// | ------------ | ---------------------------------------------------------------------------------------------- |
/// | 1            | flags                                                                                          |
/// | *w*          | *n*                                                                                            |
/// | *n*(2*w* + 1) | per field: where its name ends in the names, where its content ends in the contents, its tag |
/// | …            | the names, UTF-8                                                                               |
/// | …            | the contents                                                                                   |
///
/// A name begins where the one before it ends, a content likewise, and the last content ends with the map. So a field is
/// found by binary search and read without looking at the rest. An array is the same without names.
///
/// | tag | type        | content                                                                            |
/// | --- | ----------- | ---------------------------------------------------------------------------------- |
/// | 1   | null        |                                                                                    |
/// | 2   | false       |                                                                                    |
/// | 3   | true        |                                                                                    |
/// | 4   | integer     | 0 to 8 bytes, two's complement, sign-extended; none is 0                           |
/// | 5   | double      | IEEE 754, big-endian, without the zero bytes at its end                            |
/// | 6   | timestamp   | microseconds since 1970, sign bit flipped, 8 bytes, big-endian                     |
/// | 7   | string      | UTF-8                                                                              |
/// | 8   | bytes       | themselves                                                                         |
/// | 9   | reference   | path, UTF-8                                                                        |
/// | 10  | geo point   | latitude, longitude: IEEE 754, 8 bytes each                                        |
/// | 11  | array       | as above                                                                           |
/// | 12  | vector      | IEEE 754, 8 bytes each                                                             |
/// | 13  | map         | as above                                                                           |
package enum DocumentFormat {
  package static let format: UInt8 = 1
  package static let versionOffset = 1
  package static let updateTimeOffset = 9
  package static let createTimeOffset = 17
  package static let headerBytes = 25

  static let wideFlag: UInt8 = 1
  /// The largest end, and number of fields, that two bytes hold.
  static let narrowMax = Int(UInt16.max)
  /// Values nest at most 20 deep (``ValueRules``); what nests deeper than this was not written by Hearth.
  static let depthMax = 64

  package enum Tag: UInt8, Sendable {
    case null = 1
    case `false` = 2
    case `true` = 3
    case integer = 4
    case double = 5
    case timestamp = 6
    case string = 7
    case bytes = 8
    case reference = 9
    case geoPoint = 10
    case array = 11
    case vector = 12
    case map = 13
  }

  /// The shape of one container's content.
  struct Shape {
    var count: Int
    var hasNames: Bool
    /// Bytes of an end and of the count.
    var width: Int

    init(count: Int, hasNames: Bool, isWide: Bool) {
      self.count = count
      self.hasNames = hasNames
      width = isWide ? 4 : 2
    }

    var entryBytes: Int { hasNames ? 2 * width + 1 : width + 1 }
    var tableOffset: Int { 1 + width }
    var dataOffset: Int { tableOffset + count * entryBytes }
  }
}
