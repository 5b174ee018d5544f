/// The state behind the sequencer's lock: the order of commits, and everything sequenced but not yet published.
///
/// Not thread-safe: ``StorageEngine`` touches it under its lock only. Nothing here does I/O or waits.
final class Sequencer {
  enum Phase {
    case open
    /// No new commits; what is sequenced is still written.
    case closing
    case closed
    /// The log failed: reads go on, commits get this error.
    case failed(StorageError)
  }

  /// Where the sequenced state stood at some moment, to publish it or to go back to it.
  struct Point {
    var view: View
    var stateBytes: Int
    var log: WALAppender.Mark
  }

  @exclusivity(unchecked) var phase = Phase.open
  @exclusivity(unchecked) var appender: WALAppender
  /// The layer that commits change; always the top of `view`'s stack.
  @exclusivity(unchecked) var active: Memtable
  /// The newest sequenced state.
  @exclusivity(unchecked) var view: View
  /// Number of the newest root made; grows with each commit and each change of the stack.
  @exclusivity(unchecked) var number: UInt64
  /// Versions and times go on even when a commit fails.
  @exclusivity(unchecked) var lastVersion: UInt64
  @exclusivity(unchecked) var lastTime: Int64
  /// Bytes of all keys and values in the sequenced state.
  @exclusivity(unchecked) var stateBytes: Int
  /// The state that readers see.
  @exclusivity(unchecked) var published: Point
  /// Sequenced, not yet acknowledged, in order.
  @exclusivity(unchecked) var queue: [CommitTicket] = []
  @exclusivity(unchecked) var wantsSync = false
  /// Someone is writing the log.
  @exclusivity(unchecked) var isFlushing = false
  /// When the oldest bytes were sequenced that no sync has covered; `nil` when there are none.
  @exclusivity(unchecked) var unsyncedSince: UInt64?
  @exclusivity(unchecked) var lastActivity: UInt64 = 0
  /// The newest commit that nobody waits for.
  @exclusivity(unchecked) var lastUnawaited: CommitTicket?
  /// Ranges cannot be validated for readers older than this.
  @exclusivity(unchecked) var validatableFrom: UInt64
  /// Number of the newest checkpoint, for the headers of new log files.
  @exclusivity(unchecked) var checkpointNumber: UInt64
  /// The syncer knows that it has to sync or seal in a while.
  @exclusivity(unchecked) var isSealPlanned = false
  /// Up to where a sync beside the writers would cover the log, and when that was noted: everything below is written, and
  /// no later frame touches its sectors.
  @exclusivity(unchecked) var syncable: (end: UInt64, since: UInt64)?
  /// Where the log went on when the newest base was written.
  @exclusivity(unchecked) var basePosition: UInt64
  /// After a failed attempt a base is not due before the log has grown further.
  @exclusivity(unchecked) var baseDelay: UInt64 = 0
  /// Where the log stood when a file was last made ahead.
  @exclusivity(unchecked) var sparedPosition: UInt64 = 0
  /// How often sequenced commits were given up; whoever took a view of the sequenced state compares.
  @exclusivity(unchecked) var abandonCount = 0
  @exclusivity(unchecked) private var commitsSinceFullReclaim = 0
  /// The exchange of the lowest layers that the published state doesn't show yet.
  @exclusivity(unchecked) private var exchange: (layers: Int, layer: LayerStack.Layer, number: UInt64)?

  /// Memory for the active layer, made ahead by the maintenance.
  let blocks = BlockReserve()
  private let registry: LiveViews
  private let environment: StorageEnvironment
  private let options: StorageOptions
  private let faults = StorageFaults.injected

  init(
    recovered: RecoveredState, appender: WALAppender, registry: LiveViews, environment: StorageEnvironment,
    options: StorageOptions
  ) {
    self.appender = appender
    self.registry = registry
    self.environment = environment
    self.options = options
    active = recovered.stack.top.memtable
    active.use(blocks)
    number = recovered.number
    lastVersion = recovered.version
    lastTime = recovered.time
    stateBytes = recovered.stateBytes
    validatableFrom = recovered.version
    checkpointNumber = recovered.superblock.number
    basePosition = recovered.superblock.logPosition
    registry.viewBorn(number: recovered.number)
    view = View(
      number: recovered.number, version: recovered.version, commitTime: recovered.time, stack: recovered.stack,
      registry: registry)
    published = Point(view: view, stateBytes: recovered.stateBytes, log: appender.mark)
  }

  /// Whether something waits to be written or acknowledged.
  var needsFlush: Bool { appender.hasPending || !queue.isEmpty }

  /// The log has outgrown the state: a new base would free more than it costs.
  var isBaseDue: Bool {
    let logBytes = appender.position - basePosition
    return logBytes > UInt64(max(stateBytes, 0)) * 4 + UInt64(options.logSlackBytes) + baseDelay
  }

  var isMaintenanceDue: Bool {
    blocks.wantsBlock || isBaseDue || foldableLayers != nil || spareBytesWanted != nil
  }

  /// After a failed attempt: the next one is made when the log has grown by half again, so that a disk that stays full is
  /// not tried in a loop.
  func delayBase() {
    let logBytes = appender.position - basePosition
    baseDelay = logBytes + max(logBytes / 2, UInt64(options.logSlackBytes), 64 << 10)
  }

  /// How long a log file to make ahead, if it is time for that and none was tried for the current file.
  var spareBytesWanted: UInt64? {
    guard let wanted = appender.spareBytesWanted,
      sparedPosition < appender.fileFirstPosition ?? 0 || sparedPosition == 0
    else { return nil }
    return wanted
  }

  // MARK: - Sequencing

  enum Outcome {
    case sequenced(CommitTicket)
    /// What the batch was derived from is not the newest state any more: derive it again.
    case moved
  }

  /// Gives the batch its place in the order, or says why not. On `.moved` and on a throw nothing has changed.
  func sequence(
    _ batch: inout KeyValueBatch, derivedFrom base: View, layer: PreparedLayer?, durability: Durability
  ) throws(StorageError) -> Outcome {
    switch phase {
    case .open: break
    case .closing, .closed: throw StorageError(.closed, "the database is closed")
    case .failed(let error): throw error
    }
    if base.version != view.version, operationsMoved(batch) { return .moved }
    guard try conditionsHold(batch, derivedFrom: base) else { return .moved }
    if batch.isEmpty { return .sequenced(acknowledgeUnchanged(durability)) }

    let version = lastVersion + 1
    let time = max(environment.clock.wallMicroseconds(), lastTime + 1)
    batch.fillStamps(version: version, time: time)
    let previousVersion = view.version
    let growth = try apply(batch, version: version, time: time, layer: layer)
    appendFrames(batch, version: version, time: time, after: previousVersion)
    lastVersion = version
    lastTime = time
    stateBytes += growth
    let ticket = CommitTicket(receipt: CommitReceipt(version: version, time: time), durability: durability)
    enqueue(ticket)
    reclaim()
    return .sequenced(ticket)
  }

  private func operationsMoved(_ batch: KeyValueBatch) -> Bool {
    batch.withOperations { reader in
      while let operation = reader.next() {
        let wasAbsent = operation.kind == .insert
        if view.stack.hasChange(
          operation.tree, key: KeyBytes(operation.key), after: batch.baseVersion, wasAbsent: wasAbsent)
        {
          return true
        }
      }
      return false
    }
  }

  /// `false` when a condition taken from the view the batch was derived from no longer holds; an older one, a
  /// transaction's, throws `.conflict`.
  private func conditionsHold(_ batch: KeyValueBatch, derivedFrom base: View) throws(StorageError) -> Bool {
    for condition in batch.conditions {
      let version: UInt64
      let isBroken: Bool
      switch condition {
      case .key(let tree, let key, let readVersion, let wasAbsent):
        version = readVersion
        isBroken = key.withKeyBytes {
          view.stack.hasChange(tree, key: $0, after: readVersion, wasAbsent: wasAbsent)
        }
      case .range(let tree, let range, let readVersion):
        version = readVersion
        isBroken = readVersion < validatableFrom || view.hasChange(tree, range, after: readVersion)
      }
      guard isBroken else { continue }
      if version == base.version, base.version != view.version { return false }
      throw StorageError(.conflict, "a key or range that was read at version \(version) has changed since")
    }
    return true
  }

  /// A commit without changes is acknowledged when the state that it was checked against is.
  private func acknowledgeUnchanged(_ durability: Durability) -> CommitTicket {
    let ticket = CommitTicket(
      receipt: CommitReceipt(version: view.version, time: view.commitTime), durability: durability)
    let isSettled = view.number == published.view.number && queue.isEmpty
    if isSettled, durability == .buffered || appender.isSynced {
      ticket.finish(nil)
    } else {
      enqueue(ticket)
    }
    return ticket
  }

  private func enqueue(_ ticket: CommitTicket) {
    queue.append(ticket)
    if ticket.durability == .durable { wantsSync = true }
    if unsyncedSince == nil { unsyncedSince = environment.clock.monotonicNanoseconds() }
  }

  /// Applies the operations to the memtable as the new sequenced view; returns by how much the state grew.
  private func apply(
    _ batch: KeyValueBatch, version: UInt64, time: Int64, layer: PreparedLayer?
  ) throws(StorageError) -> Int {
    if var layer {
      layer.stamp(batch, version: version)
      // The active memtable is frozen below the batch's layer.
      active = makeLayer()
      push(
        version: version, time: time,
        stack: LayerStack(
          top: LayerStack.Layer(memtable: active, roots: Roots()),
          below: [LayerStack.Layer(memtable: layer.memtable, roots: layer.roots), view.stack.top] + view.stack.below))
      return layer.growth
    }
    var roots = view.stack.top.roots
    var growth = 0
    var failure: StorageError?
    number += 1
    batch.withOperations { reader in
      while failure == nil, let operation = reader.next() {
        growth &+= operation.stateGrowth
        let isMistaken = faults.contains(.wrongSigns) && operation.kind == .replace
        do throws(StorageError) {
          try active.apply(
            isMistaken ? .insert : operation.kind, operation.tree, key: operation.key, value: operation.value,
            oldSize: operation.oldSize, version: version, number: number, to: &roots)
        } catch {
          failure = error
        }
      }
    }
    if let failure {
      // The roots made so far are dropped; the layer forgets them.
      active.rollback(toNumber: number - 1)
      throw failure
    }
    var stack = view.stack
    stack.top.roots = roots
    show(version: version, time: time, stack: stack)
    return growth
  }

  /// Makes `stack` the sequenced state under a number of its own.
  func push(version: UInt64, time: Int64, stack: LayerStack) {
    number += 1
    show(version: version, time: time, stack: stack)
  }

  private func show(version: UInt64, time: Int64, stack: LayerStack) {
    registry.viewBorn(number: number)
    view = View(number: number, version: version, commitTime: time, stack: stack, registry: registry)
  }

  private func appendFrames(_ batch: KeyValueBatch, version: UInt64, time: Int64, after previousVersion: UInt64) {
    batch.payload.withUnsafeBytes { payload in
      if payload.count <= options.largeBatchBytes {
        append(.commit, payload, operations: batch.count, version, time, after: previousVersion)
        return
      }
      let chunks = batch.chunks(of: options.framePayloadBytes)
      for (index, chunk) in chunks.enumerated() {
        let kind: FrameKind =
          chunks.count == 1
          ? .commit : index == 0 ? .firstPart : index == chunks.count - 1 ? .lastPart : .part
        append(
          kind, UnsafeRawBufferPointer(rebasing: payload[chunk.bytes]), operations: chunk.operations, version, time,
          after: previousVersion)
      }
    }
  }

  private func append(
    _ kind: FrameKind, _ payload: UnsafeRawBufferPointer, operations: Int, _ version: UInt64, _ time: Int64,
    after previousVersion: UInt64
  ) {
    appender.append(
      kind, payload: payload, commitVersion: version, commitTime: time, after: previousVersion,
      operationCount: UInt32(operations), checkpoint: checkpointNumber, random: environment.random)
  }

  /// Nodes that no view shows go back to their slab at once, so that the next commit finds them in the cache; those that
  /// older views held are looked at again once in a while.
  private func reclaim() {
    commitsSinceFullReclaim = (commitsSinceFullReclaim + 1) % 16
    registry.withNumbers { active.reclaim(live: $0, onlyFresh: commitsSinceFullReclaim != 0) }
  }

  /// Adds a frame that changes nothing and covers the last batch of an idle log.
  func seal() {
    append(
      .seal, UnsafeRawBufferPointer(start: nil, count: 0), operations: 0, view.version, view.commitTime,
      after: view.version)
  }

  // MARK: - Flushing

  /// What one flush writes, publishes and acknowledges.
  struct Flush {
    var segments: [WALAppender.Segment]
    var end: UInt64
    var isSynced: Bool
    /// Not synced, but written so that a sync beside may claim it.
    var isSyncable: Bool
    var tickets: [CommitTicket]
    var point: Point
  }

  func takeFlush(forceSync: Bool, now: UInt64) -> Flush {
    let isSynced = forceSync || wantsSync
    let isSyncable = !isSynced && isSyncOverdue(now)
    let (segments, end) = appender.take(padded: isSynced || isSyncable)
    defer {
      queue = []
      wantsSync = false
    }
    return Flush(
      segments: segments, end: end, isSynced: isSynced, isSyncable: isSyncable, tickets: queue,
      point: Point(view: view, stateBytes: stateBytes, log: appender.mark))
  }

  /// How long `.buffered` commits wait for a sync, in nanoseconds.
  static let syncInterval: UInt64 = 500_000_000

  /// Whether it is time for a sync beside the writers, and none is under way.
  private func isSyncOverdue(_ now: UInt64) -> Bool {
    guard syncable == nil, !appender.isSynced else { return false }
    return now >= syncDue || appender.framesEnd - appender.syncedThrough >= UInt64(options.unsyncedBytesMax)
  }

  /// When what is unsynced is to be synced, or else the log to be sealed.
  var syncDue: UInt64 { (unsyncedSince ?? lastActivity) + Self.syncInterval }

  /// A sync beside the writers has covered what was noted in ``syncable``.
  func syncedBeside(_ covered: (end: UInt64, since: UInt64)) {
    appender.synced(through: faults.contains(.claimedBesideTooMuch) ? appender.framesEnd : covered.end)
    unsyncedSince = appender.isSynced ? nil : unsyncedSince.map { max($0, covered.since) }
    syncable = nil
  }

  /// The flush is on disk: its state becomes the published one.
  /// - Returns: the view to show to readers.
  func finish(_ flush: Flush, now: UInt64) -> View {
    appender.giveBack(flush.segments)
    if flush.isSynced {
      appender.synced(through: flush.end)
      if !appender.hasPending { unsyncedSince = nil } else { unsyncedSince = now }
    } else if flush.isSyncable {
      syncable = (flush.end, now)
    }
    lastActivity = now
    published = flush.point
    // A change of the stack alone has no bytes in the log: show it as soon as nothing else is open.
    if !needsFlush { published = Point(view: view, stateBytes: stateBytes, log: appender.mark) }
    active.published(published.view.number)
    if let exchange, isPublished(exchange.number) { self.exchange = nil }
    return published.view
  }

  func isPublished(_ number: UInt64) -> Bool { published.view.number >= number }

  /// The two lowest layers, when there is something to fold. Only what is published can't be taken back, and what was
  /// exchanged but is not published yet has been folded already.
  var foldableLayers: (LayerStack.Layer, LayerStack.Layer)? {
    let shown = published.view.stack.below
    let newest = view.stack.below
    guard shown.count >= 2, newest.count >= 2, shown.suffix(2).elementsEqual(newest.suffix(2), by: ==) else {
      return nil
    }
    return (shown[shown.count - 2], shown[shown.count - 1])
  }

  /// Puts one layer in the place of the lowest `layers`, for good. The next flush publishes it.
  /// - Returns: the number from which on views show it.
  func exchangeTail(layers: Int, by layer: LayerStack.Layer) -> UInt64 {
    precondition(exchange == nil, "an exchange before the one of \(exchange?.number ?? 0) was published")
    var stack = view.stack
    Self.exchangeTail(of: &stack, layers: layers, by: layer)
    push(version: view.version, time: view.commitTime, stack: stack)
    exchange = (layers, layer, number)
    return number
  }

  private static func exchangeTail(of stack: inout LayerStack, layers: Int, by layer: LayerStack.Layer) {
    stack.below.removeLast(layers)
    stack.below.append(layer)
  }

  private func makeLayer() -> Memtable {
    let layer = Memtable()
    layer.use(blocks)
    return layer
  }

  /// Freezes the active layer under a fresh one.
  func freeze() { freeze(view.stack) }

  private func freeze(_ stack: LayerStack) {
    active = makeLayer()
    let below = stack.top.roots == Roots() ? stack.below : [stack.top] + stack.below
    push(
      version: view.version, time: view.commitTime,
      stack: LayerStack(top: LayerStack.Layer(memtable: active, roots: Roots()), below: below))
  }

  /// Nothing after the published state was written: the sequenced state returns to it (engine.md §5).
  /// - Returns: the tickets that fail, those of `flush` included.
  func abandon(_ flush: Flush, error: StorageError, logIsGood: Bool, now: UInt64) -> [CommitTicket] {
    abandonCount += 1
    lastActivity = now
    if unsyncedSince != nil { unsyncedSince = now }
    let failed = flush.tickets + queue
    queue.removeAll()
    wantsSync = false
    appender.rollback(to: published.log, taken: flush.segments)
    // Commits go on in a layer of their own: the one that holds the failed entries may be read by views of them. It
    // forgets them, so that what they replaced is not taken for garbage.
    var stack = view.stack
    if !faults.contains(.failedCommitsStay) {
      stateBytes = published.stateBytes
      view = published.view
      stack = view.stack
      stack.top.memtable.rollback(toNumber: published.view.number)
      // The layers that were exchanged meanwhile must not come back: one has been folded into the other.
      if let exchange { Self.exchangeTail(of: &stack, layers: exchange.layers, by: exchange.layer) }
    }
    exchange = nil
    freeze(stack)
    published.view = view
    if !logIsGood {
      phase = .failed(
        StorageError(
          .closed, "writing stopped after an error; reads go on, reopen the database to write again",
          at: error.place, cause: error.description))
    }
    return failed
  }
}
