import Foundation
import Hearth
import Testing

/// An app that fills a collection once and shows it, with nested handlers and with async calls.
struct LandmarksTests {
  private struct Landmark: Equatable {
    var name: String
    var id: Int
    var isFeatured: Bool
    var coordinates: [String: Double]

    init?(_ document: QueryDocumentSnapshot) {
      let data = document.data()
      guard let name = data["name"] as? String, let id = data["id"] as? Int,
        let isFeatured = data["isFeatured"] as? Bool, let coordinates = data["coordinates"] as? [String: Double]
      else { return nil }
      (self.name, self.id, self.isFeatured, self.coordinates) = (name, id, isFeatured, coordinates)
    }

    init(_ name: String, _ id: Int, _ isFeatured: Bool, _ coordinates: [String: Double]) {
      (self.name, self.id, self.isFeatured, self.coordinates) = (name, id, isFeatured, coordinates)
    }
  }

  private static var data: [[String: Any]] {
    [
      [
        "name": "Silver Salmon Creek", "id": 2, "isFeatured": false,
        "coordinates": ["latitude": 59.98, "longitude": -152],
      ],
      ["name": "Turtle Rock", "id": 1, "isFeatured": true, "coordinates": ["latitude": 34, "longitude": -116.2]],
      ["name": "Nowhere", "isFeatured": true, "coordinates": ["latitude": 0, "longitude": 0]],
    ]
  }

  private static let expected = [
    Landmark("Turtle Rock", 1, true, ["latitude": 34, "longitude": -116.2]),
    Landmark("Silver Salmon Creek", 2, false, ["latitude": 59.98, "longitude": -152]),
  ]

  @Test func nestedHandlersFillAndShow() async throws {
    let collection = try Firestore.inMemory().collection("Landmarks")
    let shown: UncheckedBox<[Landmark]> = await withCheckedContinuation { done in
      collection.getDocuments { snapshot, error in
        guard let snapshot, snapshot.isEmpty else { return done.resume(returning: UncheckedBox(value: [])) }
        for landmark in LandmarksTests.data { collection.document(landmark["name"] as! String).setData(landmark) }
        collection.order(by: "id").getDocuments { snapshot, error in
          done.resume(returning: UncheckedBox(value: snapshot?.documents.compactMap(Landmark.init) ?? []))
        }
      }
    }
    #expect(shown.value == LandmarksTests.expected)
  }

  @Test func asyncCallsFillAndShow() async throws {
    let collection = try Firestore.inMemory().collection("Landmarks")
    if try await collection.getDocuments().isEmpty {
      for landmark in LandmarksTests.data {
        try await collection.document(landmark["name"] as! String).setData(landmark)
      }
    }
    let shown = try await collection.order(by: "id").getDocuments().documents.compactMap(Landmark.init)
    #expect(shown == LandmarksTests.expected)
  }
}
