import Foundation
import Hearth

/// Reads the two lists and writes them in batches, as an app would.
struct AtlasImport {
  let folder: String

  /// A country as the list has it; absent names are absent in the document.
  private struct Country: Codable {
    var alpha2: String
    var alpha3: String
    var flag: String
    var name: String
    var numeric: String
    var officialName: String?
    var commonName: String?

    /// The list's own names, which become the document's.
    enum CodingKeys: String, CodingKey {
      case alpha2 = "alpha_2"
      case alpha3 = "alpha_3"
      case officialName = "official_name"
      case commonName = "common_name"
      case flag, name, numeric
    }
  }

  private struct Subdivision: Decodable {
    var code: String
    var name: String
    var type: String
    /// The code of the subdivision it lies in, without the country.
    var parent: String?
  }

  func run(_ database: Firestore) async throws {
    let start = Date()
    let countries: [Country] = try read("iso_3166-1.json", list: "3166-1")
    let subdivisions: [Subdivision] = try read("iso_3166-2.json", list: "3166-2")
    let byCountry = Dictionary(grouping: subdivisions) { String($0.code.prefix { $0 != "-" }) }

    let atlas = database.collection("countries")
    for country in countries {
      let document = atlas.document(country.alpha2)
      let parts = byCountry[country.alpha2] ?? []
      // One batch holds a country and all its subdivisions: either all of it is there or nothing.
      let batch = database.batch()
      try batch.setData(from: country, forDocument: document)
      batch.updateData(
        [
          "subdivisionCount": parts.count, "kinds": Array(Set(parts.map(\.type))).sorted(),
          "importedAt": FieldValue.serverTimestamp(),
        ], forDocument: document)
      let collection = document.collection("subdivisions")
      for part in parts {
        var fields: [String: Any] = ["name": part.name, "type": part.type, "country": document]
        if let parent = part.parent {
          let code = parent.contains("-") ? parent : "\(country.alpha2)-\(parent)"
          fields["parent"] = collection.document(code)
        }
        batch.setData(fields, forDocument: collection.document(part.code))
      }
      try await batch.commit()
    }
    let seconds = Date().timeIntervalSince(start)
    print("Imported \(countries.count) countries and \(subdivisions.count) subdivisions in \(countries.count) batches,")
    print(String(format: "each synced to the disk before the next, in %.2f seconds.", seconds))
    try await database.terminate()
  }

  private func read<Item: Decodable>(_ file: String, list: String) throws -> [Item] {
    let data = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(file)"))
    guard let items = try JSONDecoder().decode([String: [Item]].self, from: data)[list] else {
      throw AtlasError(description: "\(file) has no list \(list)")
    }
    return items
  }
}
