/// The documents and index keys in the order of their bytes, for bulk loads.
struct BulkOrder {
  private struct Item {
    /// What sorts it within most others: the first eight bytes of the id.
    var head: UInt64
    var index: UInt32
    var createdAt: Int64
    var city: [UInt8]
    var age: Int64
  }

  private let documents: BenchDocuments
  /// By document key.
  private let items: [Item]

  init(documents: BenchDocuments, count: Int) {
    self.documents = documents
    var items = (0..<count).map { index -> Item in
      let document = documents.document(UInt64(index))
      let head = document.id.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      return Item(
        head: head, index: UInt32(index), createdAt: document.createdAt, city: document.city, age: document.age)
    }
    items.sort { a, b in
      if a.head != b.head { return a.head < b.head }
      return documents.path(UInt64(a.index)).lexicographicallyPrecedes(documents.path(UInt64(b.index)))
    }
    self.items = items
  }

  /// The document that comes at `place`, from 0.
  func document(_ place: Int) -> CompareDocument {
    CompareDocument(documents.document(UInt64(items[place].index)))
  }

  /// Places of documents (in their own order) in the order of an index.
  func entries(of kind: IndexKind) -> [Int] {
    // A stable order: what an index leaves equal stays by document key. Place breaks the tie.
    var cities: [[UInt8]: Int] = [:]
    for (rank, city) in Set(items.map(\.city)).sorted(by: { $0.lexicographicallyPrecedes($1) }).enumerated() {
      cities[city] = rank
    }
    let keys: [(Int64, Int64, Int)] = items.enumerated().map { place, item in
      switch kind {
      case .city: (Int64(cities[item.city] ?? 0), 0, place)
      case .age: (item.age, 0, place)
      case .created: (item.createdAt, 0, place)
      case .cityCreated: (Int64(cities[item.city] ?? 0), -item.createdAt, place)
      }
    }
    return keys.sorted { $0 < $1 }.map { $0.2 }
  }

  /// The index key of the document at `place`.
  func key(_ place: Int, of kind: IndexKind) -> [UInt8] {
    let item = items[place]
    let id = documents.path(UInt64(item.index)).dropFirst(BenchDocuments.pathPrefix.count)
    return StoredDocument.indexKeys(id: id, city: item.city, age: item.age, createdAt: item.createdAt)[kind.rawValue]
  }
}
