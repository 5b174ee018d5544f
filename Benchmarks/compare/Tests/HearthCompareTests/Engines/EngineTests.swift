import Foundation
import Testing

@testable import HearthCompare

/// Every engine gives the answers that the data set calls for, loaded either way, before and after it is opened anew.
struct EngineTests {
  static let documents = BenchDocuments()
  static let count = 300

  final class Folder {
    let data = DataFolder(
      FileManager.default.temporaryDirectory.appendingPathComponent("hearth-compare-\(UUID().uuidString)").path)
    init() throws { try data.create() }
    deinit { data.remove() }
  }

  static func digest(_ documents: [CompareDocument], isOrdered: Bool = true) -> AnswerDigest {
    var digest = AnswerDigest()
    for (place, document) in documents.enumerated() {
      document.stored.value.withUnsafeBytes { digest.add($0, place: isOrdered ? place : 0) }
    }
    return digest
  }

  static func all() -> [CompareDocument] {
    (0..<count).map { CompareDocument(documents.document(UInt64($0))) }
  }

  /// The documents that an index query returns, by looking at all of them.
  static func expected(_ query: Query, _ kind: IndexKind, limit: Int) -> [CompareDocument] {
    let entries = all().map { (key: $0.stored.indexKeys[kind.rawValue], document: $0) }
      .sorted { $0.key.lexicographicallyPrecedes($1.key) }
    let inside = entries.filter {
      !$0.key.lexicographicallyPrecedes(query.lower) && $0.key.lexicographicallyPrecedes(query.upper)
    }
    return inside.prefix(limit).map(\.document)
  }

  static func check(_ session: any Session) throws {
    let all = all()
    var found = AnswerDigest()
    #expect(try session.scanAll(&found) == count)
    #expect(found == digest(all, isOrdered: false))
    found = AnswerDigest()
    #expect(try session.read(all[7].key, &found))
    #expect(found == digest([all[7]]))
    #expect(try !session.read(documents.path(UInt64(count)), &found))
    let sorted = all.sorted { $0.key.lexicographicallyPrecedes($1.key) }
    found = AnswerDigest()
    #expect(try session.scan(from: sorted[250].key, limit: 30, &found) == 30)
    #expect(found == digest(Array(sorted[250..<280])))
    found = AnswerDigest()
    #expect(try session.scan(from: sorted[290].key, limit: 30, &found) == 10)
    for document in all.prefix(20) {
      let city = Query.newest(inCity: document.fields.city)
      found = AnswerDigest()
      let newest = expected(city, .cityCreated, limit: 3)
      #expect(try session.newest(city, limit: 3, &found) == newest.count)
      #expect(found == digest(newest))
      let age = Query.byAge(from: document.fields.age, path: document.key)
      found = AnswerDigest()
      let older = expected(age, .age, limit: 50)
      #expect(try session.byAge(age, limit: 50, &found) == older.count)
      #expect(found == digest(older))
    }
    let from = BenchDocuments.firstCreation + 50 * BenchDocuments.creationStep
    let created = Query.created(from: from, before: from + 100 * BenchDocuments.creationStep)
    #expect(try session.count(created) == expected(created, .created, limit: .max).count)
  }

  @Test(arguments: EngineKind.allCases) func answersAreThoseOfTheDataSet(kind: EngineKind) throws {
    let folder = try Folder()
    let engine = try kind.open(folder.data.path, EngineSettings(cacheBytes: 16 << 20))
    do {
      let session = try engine.session()
      try session.insert(Self.all()[..<200])
      for document in Self.all()[200...] { try session.insert([document]) }
      try Self.check(session)
    }
    try engine.close()
    let again = try kind.open(folder.data.path, EngineSettings(isDurable: true, cacheBytes: 16 << 20))
    try Self.check(again.session())
    #expect(!again.about.version.isEmpty)
    try again.close()
  }

  @Test(arguments: EngineKind.allCases) func updatesChangeTheScoreAlone(kind: EngineKind) throws {
    let folder = try Folder()
    let engine = try kind.open(folder.data.path, EngineSettings(cacheBytes: 16 << 20))
    do {
      let session = try engine.session()
      try session.insert(Self.all()[...])
      var changed = Self.all()
      var before = AnswerDigest()
      for (place, score) in [(3, 1.5), (4, -2)] {
        changed[place].fields.score = score
        let old = changed[place].stored
        changed[place] = CompareDocument(changed[place].fields)
        let change = ScoreChange(key: old.key, score: score, scoreOffset: old.scoreOffset)
        if place == 3 { try session.update(change) } else { try session.readModifyWrite(change, &before) }
      }
      #expect(before == Self.digest([Self.all()[4]]))
      var found = AnswerDigest()
      #expect(try session.scanAll(&found) == Self.count)
      #expect(found == Self.digest(changed, isOrdered: false))
      let missing = ScoreChange(key: Self.documents.path(9999), score: 0, scoreOffset: 0)
      #expect(throws: CompareError.self) { try session.update(missing) }
    }
    try engine.close()
  }

  @Test(arguments: EngineKind.allCases) func bulkLoadsGiveTheSame(kind: EngineKind) throws {
    let folder = try Folder()
    guard let loader = try kind.bulkLoader(folder.data.path, EngineSettings(cacheBytes: 16 << 20)) else { return }
    let order = BulkOrder(documents: Self.documents, count: Self.count)
    let sorted = (0..<Self.count).map { order.document($0) }
    try loader.append(sorted[..<100])
    try loader.append(sorted[100...])
    for index in IndexKind.inKeyOrder {
      let keys = order.entries(of: index).map { order.key($0, of: index) }
      try loader.append(keys[..<10], to: index)
      try loader.append(keys[10...], to: index)
    }
    try loader.finish()
    let engine = try kind.open(folder.data.path, EngineSettings(cacheBytes: 16 << 20))
    try Self.check(engine.session())
    try engine.close()
  }
}
