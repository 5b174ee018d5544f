/// What the maintenance worker keeps from step to step: superblocks, the newest checkpoint, and the job in progress.
///
/// Threading: everything but the closing flags belongs to the worker's steps.
final class Maintenance: @unchecked Sendable {
  let store: SuperblockStore
  let walDirectory: WALDirectory
  let segmentDirectory: SegmentDirectory
  let lineage: UInt64
  let generation: UInt64
  let cache: PageCache

  /// The newest checkpoint that a slot names for sure; `nil` before the first.
  var checkpoint: Checkpoint?
  /// What is alive in its segments.
  var usages: [UInt64: SegmentUsage]
  /// By the number of a slot: the segments that its checkpoint needs.
  var needed: [UInt64: Set<UInt64>]
  /// Segments that are there, needed or not.
  var present: Set<UInt64>
  /// Above the number of every segment ever begun.
  var nextSegment: UInt64

  /// A checkpoint on its way.
  struct MergeJob {
    let merge: StateMerge
    let view: View
    let number: UInt64
    let log: CheckpointWriter.LogPlace
  }

  var merge: MergeJob?
  /// The next log file being made ahead.
  var spare: SpareJob?
  var lastError: StorageError?

  private let lock = Lock()
  private var closing = false
  private var closed = false
  private var failure: StorageError?

  init(
    store: SuperblockStore, walDirectory: WALDirectory, segmentDirectory: SegmentDirectory, lineage: UInt64,
    generation: UInt64, cache: PageCache, checkpoint: Checkpoint?, usages: [UInt64: SegmentUsage],
    needed: [UInt64: Set<UInt64>], present: Set<UInt64>, nextSegment: UInt64
  ) {
    self.store = store
    self.walDirectory = walDirectory
    self.segmentDirectory = segmentDirectory
    self.lineage = lineage
    self.generation = generation
    self.cache = cache
    self.checkpoint = checkpoint
    self.usages = usages
    self.needed = needed
    self.present = present
    self.nextSegment = nextSegment
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

  /// Whether so much of the segments is dead, or they are so many for what they hold, that writing all of it anew is worth
  /// its while.
  var wantsRewrite: Bool {
    guard let checkpoint else { return false }
    let live = usages.values.reduce(0) { $0 + $1.liveBytes }
    let all = checkpoint.record.segments.reduce(0) { $0 + $1.fileBytes }
    return all > 2 * live + (64 << 20) || UInt64(checkpoint.record.segments.count) > 64 + live / (16 << 20)
  }
}
