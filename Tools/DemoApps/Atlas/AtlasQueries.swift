import Foundation
import Hearth

/// Questions an app might ask, each with the code's own words and what comes back.
enum AtlasQueries {
  /// Decoded from a country's document; the id comes from the document's name.
  private struct Country: Codable {
    @DocumentID var id: String?
    var name: String
    var officialName: String?
    var subdivisionCount: Int

    enum CodingKeys: String, CodingKey {
      case id, name, subdivisionCount
      case officialName = "official_name"
    }
  }

  static func run(_ database: Firestore) async throws {
    let countries = database.collection("countries")

    print("One document, decoded into a Swift struct:")
    let country = try await countries.document("CH").getDocument(as: Country.self)
    print("  \(country.id ?? "?"): \(country.officialName ?? country.name), \(country.subdivisionCount) subdivisions")

    print("The five countries with the most subdivisions (order, limit):")
    for document in try await countries.order(by: "subdivisionCount", descending: true).limit(to: 5).getDocuments()
      .documents
    {
      print("  \(document.documentID)  \(document["subdivisionCount"] ?? "?")  \(document["name"] ?? "?")")
    }

    print("Cantons of Switzerland whose name begins with Z to the end (two conditions, order by name):")
    let cantons = countries.document("CH").collection("subdivisions")
      .whereField("type", isEqualTo: "Canton").whereField("name", isGreaterThanOrEqualTo: "Z").order(by: "name")
    for document in try await cantons.getDocuments().documents {
      print("  \(document.documentID)  \(document["name"] ?? "?")")
    }

    print("Subdivisions of the United Kingdom that lie in Wales (a reference as a value), the first three by name:")
    let parts = countries.document("GB").collection("subdivisions")
    let welsh = parts.whereField("parent", isEqualTo: parts.document("GB-WLS")).order(by: "name").limit(to: 3)
    for document in try await welsh.getDocuments().documents {
      print("  \(document.documentID)  \(document["name"] ?? "?")")
    }
    try await database.terminate()
  }
}
