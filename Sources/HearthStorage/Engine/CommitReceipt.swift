/// What an acknowledged commit got.
package struct CommitReceipt: Sendable, Equatable {
  /// 1 for the first commit of a database, growing by at least one.
  package let version: UInt64
  /// Microseconds since 1970, strictly growing from commit to commit.
  package let time: Int64

  package init(version: UInt64, time: Int64) {
    self.version = version
    self.time = time
  }
}
