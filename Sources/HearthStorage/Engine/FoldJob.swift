/// The oldest frozen layer being folded into the one below it.
final class FoldJob {
  let upper: Memtable
  let lower: Memtable
  private let number: UInt64
  private var fold: LayerFold
  private(set) var roots: Roots

  init(_ upper: LayerStack.Layer, into lower: LayerStack.Layer, number: UInt64) {
    self.upper = upper.memtable
    self.lower = lower.memtable
    self.number = number
    roots = lower.roots
    fold = LayerFold(upper.memtable, upper.roots, into: lower.memtable)
  }

  /// Returns whether it is done.
  func step() throws(StorageError) -> Bool {
    try fold.step(entriesMax: 4096, number: number, to: &roots)
  }
}
