/// What a log file says of itself.
package struct WALFileReport: Sendable {
  package let fileBytes: UInt64
  /// What is wrong with the header; the fields below are `nil` then.
  package let problem: String?
  /// `log` or `base`.
  package let kind: String?
  package let lineage: UInt64?
  package let generation: UInt64?
  package let firstPosition: UInt64?
  package let commitVersion: UInt64?
  package let checkpoint: UInt64?
  package let copiedEnd: UInt64?

  init(_ header: WALFileHeader?, fileBytes: UInt64, problem: String?) {
    self.fileBytes = fileBytes
    self.problem =
      problem
      ?? header.flatMap { $0.fileBytes > fileBytes ? "cut: \(fileBytes) of \($0.fileBytes) bytes are there" : nil }
    kind = header.map { _ in "log" }
    lineage = header?.lineage
    generation = header?.generation
    firstPosition = header?.firstPosition
    commitVersion = header?.commitVersion
    checkpoint = header?.checkpoint
    copiedEnd = header?.copiedEnd
  }
}
