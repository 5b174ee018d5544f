/// One stored document: its key, its fields, and what the database knows about their age.
package struct Document: Hashable, Sendable {
  package var key: DocumentKey
  package var fields: MapValue
  /// The time of the commit that made the document exist, in microseconds since 1970.
  package var createTime: Int64
  /// The time of the last commit that changed it, in microseconds since 1970.
  package var updateTime: Int64
  /// The version of the last commit that changed it.
  package var version: UInt64

  package init(key: DocumentKey, fields: MapValue, createTime: Int64, updateTime: Int64, version: UInt64) {
    self.key = key
    self.fields = fields
    self.createTime = createTime
    self.updateTime = updateTime
    self.version = version
  }
}
