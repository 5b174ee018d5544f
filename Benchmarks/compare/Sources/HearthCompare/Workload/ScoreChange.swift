/// An update of one document: a new `score`, which no index holds.
///
/// The score depends on the workload and the document only, so that the state after concurrent updates does not depend
/// on who came last.
struct ScoreChange {
  var key: [UInt8]
  var score: Double
  /// Where its eight bytes lie in the stored value.
  var scoreOffset: Int

  /// Writes the score into a copy of a stored value.
  func apply(to value: inout [UInt8]) {
    let bits = score.bitPattern.littleEndian
    withUnsafeBytes(of: bits) { bytes in
      value.withUnsafeMutableBytes { value in
        value.baseAddress?.advanced(by: scoreOffset).copyMemory(from: bytes.baseAddress!, byteCount: 8)
      }
    }
  }
}
