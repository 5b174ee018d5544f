/// The three ordered maps of a database. On disk since format 0; never renumber.
package enum TreeID: UInt8, Sendable, CaseIterable {
  /// Documents by key.
  case documents = 0
  /// All entries of all secondary indexes.
  case indexes = 1
  /// Definitions, options, counters.
  case catalog = 2
}
