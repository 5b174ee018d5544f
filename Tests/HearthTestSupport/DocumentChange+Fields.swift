import HearthModel

extension DocumentChange {
  /// A change of a document that has these fields and is a little old, or of an absent one.
  package init(key: DocumentKey, before: MapValue?) throws(ModelError) {
    try self.init(
      key: key,
      stored: before.map {
        DocumentCodec.encode(Document(key: key, fields: $0, createTime: 1, updateTime: 2, version: 3))
      })
  }
}
