import Foundation
import Hearth

/// The public API, as an app calls it: dictionaries in, dictionaries out, always awaiting.
///
/// What a query costs here is what the API's queries cost: those that read in id order from a document on filter by id.
final class APITarget: BenchTarget {
  /// Dictionaries of strings, numbers and time stamps that are never changed after they were made.
  struct Item: @unchecked Sendable {
    var reference: DocumentReference
    var data: [String: Any]
  }

  static var blocks: Bool { false }

  private let database: Firestore
  private let documents: BenchDocuments

  init(directory: String, options: BenchOptions) throws {
    let settings = FirestoreSettings()
    settings.durability = options.durability == .durable ? .durable : .buffered
    database = try Firestore.open(at: URL(fileURLWithPath: directory), settings: settings)
    documents = BenchDocuments(seed: options.seed)
  }

  func item(_ index: UInt64) -> Item {
    let document = documents.document(index)
    return Item(reference: reference(document.path), data: Self.data(document))
  }

  func key(_ index: UInt64, isForUpdate: Bool) -> DocumentReference {
    reference(documents.path(index))
  }

  func insert(_ items: [Item]) async throws {
    if items.count == 1, let item = items.first {
      try await item.reference.setData(item.data)
      return
    }
    let batch = database.batch()
    for item in items { batch.setData(item.data, forDocument: item.reference) }
    try await batch.commit()
  }

  func update(_ key: DocumentReference, score: Double) async throws {
    try await key.updateData(["score": score])
  }

  func read(_ key: DocumentReference) async throws -> UInt64 {
    let snapshot = try await key.getDocument()
    guard let data = snapshot.data() else { throw missing(key) }
    return UInt64(data.count)
  }

  func scan(from key: DocumentReference, count: Int) async throws -> Int {
    let query = database.collection("users")
      .whereField(FieldPath.documentID(), isGreaterThanOrEqualTo: key.documentID).limit(to: count)
    return try await query.getDocuments().count
  }

  func scanAll() async throws -> BenchDigest {
    var digest = BenchDigest()
    for document in try await database.collection("users").getDocuments().documents {
      let id = Array(document.documentID.utf8)
      let bio = document["bio"] as? String
      id.withUnsafeBytes { digest.add(id: $0, size: bio?.utf8.count ?? 0) }
    }
    return digest
  }

  func digestSize(_ document: BenchDocument) -> Int { document.bio.count }

  func check(_ index: UInt64) async throws {
    let item = item(index)
    guard var data = try await item.reference.getDocument().data() else { throw missing(item.reference) }
    // The score is what updates change; everything else must be as it was inserted.
    data["score"] = item.data["score"]
    try BenchError.expect(
      NSDictionary(dictionary: Self.comparable(data)) == NSDictionary(dictionary: Self.comparable(item.data)),
      "\(item.reference.path) has other fields than the data set")
  }

  func checkCount(_ expected: Int) async throws {
    let found = try await database.collection("users").getDocuments().count
    try BenchError.expect(found == expected, "\(found) documents instead of \(expected)")
  }

  func prepareForSlice() throws {}

  func close() throws {
    try database.close()
  }

  private func reference(_ path: [UInt8]) -> DocumentReference {
    database.document(String(decoding: path, as: UTF8.self))
  }

  private static func data(_ document: BenchDocument) -> [String: Any] {
    func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
    let created = document.createdAt
    return [
      "name": text(document.name), "email": text(document.email), "city": text(document.city), "age": document.age,
      "score": document.score, "active": document.isActive,
      "createdAt": Timestamp(seconds: created / 1_000_000, nanoseconds: Int32(created % 1_000_000) * 1000),
      "tags": document.tags.map(text),
      "address": [
        "street": text(document.street), "zip": text(document.zip),
        "geo": ["lat": document.latitude, "lng": document.longitude],
      ] as [String: Any],
      "bio": text(document.bio),
    ]
  }

  /// Time stamps are no objects; their text stands for them.
  private static func comparable(_ data: [String: Any]) -> [String: Any] {
    data.mapValues { value in
      guard let time = value as? Timestamp else { return value }
      return "\(time.seconds).\(time.nanoseconds)"
    }
  }

  private func missing(_ key: DocumentReference) -> BenchError {
    BenchError("wrong answer: \(key.path) is missing", kind: .wrongAnswer)
  }
}
