import Testing

@testable import HearthStorage
@testable import HearthTestSupport

/// Disks that fail or are full, at every step in turn: typed errors, nothing acknowledged lost, and writing goes on
/// where it may.
struct DiskFaultTests {
  struct Fault: Sendable, CustomStringConvertible {
    var description: String
    var calls: Set<SimulatedFault.Call>
    var effect: SimulatedFault.Effect
    var pathSuffix = ""
    /// Strikes again this often.
    var times = 1
  }

  static let everything: Set<SimulatedFault.Call> = [
    .create, .write, .allocate, .truncate, .sync, .syncDirectory, .rename, .remove,
  ]

  static let faults = [
    Fault(description: "EIO", calls: everything, effect: .fail(.io)),
    Fault(description: "ENOSPC", calls: everything, effect: .fail(.resourceExhausted)),
    Fault(description: "a short write", calls: [.write], effect: .short(5000, .io)),
    Fault(description: "a failed sync that loses its pages", calls: [.sync], effect: .loseDirtyPages(.io)),
    Fault(description: "a failed slot (E4)", calls: [.write, .sync], effect: .short(100, .io), pathSuffix: "SUPER"),
    Fault(
      description: "two failed slots (E4)", calls: [.write, .sync], effect: .short(100, .io), pathSuffix: "SUPER",
      times: 2),
    Fault(
      description: "three failed slots (E4)", calls: [.write, .sync], effect: .loseDirtyPages(.io),
      pathSuffix: "SUPER", times: 3),
  ]

  /// Commits of all kinds, bases, new and recycled files, a large batch.
  private func live(_ script: Script) throws {
    for round in 0..<3 {
      try script.put("ab")
      try script.enqueue("c", .buffered, bytes: 900)
      try script.work()
      try script.putLarge(8, from: round * 2)
      try script.remove("a", .buffered)
      try script.work()
    }
  }

  @Test(arguments: faults)
  func aFailureAtEachStepLosesNothingAcknowledged(_ fault: Fault) throws {
    let total = CrashChecker(SimulatedDatabase.Setup())
    var steps = 0
    while true {
      steps += 1
      let script = Script(Script.options(CrashScenario.eager))
      try script.open()
      try script.put("xyz")
      script.database.expectsFaults = true
      script.database.files.clearTrace()
      script.database.files.inject(
        SimulatedFault(fault.calls, nth: steps, times: fault.times, pathSuffix: fault.pathSuffix, effect: fault.effect))
      try within("step \(steps)") {
        try live(script)
        let hasStruck = script.database.files.trace.contains { $0.contains(" failed ") }
        script.database.files.clearFaults()
        try judge(script, steps)
        // The same process goes on where it can, and then nothing that failed may come back.
        if script.database.isWritable { try script.put("de") }
        try within("closed") { try script.reopen() }
        try script.put("f")
        try script.verify()
        try script.close()
        if !hasStruck { steps = -steps }
      }
      total.add(script.checker)
      if steps < 0 { break }
    }
    #expect(-steps > 4)
    print("\(fault): at \(-steps - 1) steps, \(total.summary)")
  }

  private func judge(_ script: Script, _ seed: Int) throws {
    let database = script.database
    let promise = CrashChecker.Promise(history: database.history, required: database.requiredAfterPowerCut)
    let crash = database.files.crash()
    for index in 0..<6 {
      let image =
        index == 0
        ? crash.image { _ in true }
        : index == 1 ? crash.image { _ in false } : crash.randomImage(seed: UInt64(seed * 8 + index))
      try within("image \(index)") { _ = try script.checker.check(image, promise, random: script.random) }
    }
    let killed = CrashChecker.Promise(history: database.history, required: database.requiredAfterKill)
    let image = database.files.killedProcess()
    image.heal()
    try within("killed") { _ = try script.checker.check(image, killed, random: script.random) }
  }

  // MARK: - Full disks

  /// There is room for so many bytes more and no further one, whatever step is the first that lacks it.
  @Test func aFullDiskIsATypedErrorAndWritingResumes() throws {
    var refused = 0
    for room in stride(from: 0, through: 160_000, by: 4096) {
      let script = Script(Script.options(CrashScenario.eager))
      try script.open()
      try script.put("xyz")
      let database = script.database
      database.expectsFaults = true
      database.files.capacityBytes = used(database.files) + room
      try within("room for \(room) bytes") {
        try live(script)
        if database.history.lastVersion > (database.history.commits.last { $0.fate == .acknowledged }?.version ?? 0) {
          refused += 1
        }
        // Files have their blocks before the first byte is written to them: so the log itself never fails.
        try expect(database.isWritable, "a full disk stopped the log for good")
        try judge(script, room)
        try reopenFull(script)
        database.files.capacityBytes = nil
        try expect(try database.commit { batch, _, _ in try batch.put(.catalog, [1], [2]) }, "writing did not resume")
        try script.verify()
        try script.reopen()
        try script.verify()
      }
    }
    #expect(refused > 4)
  }

  private func used(_ files: SimulatedFileSystem) -> Int {
    files.allFiles.reduce(0) { $0 + files.byteCount($1) }
  }

  /// A process that dies on a full disk: the next one reads everything, opens for writing or says why not, and leaves
  /// no more behind than it found.
  private func reopenFull(_ script: Script) throws {
    let database = script.database
    let image = database.files.killedProcess()
    let required = database.requiredAfterKill
    let promise = CrashChecker.Promise(history: database.history, required: required)
    image.capacityBytes = used(image)
    let before = used(image)
    let again = SimulatedDatabase(on: image, setup: script.setup, history: database.history)
    do {
      try again.open(required: required, random: script.random)
    } catch let error as StorageError {
      try expect(error.code == .resourceExhausted, "a full disk gives \(error)")
      try expect(used(image) <= before, "a failed open left files behind")
    }
    image.heal()
    _ = try script.checker.check(image.killedProcess(), promise, random: script.random)
  }

  // MARK: - What has gone wrong here before

  /// A merge closes the log file. If the next commit finds no room for a new one and is given up, the file must stay
  /// closed: the checkpoint says that the log goes on in another.
  @Test func aFileThatAMergeClosedStaysClosed() throws {
    let script = Script(
      Script.options {
        $0.logFileBytesMin = 64 << 10
        $0.logBytesMax = 0
      })
    try script.open()
    try script.put("a")
    let engine = script.database.engine!
    // Everything is synced and published, so that nothing else notes the closed file; then a merge begins.
    let maintenance = engine.maintenance!
    _ = engine.maintenanceStep()
    #expect(maintenance.merge != nil)
    script.database.expectsFaults = true
    script.database.files.inject(SimulatedFault(.create, effect: .fail(.resourceExhausted)))
    #expect(try !script.database.commit { batch, _, _ in try batch.put(.documents, [1], [1]) })
    #expect(try script.database.commit { batch, _, _ in try batch.put(.documents, [2], [2]) })
    // No other merge may follow and cover what this one lost.
    engine.lock.withLock { engine.sequencer.mergeRetryPosition = .max }
    while maintenance.merge != nil { _ = engine.maintenanceStep() }
    try judge(script, 1)
    try script.powerCut(2)
    #expect(try script.database.engine.view().get(.documents, [2]) == [2])
  }

  /// A merge is done while a commit waits; the flush of that commit fails. The layers from before the merge must not come
  /// back beside the trees that hold them.
  @Test func aFlushThatFailsAfterAMergeBringsNothingBack() throws {
    for keys in 1...12 {
      let script = Script(Script.options { $0.logFileBytesMin = 64 << 10 })
      try script.open()
      for key in 0..<200 { try script.put(String(UnicodeScalar(UInt8(32 + key % 90))), .buffered, bytes: key) }
      try script.putLarge(20)
      let database = script.database
      database.expectsFaults = true
      // Room in the file is short: the commit needs a new one.
      try script.enqueue("ABCDEFGHIJKLMNOPQRSTUVWXYZ", bytes: 3000)
      let engine = database.engine!
      while engine.maintenanceStep() == .more {}
      database.files.inject(SimulatedFault([.create, .allocate], effect: .fail(.resourceExhausted)))
      try script.work()
      for key in 0..<keys { try script.put(String(UnicodeScalar(UInt8(40 + key))), bytes: 30) }
      try script.putLarge(6, from: keys)
      try script.work()
      for round in 0..<140 { try script.put("abc", .buffered, bytes: round % 7) }
      try script.putLarge(6, from: 3)
      try script.work()
      try within("\(keys) keys") { try script.verify() }
    }
  }

  /// A close whose merge finds no room still answers and keeps everything.
  @Test func aCloseThatFailsAnswersEveryone() throws {
    let script = Script(Script.options(CrashScenario.eager))
    try script.open()
    try script.put("a")
    let database = script.database
    _ = database.engine.maintenanceStep()
    #expect(database.engine.maintenance?.merge != nil)
    try script.put("b", .buffered)
    database.expectsFaults = true
    database.files.inject(SimulatedFault(.create, pathSuffix: "segments/000001.new", effect: .fail(.resourceExhausted)))
    try script.enqueue("c")
    #expect(throws: StorageError.self) { try database.engine.close() }
    database.settle()
    #expect(database.history.commits.allSatisfy { $0.fate == .acknowledged })
    let last = database.history.lastVersion
    let promise = CrashChecker.Promise(history: database.history, required: last)
    try script.checker.check(database.files.durableImage(), promise, random: script.random)
  }
}
