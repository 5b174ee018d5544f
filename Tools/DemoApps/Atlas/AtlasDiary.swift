import Foundation
import Hearth

/// A diary to lose power over: entries that follow from their numbers, so that each can be checked.
enum AtlasDiary {
  private static func path(_ number: Int) -> String {
    "diary/day\(number / 50)/entries/entry\(number)"
  }

  private static func text(_ number: Int) -> String {
    "Entry \(number): " + String(repeating: "wind \(number % 12) ", count: 1 + number % 7)
  }

  /// Prints a number only after its entry was acknowledged, that is synced to the disk.
  static func write(_ database: Firestore) async throws {
    var number = 0
    while true {
      let batch = database.batch()
      let day = number / 50
      batch.setData(["number": number, "text": text(number)], forDocument: database.document(path(number)))
      // Goes with the entry: the two can never disagree.
      batch.setData(["last": number, "day": day], forDocument: database.document("diary/day\(day)"))
      try await batch.commit()
      FileHandle.standardOutput.write(Data("\(number)\n".utf8))
      number += 1
    }
  }

  static func verify(_ database: Firestore, acknowledged file: String) async throws {
    let lines = try String(contentsOfFile: file, encoding: .utf8).split(
      separator: "\n", omittingEmptySubsequences: false)
    // The last line may have been cut by the kill: only whole ones were printed.
    let numbers = lines.dropLast().compactMap { Int($0) }
    guard numbers == Array(0..<numbers.count), !numbers.isEmpty else {
      throw AtlasError(description: "the writer printed no run of numbers")
    }
    let days = try await database.collection("diary").order(by: "day").getDocuments().documents
    var found = 0
    for day in days {
      let entries = try await day.reference.collection("entries").order(by: "number").getDocuments().documents
      for entry in entries {
        guard entry["number"] as? Int == found, entry["text"] as? String == text(found) else {
          throw AtlasError(description: "\(entry.reference.path) is not the entry numbered \(found)")
        }
        found += 1
      }
      guard day["last"] as? Int == found - 1 else {
        throw AtlasError(description: "\(day.reference.path) names another last entry than it has")
      }
    }
    guard found >= numbers.count else {
      throw AtlasError(description: "\(numbers.count) entries were acknowledged, only \(found) are there")
    }
    let countries = try await database.collection("countries").getDocuments().documents
    var subdivisions = 0
    for country in countries {
      let count = try await country.reference.collection("subdivisions").getDocuments().count
      guard country["subdivisionCount"] as? Int == count else {
        throw AtlasError(description: "\(country.documentID) has \(count) subdivisions, not what its document says")
      }
      subdivisions += count
    }
    print("\(numbers.count) entries had been acknowledged when the writer died; \(found) are there, all of them whole.")
    print("\(countries.count) countries with \(subdivisions) subdivisions are as they were.")
    try await database.terminate()
  }
}
