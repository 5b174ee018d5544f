import Foundation
import Hearth
import Testing

/// `writes.json` through the public API, on a database in memory.
struct WritesVectorTests {
  @Test func writesLeaveWhatTheVectorsSay() async throws {
    var tally = VectorTally()
    for test in try VectorFile("writes.json").cases {
      let name = test["name"] as! String
      if test["byteExactKeys"] as? Bool == true {
        tally.skip(name, "a [String: Any] cannot hold two keys that Swift's String takes for equal")
        continue
      }
      try await run(test, name)
      tally.run()
    }
    tally.report("writes.json")
    #expect(tally.ran == 118 && tally.skipped.count == 1)
  }

  private func run(_ test: [String: Any], _ name: String) async throws {
    let firestore = try Firestore.inMemory()
    let json = TypedJSON(firestore: firestore)
    for (path, fields) in test["docs"] as! [String: Any] {
      try await firestore.document(path).setData(json.fields(fields))
    }
    let expectedError = test["expectError"] as? [String: Any]
    for (index, operation) in (test["ops"] as! [[String: Any]]).enumerated() {
      do {
        try await WriteOperation(json: json).run(operation)
        #expect(expectedError?["op"] as? Int != index, "\(name): operation \(index) should have failed")
      } catch {
        #expect(expectedError?["op"] as? Int == index, "\(name): \(error)")
        #expect(codeName(error) == expectedError?["code"] as? String, "\(name): \(error)")
      }
    }
    let isTolerant = test["tolerance"] != nil
    for (path, fields) in test["expectDocs"] as! [String: Any] {
      let stored = try await firestore.document(path).getDocument().data()
      if fields is NSNull {
        #expect(stored == nil, "\(name): \(path) should be absent")
        continue
      }
      // The time of a commit is the only thing a vector cannot know; it is the same in all its places.
      let (expected, times) = try replaceCommitTimes(in: fields, with: stored, json)
      let found = Rendering.text(stored, tolerance: isTolerant)
      #expect(found == Rendering.text(expected, tolerance: isTolerant), "\(name): \(path)")
      #expect(Set(times).count <= 1, "\(name): one commit has one time")
      for time in times {
        #expect(abs(time.dateValue().timeIntervalSinceNow) < 60 && time.nanoseconds % 1000 == 0, "\(name): \(time)")
      }
    }
    try firestore.close()
  }

  private func replaceCommitTimes(
    in expected: Any, with found: Any?, _ json: TypedJSON, isDocument: Bool = true
  ) throws -> (Any, [Timestamp]) {
    guard let object = expected as? [String: Any] else { return (try json.value(expected), []) }
    if !isDocument, object["commitTime"] as? Bool == true, object.count == 1 {
      guard let time = found as? Timestamp else { return ("a commit time", []) }
      return (time, [time])
    }
    // Only a map can hold one, and then the document has a map there.
    guard isDocument || found is [String: Any] else { return (try json.value(object), []) }
    let literal = !isDocument && object.count == 1 ? object["map"] as? [String: Any] ?? object : object
    var result: [String: Any] = [:]
    var times: [Timestamp] = []
    for (key, value) in literal {
      let (replaced, found) = try replaceCommitTimes(
        in: value, with: (found as? [String: Any])?[key], json, isDocument: false)
      result[key] = replaced
      times += found
    }
    return (result, times)
  }
}
