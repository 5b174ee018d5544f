import Foundation
import Hearth
import Testing

/// Models straight from and to stored documents.
struct StoredModelTests {
  private struct Author: Codable, Equatable { var name: String }
  private struct Post: Codable, Equatable {
    @DocumentID var id: String?
    @ServerTimestamp var posted: Timestamp?
    @ExplicitNull var note: String?
    var likes: Int
    var tags: [String]
    var scores: [String: Double]
    var author: Author?
    var link: DocumentReference?
  }
  /// Leaves the id out of its keys: it stays nil and is not written.
  private struct Keyless: Codable {
    @DocumentID var id: String?
    var likes: Int
    enum CodingKeys: String, CodingKey { case likes }
  }

  private let firestore: Firestore
  private let document: DocumentReference

  init() throws {
    firestore = try Firestore.inMemory(settings: .onQueue("models"))
    document = firestore.document("posts/p1")
  }

  @Test func aModelComesBackWithItsIdAndTime() async throws {
    let post = Post(likes: 0, tags: ["a", "é"], scores: ["x": 1], author: Author(name: "N"), link: document)
    try document.setData(from: post)
    let stored = try await document.getDocument()
    #expect(stored.data()?.keys.sorted() == ["author", "likes", "link", "note", "posted", "scores", "tags"])
    #expect(stored.data()?["note"] is NSNull)
    let found = try await document.getDocument(as: Post.self)
    #expect(found.id == "p1" && found.posted != nil && found.note == nil && found.likes == 0)
    #expect(found.tags == post.tags && found.scores == post.scores && found.author == post.author)
    #expect(found.link == document)
    #expect(try stored.data(as: Post.self) == found)
  }

  @Test func missingWrappedFieldsAreNil() async throws {
    try await document.setData(["likes": 1, "tags": [String](), "scores": [String: Double]()])
    let found = try await document.getDocument(as: Post.self)
    #expect(found.posted == nil && found.note == nil && found.id == "p1")
    #expect(try await document.getDocument(as: Keyless.self).id == nil)
  }

  @Test func anAbsentDocumentIsNilOrAnError() async throws {
    #expect(try await document.getDocument(as: Post?.self) == nil)
    await #expect(throws: DecodingError.self) { try await document.getDocument(as: Post.self) }
    let isNil = await withCheckedContinuation { done in
      document.getDocument(as: Post?.self) { result in done.resume(returning: (try? result.get()) == .some(nil)) }
    }
    #expect(isNil)
  }

  @Test func documentsThatDoNotFitDropOut() async throws {
    for (id, likes) in [("a", 1), ("b", "many"), ("c", true), ("d", 4.0)] as [(String, Any)] {
      try await firestore.document("feed/\(id)").setData(["likes": likes])
    }
    let fitting = try await firestore.collection("feed").getDocuments().documents.compactMap {
      try? $0.data(as: Keyless.self)
    }
    #expect(fitting.map(\.likes) == [1, 4])
  }

  @Test func encodingErrorsAreThrownAndNothingIsWritten() async throws {
    #expect(throws: EncodingError.self) { try document.setData(from: ["n": Double.nan]) }
    #expect(throws: EncodingError.self) { try document.setData(from: [1, 2]) }
    #expect(throws: EncodingError.self) { try firestore.collection("posts").addDocument(from: 5) }
    #expect(throws: EncodingError.self) { try document.setData(from: Endless()) }
    #expect(try await firestore.collection("posts").getDocuments().isEmpty)
  }

  private struct Endless: Encodable {
    enum CodingKeys: CodingKey { case inner }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(Endless(), forKey: .inner)
    }
  }
}
