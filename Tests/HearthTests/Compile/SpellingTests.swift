import Foundation
import Hearth
import Testing

// Every spelling that the API offers, as app code writes it, in Swift 6 mode. Most of it is compiled only: a spelling
// that changes or turns ambiguous stops the build.

private struct City: Codable, Sendable {
  @DocumentID var id: String?
  @ServerTimestamp var updated: Timestamp?
  @ExplicitNull var mayor: String?
  var name: String
}

/// Results are dropped everywhere they may be: nothing here may warn.
private func referencesAndWrites(_ db: Firestore) throws {
  let cities = db.collection("cities")
  let city: DocumentReference = cities.document("SF")
  _ = [cities.collectionID, cities.path, city.documentID, city.path, cities.document().documentID]
  let _: DocumentReference? = cities.parent
  let _: CollectionReference = city.parent
  let _: CollectionReference = city.collection("landmarks")
  let _: Firestore = city.firestore
  let _: DocumentReference = db.document("cities/SF")

  cities.addDocument(data: ["name": "Tokyo"])
  cities.addDocument(data: ["name": "Tokyo"]) { error in print(error as Any) }
  cities.addDocument(data: ["name": "Tokyo"], completion: nil)
  try cities.addDocument(from: City(name: "Tokyo"))
  try cities.addDocument(from: City(name: "Tokyo")) { _ in }
  try cities.addDocument(from: City(name: "Tokyo"), encoder: Firestore.Encoder())
  let _: DocumentReference = cities.addDocument(data: [:])

  city.setData(["name": "SF"])
  city.setData(["name": "SF"]) { error in print(error?.localizedDescription as Any) }
  city.setData(["name": "SF"], completion: nil)
  city.setData(["name": "SF"], merge: true)
  city.setData(["name": "SF"], merge: true) { _ in }
  city.setData(["name": "SF"], mergeFields: ["name", FieldPath(["a", "b"])])
  city.setData(["name": "SF"], mergeFields: ["name"]) { _ in }
  city.updateData(["name": "SF"])
  city.updateData(["name": "SF", "tags": FieldValue.arrayUnion(["x"])]) { _ in }
  city.updateData([FieldPath(["a.b"]): 1, "c": 2])
  let fields: [String: Any] = ["name": "SF"]
  city.updateData(fields)
  city.delete()
  city.delete { _ in }
  city.delete(completion: nil)
  city.delete { err in print(err as Any) }
  try city.setData(from: City(name: "SF"))
  try city.setData(from: City(name: "SF")) { _ in }
  try city.setData(from: City(name: "SF"), merge: true)
  try city.setData(from: City(name: "SF"), merge: true) { _ in }
  try city.setData(from: City(name: "SF"), mergeFields: ["name"])
  try city.setData(from: City(name: "SF"), mergeFields: ["name"], encoder: Firestore.Encoder()) { _ in }
}

private func asyncWrites(_ db: Firestore) async throws {
  let cities = db.collection("cities")
  let city = cities.document("SF")
  try await cities.addDocument(data: ["name": "Tokyo"])
  let _: DocumentReference = try await cities.addDocument(data: ["name": "Tokyo"])
  try await city.setData(["name": "SF"])
  try await city.setData(["name": "SF"], merge: true)
  try await city.setData(["name": "SF"], mergeFields: ["name"])
  try await city.updateData(["name": "SF"])
  try await city.delete()
  // Stays the plain call inside async functions.
  try city.setData(from: City(name: "SF"))
  try cities.addDocument(from: City(name: "SF"))
  let batch = db.batch()
  try await batch.commit()
  try await db.waitForPendingWrites()
  try await db.enableNetwork()
  try await db.disableNetwork()
  try await db.terminate()
}

private func batches(_ db: Firestore) throws {
  let city = db.document("cities/SF")
  let batch = db.batch()
  batch.setData(["a": 1], forDocument: city)
  batch.setData(["a": 1], forDocument: city, merge: true)
    .setData(["a": 1], forDocument: city, mergeFields: ["a"])
    .updateData(["a": FieldValue.delete()], forDocument: city)
    .deleteDocument(city)
  try batch.setData(from: City(name: "SF"), forDocument: city)
  try batch.setData(from: City(name: "SF"), forDocument: city, merge: true)
  try batch.setData(from: City(name: "SF"), forDocument: city, mergeFields: ["name"])
  try batch.setData(from: City(name: "SF"), forDocument: city, encoder: Firestore.Encoder())
  batch.commit()
  batch.commit { _ in }
  batch.commit(completion: nil)
  batch.commit { _ in }
}

private func reads(_ db: Firestore) async throws {
  let cities = db.collection("cities")
  let city = cities.document("SF")
  city.getDocument { snapshot, error in
    if let snapshot, snapshot.exists { print(snapshot.data() as Any, snapshot.documentID) }
    print(error as Any)
  }
  city.getDocument { (document, error) in _ = document?.data()?["name"] as? String }
  city.getDocument(source: .cache) { _, _ in }
  city.getDocument(as: City.self) { (result: Result<City, Error>) in _ = try? result.get().name }
  city.getDocument(as: City?.self, with: .estimate, decoder: .init(), source: .server) { _ in }
  let snapshot = try await city.getDocument()
  _ = try await city.getDocument(source: .default)
  let _: City = try await city.getDocument(as: City.self)
  let _: City? = try await city.getDocument(as: City?.self)
  let _: [String: Any]? = snapshot.data()
  let _: [String: Any]? = snapshot.data(with: .previous)
  let _: Any? = snapshot.get("a.b")
  let _: Any? = snapshot.get(FieldPath(["a", "b"]), serverTimestampBehavior: .none)
  let _: Any? = snapshot["name"]
  let _: City = try snapshot.data(as: City.self)
  let _: Bool = snapshot.metadata.hasPendingWrites || snapshot.metadata.isFromCache
  let _: DocumentReference = snapshot.reference

  cities.getDocuments { snapshot, error in
    for document in snapshot!.documents { print("\(document.documentID) => \(document.data())") }
    print(error as Any)
  }
  cities.getDocuments { (querySnapshot, err) in _ = querySnapshot?.documents.compactMap { try? $0.data(as: City.self) }
  }
  cities.getDocuments(source: .cache) { _, _ in }
  let result = try await cities.getDocuments()
  _ = try await cities.getDocuments(source: .server)
  let _: Bool = try await cities.getDocuments().isEmpty
  let _: [QueryDocumentSnapshot] = result.documents
  let _: [String: Any]? = result.documents.first?.data()
  let _: Query = result.query
  let _: SnapshotMetadata = result.metadata
  for change in result.documentChanges {
    if change.type == .added { _ = change.document.data()["content"] }
    switch change.type {
    case .added, .modified, .removed: break
    }
    let _: UInt = change.oldIndex + change.newIndex
  }
  let _: [DocumentChange] = result.documentChanges(includeMetadataChanges: true)
  let _: Int = result.count
}

private func queries(_ db: Firestore, _ snapshot: DocumentSnapshot) {
  let cities = db.collection("cities")
  let path = FieldPath(["a"])
  let _: [Query] = [
    cities.whereField("a", isEqualTo: 1), cities.whereField(path, isEqualTo: 1),
    cities.whereField("a", isNotEqualTo: 1), cities.whereField(path, isNotEqualTo: 1),
    cities.whereField("a", isLessThan: 1), cities.whereField(path, isLessThan: 1),
    cities.whereField("a", isLessThanOrEqualTo: 1), cities.whereField(path, isLessThanOrEqualTo: 1),
    cities.whereField("a", isGreaterThan: Date()), cities.whereField(path, isGreaterThan: 1),
    cities.whereField("a", isGreaterThanOrEqualTo: 1), cities.whereField(path, isGreaterThanOrEqualTo: 1),
    cities.whereField("a", arrayContains: 1), cities.whereField(path, arrayContains: 1),
    cities.whereField("a", arrayContainsAny: [1]), cities.whereField(path, arrayContainsAny: [1]),
    cities.whereField("a", in: [1, "b"]), cities.whereField(path, in: [1]),
    cities.whereField("a", notIn: [1]), cities.whereField(path, notIn: [1]),
    cities.whereField(FieldPath.documentID(), isEqualTo: "SF"),
    cities.order(by: "a"), cities.order(by: path), cities.order(by: "a", descending: true),
    cities.order(by: path, descending: true), cities.limit(to: 3), cities.limit(toLast: 3),
    cities.start(atDocument: snapshot), cities.start(afterDocument: snapshot),
    cities.end(beforeDocument: snapshot), cities.end(atDocument: snapshot),
    cities.start(at: [1]), cities.start(after: [1]), cities.end(before: [1]), cities.end(at: [1]),
    cities.whereFilter(
      .andFilter([.whereField("a", isEqualTo: 1), .orFilter([.whereField(path, isGreaterOrEqualTo: 1)])])),
    db.collectionGroup("landmarks"), cities,
  ]
  let _: Firestore = cities.limit(to: 1).firestore
}

private func values() throws {
  let _: [FieldValue] = [
    .delete(), .serverTimestamp(), .arrayUnion([1]), .arrayRemove(["a"]), .increment(1), .increment(1.5),
    .increment(Int64(2)), .maximum(3), .minimum(3.5), .maximum(Int64(1)),
  ]
  let n = 4
  _ = FieldValue.increment(n)
  let _: VectorValue = FieldValue.vector([1.0, 2.0])
  let _: VectorValue = FieldValue.vector([Float(1)])
  let _: [Double] = VectorValue([1]).array
  let point = GeoPoint(latitude: 1, longitude: 2)
  _ = point.latitude + point.longitude
  let stamp = Timestamp(date: Date())
  let _: Date = stamp.dateValue()
  let _: (Int64, Int32) = (stamp.seconds, stamp.nanoseconds)
  _ = Timestamp(seconds: 1, nanoseconds: 2).compare(Timestamp()) == .orderedAscending
  let encoder = Firestore.Encoder()
  encoder.dateEncodingStrategy = .timestamp
  encoder.dataEncodingStrategy = .blob
  encoder.keyEncodingStrategy = .convertToSnakeCase
  encoder.nonConformingFloatEncodingStrategy = .convertToString(
    positiveInfinity: "+", negativeInfinity: "-", nan: "nan")
  encoder.userInfo = [:]
  let data: [String: Any] = try encoder.encode(City(name: "SF"))
  let decoder = Firestore.Decoder()
  decoder.dateDecodingStrategy = .secondsSince1970
  decoder.dataDecodingStrategy = .base64
  decoder.keyDecodingStrategy = .convertFromSnakeCase
  decoder.nonConformingFloatDecodingStrategy = .throw
  decoder.userInfo = [:]
  let _: City = try decoder.decode(City.self, from: data)
  let _: City = try decoder.decode(City.self, from: data, in: nil)
}

private func instance() throws {
  let _: Firestore = Firestore.firestore()
  let settings = FirestoreSettings()
  settings.host = "localhost"
  settings.isSSLEnabled = false
  settings.isPersistenceEnabled = false
  settings.cacheSizeBytes = FirestoreCacheSizeUnlimited
  settings.cacheSettings = PersistentCacheSettings(sizeBytes: 100)
  settings.cacheSettings = MemoryCacheSettings(garbageCollectorSettings: MemoryLRUGCSettings(sizeBytes: 5))
  settings.cacheSettings = MemoryCacheSettings(garbageCollectorSettings: MemoryEagerGCSetting())
  settings.dispatchQueue = DispatchQueue(label: "handlers")
  settings.durability = .buffered
  let db = try Firestore.inMemory(settings: settings)
  db.settings = settings
  let _: FirestoreSettings = db.settings
  db.terminate()
  db.terminate { _ in }
  db.waitForPendingWrites { _ in }
  db.enableNetwork()
  db.disableNetwork { _ in }
  try db.close()
  _ = try Firestore.open(at: URL(fileURLWithPath: "/nowhere"))
  _ = try Firestore.open(at: URL(fileURLWithPath: "/nowhere"), settings: settings)
}

/// What apps mean by a repository: requirements that the API's own methods satisfy.
private protocol Documents {
  func getDocuments(completion: @escaping (QuerySnapshot?, Error?) -> Void)
  func getDocuments() async throws -> QuerySnapshot
}
extension Query: Documents {}

/// The usual view model: isolated to the main actor, with state that is not Sendable.
@MainActor
private final class ViewModel {
  static let db: Firestore = try! Firestore.inMemory()
  final class Row { var text = "" }
  let collection = db.collection(UUID().uuidString)
  var rows: [Row] = []
  var payload: [String: Any] = ["n": 1]
  var message = ""

  func handlers(done: @escaping () -> Void) {
    let document = collection.document("d")
    document.setData(payload) { error in
      self.message = error?.localizedDescription ?? "written"
      document.getDocument { snapshot, _ in
        self.message += " \(snapshot?.get("n") as? Int ?? 0)"
        document.parent.getDocuments { [weak self] snapshot, _ in
          self?.rows = snapshot?.documents.map { _ in Row() } ?? []
          MainActor.assumeIsolated { self?.message += " \(self?.rows.count ?? 0)" }
          done()
        }
      }
    }
  }

  func awaiting() async throws {
    let document = collection.document("d")
    try await document.setData(payload)
    try await document.setData(payload, merge: true)
    try await document.setData(payload, mergeFields: ["n"])
    try await document.updateData(payload)
    try await document.parent.addDocument(data: payload)
    payload = try await document.getDocument().data() ?? [:]
    let batch = ViewModel.db.batch()
    batch.setData(payload, forDocument: document)
    try await batch.commit()
    rows = try await document.parent.getDocuments().documents.map { _ in Row() }
    let city = try? await document.getDocument(as: City.self)
    message = city?.name ?? "no city"
    try await document.delete()
  }
}

private func isSendable<T: Sendable>(_: T.Type) {}

struct SpellingTests {
  @Test func typesThatAppsShareAreSendable() {
    isSendable(Firestore.self)
    isSendable(Query.self)
    isSendable(CollectionReference.self)
    isSendable(DocumentReference.self)
    isSendable(DocumentSnapshot.self)
    isSendable(QueryDocumentSnapshot.self)
    isSendable(QuerySnapshot.self)
    isSendable(DocumentChange.self)
    isSendable(SnapshotMetadata.self)
    isSendable(Filter.self)
    isSendable(FieldPath.self)
    isSendable(FieldValue.self)
    isSendable(GeoPoint.self)
    isSendable(Timestamp.self)
    isSendable(VectorValue.self)
    isSendable(WriteBatch.self)
    isSendable(DocumentID<String>.self)
    isSendable(ServerTimestamp<Timestamp>.self)
    isSendable(ExplicitNull<String>.self)
  }

  @Test @MainActor func handlersOfAMainActorClassRunOnTheMainActor() async {
    let model = ViewModel()
    await withCheckedContinuation { done in model.handlers { done.resume() } }
    #expect(model.message == "written 1 1")
  }

  @Test @MainActor func awaitingFromAMainActorClassTakesItsState() async throws {
    let model = ViewModel()
    try await model.awaiting()
    #expect(model.message == "no city" && model.rows.count == 2)
  }
}
