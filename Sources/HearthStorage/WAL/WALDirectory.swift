/// The names in a database's `wal` folder. Names carry no meaning but for the ending: `.wal` is a file whose header
/// is durable, `.new` one that may hold anything and is nobody's yet.
struct WALDirectory: Sendable {
  let path: String
  let fileSystem: any FileSystem

  static let fileSuffix = ".wal"
  static let freshSuffix = ".new"

  init(database: String, fileSystem: any FileSystem) {
    path = database + "/wal"
    self.fileSystem = fileSystem
  }

  func filePath(_ number: UInt64) -> String { path + "/" + Self.padded(number) + Self.fileSuffix }
  func freshPath(_ number: UInt64) -> String { path + "/" + Self.padded(number) + Self.freshSuffix }

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
