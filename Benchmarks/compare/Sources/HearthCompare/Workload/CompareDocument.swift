/// A document in both forms that engines take: fields for those with columns, bytes for the others.
struct CompareDocument {
  var fields: BenchDocument
  var stored: StoredDocument

  init(_ fields: BenchDocument) {
    self.fields = fields
    stored = StoredDocument(fields)
  }

  var key: [UInt8] { stored.key }

  /// Bytes of its key, its value and its four index keys.
  var logicalBytes: Int {
    stored.key.count + stored.value.count + stored.indexKeys.reduce(0) { $0 + $1.count }
  }
}
