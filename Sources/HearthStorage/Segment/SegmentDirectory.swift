/// The names in a database's `segments` folder. `.seg` is a segment that is durable and whole, `.new` one that is being
/// written and nobody's yet.
struct SegmentDirectory: Sendable {
  let path: String
  let fileSystem: any FileSystem

  static let fileSuffix = ".seg"
  static let freshSuffix = ".new"

  init(database: String, fileSystem: any FileSystem) {
    path = database + "/segments"
    self.fileSystem = fileSystem
  }

  func filePath(_ segment: UInt64) -> String { path + "/" + Self.padded(segment) + Self.fileSuffix }
  func freshPath(_ segment: UInt64) -> String { path + "/" + Self.padded(segment) + Self.freshSuffix }

  /// The number in a name of ours, whatever its ending. One of more than 18 digits nobody gave; counting on from it would
  /// overflow.
  static func number(of name: String) -> UInt64? {
    guard name.hasSuffix(fileSuffix) || name.hasSuffix(freshSuffix), name.utf8.count <= 18 + 4 else { return nil }
    return UInt64(name.dropLast(4))
  }

  private static func padded(_ number: UInt64) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, 6 - digits.count)) + digits
  }
}
