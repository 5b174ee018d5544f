/// Unpredictable bits for identities and salts, through a seam so that one seed gives one byte-identical history.
package protocol RandomSource: Sendable {
  func next() -> UInt64
}
