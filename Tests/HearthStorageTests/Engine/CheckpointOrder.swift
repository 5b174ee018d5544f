/// Holds a trace of calls to the order of a checkpoint: segments written, synced and named, their names synced, then the
/// slot, its sync, and only then the files go that nobody needs any more.
struct CheckpointOrder {
  /// The first call that came too early, with why.
  private(set) var violation: String?
  /// Slots that became durable.
  private(set) var slots = 0
  private(set) var segmentsNamed = 0
  private(set) var segmentsRemoved = 0
  /// Log files that were removed or are used again.
  private(set) var logsGone = 0

  /// Files of segments with bytes that no sync has covered.
  private var dirty: Set<Substring> = []
  /// Names in the folder of segments that no sync has covered.
  private var unsyncedNames: Set<Substring> = []
  private var isSlotPending = false

  init(_ trace: [String]) {
    for line in trace where violation == nil { read(line) }
  }

  private mutating func read(_ line: String) {
    let words = line.split(separator: " ")
    guard words.count >= 2 else { return }
    let path = words[1]
    let isSegment = path.hasPrefix("/segments/")
    switch words[0] {
    case "write" where path == "/SUPER":
      expect(dirty.isEmpty, line, "\(dirty) not synced")
      expect(unsyncedNames.isEmpty, line, "the names \(unsyncedNames) not synced")
      isSlotPending = true
    case "sync" where path == "/SUPER":
      if isSlotPending { slots += 1 }
      isSlotPending = false
    case "create" where isSegment, "write" where isSegment: dirty.insert(path)
    case "sync" where isSegment: dirty.remove(path)
    case "rename" where isSegment:
      expect(!dirty.contains(path), line, "named before it was synced")
      unsyncedNames.insert(words[3])
      segmentsNamed += 1
    case "rename" where path.hasSuffix(".wal"):
      expectSettled(line)
      logsGone += 1
    case "syncDirectory" where path == "/segments": unsyncedNames = []
    case "remove" where path.hasSuffix(".seg"):
      expectSettled(line)
      segmentsRemoved += 1
    case "remove" where path.hasSuffix(".wal"):
      expectSettled(line)
      logsGone += 1
    default: break
    }
  }

  /// What goes is needed by no slot only once the newest one is durable.
  private mutating func expectSettled(_ line: String) {
    expect(!isSlotPending && slots > 0, line, "the slot is not synced")
  }

  private mutating func expect(_ condition: Bool, _ line: String, _ reason: String) {
    if !condition, violation == nil { violation = "\(line): \(reason)" }
  }
}
