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
  /// The next log file being made ahead.
  var spare: SpareJob?
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
