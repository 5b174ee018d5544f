/// Pages in memory, within a budget of bytes: found without a lock, read once however many want them, evicted by a clock.
///
/// Threading: any thread. A frame that is handed out stays readable while its reader's pin of ``epochs`` lasts, evicted
/// or not. Readers that miss hold their pin while they read from disk; what is evicted meanwhile is freed after that, so
/// that the memory in use exceeds the budget by what is read in the time of one read.
final class PageCache: @unchecked Sendable {
  /// How long a page is to stay.
  enum Weight: UInt32, Sendable {
    /// Read by a scan, which comes by once: it goes first, unless someone else asks for it.
    case passing = 0
    /// A leaf.
    case leaf = 1
    /// A page that many descents go through.
    case inner = 7
  }

  let epochs: EpochDomain
  let budgetBytes: Int
  /// Memory for frames; those that come from elsewhere are fine too.
  let arena = FrameArena()
  private let table: FrameTable
  private let condition = Condition()

  // Under `condition`.
  /// Pages that somebody asked for by themselves.
  private var lasting = ClockRing()
  /// Pages that scans brought: beyond a share of the budget they replace each other. Who is asked for meanwhile lasts.
  private var passing = ClockRing()
  private var loading: Set<UInt64> = []
  private var loads = 0

  init(budgetBytes: Int, epochs: EpochDomain) {
    self.budgetBytes = budgetBytes
    self.epochs = epochs
    table = FrameTable(epochs: epochs)
  }

  /// Nobody may be reading.
  deinit {
    for frame in lasting.frames + passing.frames { arena.free(frame) }
  }

  /// The page at `place`, from memory or by `load`, which is called without a lock and by one caller at a time for a
  /// place. The caller has pinned ``epochs`` and follows the frame under that pin alone.
  ///
  /// - Parameters:
  ///   - place: Names the page's bytes for good; not 0.
  ///   - load: Returns a frame that was allocated for `place`.
  /// - Throws: What `load` throws; then nothing is kept, and others that wait for the page try themselves.
  @inline(__always)
  func page<E: Error>(_ place: UInt64, _ weight: Weight, load: () throws(E) -> PageFrame) throws(E) -> PageFrame {
    if let frame = table.find(place) {
      frame.touch(weight.rawValue)
      return frame
    }
    return try miss(place, weight, load)
  }

  /// The page at `place` if it is in memory. As ``page(_:_:load:)``, for who can do without.
  func resident(_ place: UInt64) -> PageFrame? { table.find(place) }

  /// Adds a page that its writer still has, so that nobody needs to read it. A page that is there already stays.
  func insert(_ frame: PageFrame, _ weight: Weight) {
    frame.touch(weight.rawValue)
    let evicted = condition.withLock { () -> [PageFrame] in
      if loading.contains(frame.place) || table.find(frame.place) != nil { return [frame] }
      admit(frame, weight)
      return evict()
    }
    retire(evicted)
  }

  /// Lets go of a page that no newer state has.
  func remove(_ place: UInt64) {
    // The rings find it when the hand comes by; until then it is only no longer asked for.
    condition.withLock { table.find(place)?.expire() }
  }

  @inline(never)
  private func miss<E: Error>(
    _ place: UInt64, _ weight: Weight, _ load: () throws(E) -> PageFrame
  ) throws(E) -> PageFrame {
    condition.lock()
    while true {
      if let frame = table.find(place) {
        condition.unlock()
        frame.touch(weight.rawValue)
        return frame
      }
      if loading.insert(place).inserted { break }
      condition.wait()
    }
    condition.unlock()
    let frame: PageFrame
    do throws(E) {
      frame = try load()
    } catch {
      finishLoading(place, nil, weight)
      throw error
    }
    precondition(frame.place == place, "a frame of place \(frame.place) for \(place)")
    frame.touch(weight.rawValue)
    retire(finishLoading(place, frame, weight))
    return frame
  }

  /// - Returns: what had to go for it.
  @discardableResult
  private func finishLoading(_ place: UInt64, _ frame: PageFrame?, _ weight: Weight) -> [PageFrame] {
    condition.withLock {
      loading.remove(place)
      condition.broadcast()
      guard let frame else { return [] }
      loads += 1
      admit(frame, weight)
      return evict()
    }
  }

  private func retire(_ frames: [PageFrame]) {
    for frame in frames { epochs.retire { [arena] in arena.free(frame) } }
  }

  private func admit(_ frame: PageFrame, _ weight: Weight) {
    table.insert(frame)
    if weight == .passing { passing.insert(frame) } else { lasting.insert(frame) }
  }

  /// Scans have an eighth of the budget to themselves.
  private var passingBytesMax: Int { budgetBytes / 8 }

  private func evict() -> [PageFrame] {
    var evicted: [PageFrame] = []
    // Readers wind clocks up meanwhile; at some point one has to go all the same.
    var patience = (lasting.count + passing.count) * Int(Weight.inner.rawValue + 1)
    while lasting.bytes + passing.bytes > budgetBytes {
      patience -= 1
      if passing.count > 0, passing.bytes > passingBytesMax || lasting.count == 0 {
        let frame = passing.removeCurrent()
        if frame.expires() || patience < 0 { evicted.append(frame) } else { lasting.insert(frame) }
      } else if lasting.current.expires() || patience < 0 {
        evicted.append(lasting.removeCurrent())
      } else {
        lasting.advance()
      }
    }
    for frame in evicted { table.remove(frame) }
    return evicted
  }

  struct Statistics: Equatable, Sendable {
    var pages: Int
    var bytes: Int
    /// Pages read since the beginning.
    var loads: Int
  }

  var statistics: Statistics {
    condition.withLock {
      Statistics(
        pages: lasting.count + passing.count, bytes: lasting.bytes + passing.bytes, loads: loads)
    }
  }
}
