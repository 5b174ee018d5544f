/// A place in a query's order where results begin or end (semantics.md 6): right before or right after all documents
/// whose first ordered fields equal the values.
package struct QueryBound: Hashable, Sendable {
  /// For the first orders of the query, one each; a key is a reference.
  package var values: [Value]
  /// Before the documents that equal it: what starts here has them, what ends here has not.
  package var isBefore: Bool

  package init(values: [Value], isBefore: Bool) {
    self.values = values
    self.isBefore = isBefore
  }
}
