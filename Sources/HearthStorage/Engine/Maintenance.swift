/// What the maintenance worker keeps from step to step: the superblocks and the job in progress.
///
/// Threading: everything but the closing flags belongs to the worker's steps.
final class Maintenance: @unchecked Sendable {
  let store: SuperblockStore
  let walDirectory: WALDirectory
  let lineage: UInt64
  let generation: UInt64

  /// A base on its way.
  struct BaseJob {
    let writer: BaseWriter
    let view: View
    let number: UInt64
    let salt: UInt64
    let logPosition: UInt64
    let logChain: UInt32
  }

  var base: BaseJob?
  var fold: FoldJob?
  /// A layer whose replaced nodes are free once no view older than `number` lives.
  var folded: (memtable: Memtable, number: UInt64)?
  /// Paths of the base files that a slot names or may name.
  var basePaths: [UInt64: String]
  var lastError: StorageError?

  private let lock = Lock()
  private var closing = false
  private var closed = false
  private var failure: StorageError?

  init(
    store: SuperblockStore, walDirectory: WALDirectory, lineage: UInt64, generation: UInt64,
    basePaths: [UInt64: String]
  ) {
    self.store = store
    self.walDirectory = walDirectory
    self.lineage = lineage
    self.generation = generation
    self.basePaths = basePaths
  }

  var isClosing: Bool { lock.withLock { closing } }
  var isClosed: Bool { lock.withLock { closed } }
  var closeError: StorageError? { lock.withLock { failure } }
  func requestClose() { lock.withLock { closing = true } }

  func finishClose(_ error: StorageError?) {
    lock.withLock {
      closed = true
      failure = error
    }
  }
}

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
