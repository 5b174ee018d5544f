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
  /// Where the log goes on after the newest checkpoint.
  @exclusivity(unchecked) var checkpointPosition: UInt64
  /// After a failed attempt a merge is not due before the log has come so far.
  @exclusivity(unchecked) var mergeRetryPosition: UInt64 = 0
  /// How many merges have ended, and how the last one failed.
  @exclusivity(unchecked) var mergesEnded = 0
  @exclusivity(unchecked) var mergeError: StorageError?
  /// Layers that were merged while views from before were alive: they tell what changed since those views, as the trees do
  /// not. Newest first; `number` is that of the first state without the layers.
  @exclusivity(unchecked) private(set) var remembered: [(layers: [LayerStack.Layer], number: UInt64, version: UInt64)] =
    []
  /// Where the log stood when a file was last made ahead.
  @exclusivity(unchecked) var sparedPosition: UInt64 = 0
  /// How often sequenced commits were given up; whoever took a view of the sequenced state compares.
  @exclusivity(unchecked) var abandonCount = 0
  @exclusivity(unchecked) private var commitsSinceFullReclaim = 0
  /// The exchange of the lowest layers for a snapshot, as long as the published state doesn't show it.
  @exclusivity(unchecked) private var exchange: (layers: Int, snapshot: TreeSnapshot, number: UInt64)?

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
    checkpointPosition = recovered.superblock.logPosition
    registry.viewBorn(number: recovered.number)
    view = View(
      number: recovered.number, version: recovered.version, commitTime: recovered.time, stack: recovered.stack,
      registry: registry)
    published = Point(view: view, stateBytes: recovered.stateBytes, log: appender.mark)
  }

  /// Whether something waits to be written or acknowledged.
  var needsFlush: Bool { appender.hasPending || !queue.isEmpty }

  /// Memory of the active layer.
  var activeBytes: Int { active.arena.arenaBytes + active.slab.nodeBytes }

  /// The newest changes fill their budget, or the log is long: time to merge them into the trees.
  var isMergeDue: Bool {
    guard appender.position >= mergeRetryPosition else { return false }
    return activeBytes >= options.memtableBudgetBytes || !view.stack.below.isEmpty
      || appender.position - checkpointPosition > UInt64(options.logBytesMax)
  }

  /// Commits wait for the merge.
  var isFull: Bool {
    activeBytes >= 2 * options.memtableBudgetBytes || view.stack.below.count > 4
  }

  var isMaintenanceDue: Bool { blocks.wantsBlock || isMergeDue || spareBytesWanted != nil }

  /// A merge ended. After a failure the next one is made when the log has grown by a good piece, or when commits wait for it,
  /// so that a disk that stays full is not tried in a loop.
  func mergeEnded(_ error: StorageError?) {
    mergesEnded += 1
    mergeError = error
    let piece = UInt64(max(options.memtableBudgetBytes / 4, 64 << 10))
    mergeRetryPosition = error == nil ? 0 : appender.position + piece
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
    if base.version != view.version, try operationsMoved(batch) { return .moved }
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

  private func operationsMoved(_ batch: KeyValueBatch) throws(StorageError) -> Bool {
    var failure: StorageError?
    let hasMoved = batch.withOperations { reader in
      while failure == nil, let operation = reader.next() {
        do throws(StorageError) {
          let wasAbsent = operation.kind == .insert
          if try hasChange(
            operation.tree, key: KeyBytes(operation.key), after: batch.baseVersion, wasAbsent: wasAbsent)
          {
            return true
          }
        } catch {
          failure = error
        }
      }
      return false
    }
    if let failure { throw failure }
    return hasMoved
  }

  /// Whether the key is not as it was at `version`, when it was absent or not. Exact as far back as the layers and what is
  /// remembered of merged ones reach; before that everything counts as changed.
  private func hasChange(
    _ tree: TreeID, key: KeyBytes, after version: UInt64, wasAbsent: Bool
  ) throws(StorageError) -> Bool {
    guard version >= validatableFrom else { return true }
    var newest = view.stack.newestEntry(tree, key)
    if newest == nil {
      search: for item in remembered {
        for layer in item.layers {
          newest = layer.roots[tree].find(key)
          if newest != nil { break search }
        }
      }
    }
    if let newest {
      // A key absent then and now has not changed. An entry no newer than the claim has to agree with it.
      return wasAbsent ? !newest.isTombstone : newest.isTombstone || newest.version > version
    }
    // No layer has it: it is as the trees say, unless it came and went within one layer, which leaves only a version.
    guard !wasAbsent, hasVanished(tree, key, after: version) else { return false }
    return try view.stack.snapshot?.valueSize(tree, key) == nil
  }

  private func hasVanished(_ tree: TreeID, _ key: KeyBytes, after version: UInt64) -> Bool {
    let next = [UInt8](key.bytes) + [0]
    return next.withKeyBytes { hasChange(tree, from: key, to: $0, after: version) }
  }

  private func hasChange(_ tree: TreeID, from lower: KeyBytes, to upper: KeyBytes?, after version: UInt64) -> Bool {
    view.stack.hasChange(tree, from: lower, to: upper, after: version)
      || remembered.contains { item in
        item.layers.contains { $0.hasChange(tree, from: lower, to: upper, after: version) }
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
        isBroken = try key.withKeyBytes { (key) throws(StorageError) in
          try hasChange(tree, key: key, after: readVersion, wasAbsent: wasAbsent)
        }
      case .range(let tree, let range, let readVersion):
        version = readVersion
        isBroken =
          readVersion < validatableFrom
          || range.withKeyBytes { hasChange(tree, from: $0, to: $1, after: readVersion) }
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
          below: [LayerStack.Layer(memtable: layer.memtable, roots: layer.roots), view.stack.top] + view.stack.below,
          snapshot: view.stack.snapshot))
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
    forget()
    return published.view
  }

  func isPublished(_ number: UInt64) -> Bool { published.view.number >= number }

  /// Puts a snapshot that holds the lowest `layers` in their place, for good. The next flush publishes it.
  /// - Returns: the number from which on views show it.
  func exchangeTail(layers: Int, by snapshot: TreeSnapshot) -> UInt64 {
    precondition(exchange == nil, "an exchange before the one of \(exchange?.number ?? 0) was published")
    var stack = view.stack
    let merged = Array(stack.below.suffix(layers))
    Self.exchangeTail(of: &stack, layers: layers, by: snapshot)
    push(version: view.version, time: view.commitTime, stack: stack)
    exchange = (layers, snapshot, number)
    remembered.insert((merged, number, snapshot.commitVersion), at: 0)
    return number
  }

  private static func exchangeTail(of stack: inout LayerStack, layers: Int, by snapshot: TreeSnapshot) {
    stack.below.removeLast(layers)
    stack.snapshot = snapshot
  }

  /// Lets go of merged layers that nobody can ask for any more: everybody who reads has begun after them.
  func forget() {
    guard let oldest = remembered.last, isPublished(oldest.number) else { return }
    let live = registry.oldestNumber ?? number
    while let oldest = remembered.last, oldest.number <= live {
      remembered.removeLast()
      validatableFrom = max(validatableFrom, oldest.version)
    }
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
      stack: LayerStack(
        top: LayerStack.Layer(memtable: active, roots: Roots()), below: below, snapshot: stack.snapshot))
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
      // The layers that were merged meanwhile must not come back: the log before the checkpoint may be gone.
      if let exchange {
        Self.exchangeTail(of: &stack, layers: exchange.layers, by: exchange.snapshot)
      }
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
