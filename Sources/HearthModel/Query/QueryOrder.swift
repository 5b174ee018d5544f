/// One field, or the document's key, that results are ordered by.
package struct QueryOrder: Hashable, Sendable {
  /// ``FieldPath/documentID`` for the document's key.
  package var path: FieldPath
  package var isDescending: Bool

  package init(path: FieldPath, isDescending: Bool = false) {
    self.path = path
    self.isDescending = isDescending
  }
}
