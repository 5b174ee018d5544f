import Foundation
import Hearth

/// The demo's program: the countries of ISO 3166-1 as documents, their subdivisions (ISO 3166-2) in a subcollection of
/// each, and a diary to write into while being killed.
///
/// `Tools/demo` runs its commands one after the other, each in a process of its own.
enum Atlas {
  static let help = """
    usage: atlas COMMAND DATABASE [ARGUMENT]

      import DATABASE FOLDER   reads iso_3166-1.json and iso_3166-2.json of a folder into a database
      query DATABASE           asks for countries and subdivisions
      diary DATABASE           adds an entry after the other and prints its number once it is acknowledged, for ever
      verify DATABASE FILE     checks that every entry whose number is a line of the file is there, and the atlas as well
    """

  static func main(_ arguments: [String]) async -> Int32 {
    do {
      switch (arguments.first, arguments.count) {
      case ("import", 3): try await AtlasImport(folder: arguments[2]).run(open(arguments[1]))
      case ("query", 2): try await AtlasQueries.run(open(arguments[1]))
      case ("diary", 2): try await AtlasDiary.write(open(arguments[1]))
      case ("verify", 3): try await AtlasDiary.verify(open(arguments[1]), acknowledged: arguments[2])
      default:
        FileHandle.standardError.write(Data((help + "\n").utf8))
        return 2
      }
      return 0
    } catch {
      FileHandle.standardError.write(Data("atlas: \(error)\n".utf8))
      return 1
    }
  }

  private static func open(_ path: String) throws -> Firestore {
    try Firestore.open(at: URL(fileURLWithPath: path))
  }
}

/// What went wrong in the demo itself.
struct AtlasError: Error, CustomStringConvertible {
  var description: String
}
