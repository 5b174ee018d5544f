import Foundation
import Testing

/// One file of `Tests/Vectors`.
struct VectorFile {
  let object: [String: Any]
  var cases: [[String: Any]] { object["cases"] as? [[String: Any]] ?? [] }

  init(_ name: String) throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Vectors")
    let data = try Data(contentsOf: folder.appendingPathComponent(name))
    object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
  }
}

/// Counts what a vector test ran and what it left out, and why.
struct VectorTally {
  private(set) var ran = 0
  private(set) var skipped: [(name: String, reason: String)] = []

  mutating func run() { ran += 1 }
  mutating func skip(_ name: String, _ reason: String) { skipped.append((name, reason)) }

  func report(_ file: String) {
    print("vectors \(file): \(ran) ran, \(skipped.count) skipped")
    for (name, reason) in skipped { print("  skipped \(name): \(reason)") }
  }
}
