@testable import HearthStorage
@testable import HearthTestSupport

/// A script with a name, in which every crash is tried. Names begin with the rule of engine.md that they show.
struct CrashScenario: Sendable, CustomStringConvertible {
  let name: String
  var options = Script.options()
  var sectorBytes = 4096
  let run: @Sendable (Script) throws -> Void

  var description: String { name }

  init(
    _ name: String, sectorBytes: Int = 4096, _ change: (inout StorageOptions) -> Void = { _ in },
    run: @escaping @Sendable (Script) throws -> Void
  ) {
    self.name = name
    self.sectorBytes = sectorBytes
    options = Script.options(change)
    self.run = run
  }

  /// Bases are due after every few commits.
  @Sendable static func eager(_ options: inout StorageOptions) { options.logBytesMax = 0 }
  /// Each log file is twice as long as the one before.
  @Sendable static func growing(_ options: inout StorageOptions) { options.logFileBytesMax = 64 << 10 }
  /// No batch here is large enough to be written in parts.
  @Sendable static func whole(_ options: inout StorageOptions) { options.largeBatchBytesMax = 1 << 20 }
}

extension CrashScenario {
  static let all: [CrashScenario] =
    creation + commits + logFiles + syncsBeside + recoveries + bases + slots + largeBatches + closing + trees

  static let creation = [
    CrashScenario("a database is created") { script in
      script.watch()
      try script.open()
      try script.put("a")
    },
    CrashScenario("a database is created and closed unused") { script in
      script.watch()
      try script.open()
      try script.close()
    },
    CrashScenario("a database is created, killed, opened") { script in
      script.watch()
      try script.open()
      try script.kill()
      try script.put("a")
    },
  ]

  static let commits = [
    CrashScenario("one durable commit") { script in
      try script.open()
      script.watch()
      try script.put("a")
    },
    CrashScenario("three durable commits, each in sectors of its own (E7)") { script in
      try script.open()
      script.watch()
      try script.put("a")
      try script.put("ab")
      try script.put("b")
    },
    CrashScenario("small sectors", sectorBytes: 512) { script in
      try script.open()
      script.watch()
      try script.put("a", bytes: 700)
      try script.put("ab")
    },
    CrashScenario("buffered commits, then a durable one") { script in
      try script.open()
      script.watch()
      try script.put("a", .buffered)
      try script.put("b", .buffered)
      try script.put("c")
    },
    CrashScenario("a durable commit, then buffered ones (E7)") { script in
      try script.open()
      try script.put("a")
      script.watch()
      try script.put("b", .buffered)
      try script.put("c", .buffered)
      try script.put("d", .buffered)
    },
    CrashScenario("buffered commits and a sync") { script in
      try script.open()
      script.watch()
      try script.put("a", .buffered)
      try script.put("b", .buffered)
      try script.sync()
    },
    CrashScenario("a group of five in one sync (E38)") { script in
      try script.open()
      script.watch()
      for key in ["a", "b", "c", "d", "a"] { try script.enqueue(key) }
      try script.work()
    },
    CrashScenario("a mixed group") { script in
      try script.open()
      script.watch()
      try script.enqueue("a", .buffered)
      try script.enqueue("b")
      try script.enqueue("a", .buffered)
      try script.put("c", .buffered)
      try script.enqueue("d", .buffered)
      try script.work()
    },
    CrashScenario("frames over several sectors in one group (E6)") { script in
      try script.open()
      try script.put("x")
      script.watch()
      try script.enqueue("a", bytes: 900)
      try script.enqueue("b", bytes: 3600)
      try script.enqueue("c", bytes: 100)
      try script.work()
    },
    CrashScenario("commits that change nothing") { script in
      try script.open()
      try script.put("a")
      script.watch()
      try script.remove("z")
      try script.put("b", .buffered)
      try script.remove("z", .buffered)
      try script.remove("z")
    },
    CrashScenario("operations on one key compose (E1)") { script in
      try script.open()
      try script.put("ab")
      script.watch()
      try script.database.commit { batch, _, _ in
        try batch.put(.documents, [1], [1, 2, 3])
        try batch.delete(.documents, [1])
        try batch.delete(.documents, Array("a".utf8))
        try batch.put(.documents, Array("a".utf8), [9])
        try batch.put(.documents, Array("b".utf8), [8, 8])
        try batch.put(.documents, Array("b".utf8), [])
        try batch.put(.documents, [2], [5])
        try batch.put(.documents, [2], [5, 5])
      }
      try script.look()
      try script.remove("ab")
      try script.verify()
    },
    CrashScenario("three trees, empty keys and values") { script in
      try script.open()
      script.watch()
      try script.database.commit { batch, _, _ in
        for tree in TreeID.allCases {
          try batch.put(tree, [], [])
          try batch.put(tree, [0], [tree.rawValue])
        }
      }
      try script.database.commit { batch, _, _ in
        try batch.delete(.indexes, [])
        try batch.put(.catalog, [], [0, 0, 0, 0, 0, 0, 0, 0], stamped: true)
      }
      try script.look()
    },
    CrashScenario("signs over layers without reading (E1)", CrashScenario.eager) { script in
      try script.open()
      try script.put("abcd")
      try script.work()
      script.watch()
      try script.remove("a")
      try script.put("b", bytes: 40)
      try script.put("e")
      try script.work()
      try script.remove("bcde")
      try script.work()
    },
    CrashScenario("handed back and derived again (E2)") { script in
      try script.open()
      try script.put("a")
      script.watch()
      var attempts = 0
      try script.database.commit { batch, view, attempt in
        attempts = attempt
        if attempt <= 2 { try script.enqueue("a", bytes: 20 + attempt) }
        let old = try view.get(.documents, Array("a".utf8)) ?? []
        try batch.put(.documents, Array("a".utf8), old + [1])
      }
      try expect(attempts == 3, "derived \(attempts) times")
      try script.look()
      try expect(try script.database.engine.view().get(.documents, Array("a".utf8))?.count == 23, "a write was lost")
    },
  ]

  static let logFiles = [
    CrashScenario("the log goes on in new files (E8)") { script in
      try script.open()
      script.watch()
      for key in ["a", "b", "c", "d", "e"] { try script.put(key) }
    },
    CrashScenario("one flush goes over two files") { script in
      try script.open()
      try script.put("x")
      script.watch()
      try script.enqueue("a", bytes: 3000)
      try script.enqueue("b", bytes: 3000)
      try script.enqueue("c", bytes: 900)
      try script.work()
    },
    CrashScenario("log files grow", growing) { script in
      try script.open()
      script.watch()
      for round in 0..<8 { try script.put("abc", round % 3 == 2 ? .buffered : .durable, bytes: 300) }
    },
    CrashScenario("a frame larger than a file", whole) { script in
      try script.open()
      try script.put("a")
      script.watch()
      try script.put("b", .buffered, bytes: 20_000)
      try script.put("c")
    },
    CrashScenario("buffered commits over files, only the last of which is unsynced") { script in
      try script.open()
      script.watch()
      for key in ["a", "b", "c", "d"] { try script.put(key, .buffered, bytes: 2500) }
    },
    CrashScenario("an idle log is sealed (E6)") { script in
      try script.open()
      script.watch()
      try script.put("a")
      try script.wait(seconds: 3)
      try script.put("b")
      try script.wait(seconds: 3)
    },
    CrashScenario("buffered commits are synced within a second") { script in
      try script.open()
      script.watch()
      try script.put("a", .buffered)
      try script.put("b", .buffered)
      try script.wait(seconds: 1)
      script.database.noteSynced()
      try script.wait(seconds: 2)
    },
  ]

  static let recoveries = [
    CrashScenario("recovery after a power cut (E5)") { script in
      try script.open()
      try script.put("a")
      try script.put("b", .buffered)
      script.watch()
      try script.powerCut(3)
      try script.put("c")
    },
    CrashScenario("recovery of several files (E5, E30)") { script in
      try script.open()
      for key in ["a", "b", "c", "d", "e"] { try script.put(key) }
      script.watch()
      try script.powerCut(1)
      try script.put("f")
      try script.put("g")
      try script.powerCut(2)
      try script.put("h")
    },
    CrashScenario("a killed process leaves buffered commits (E5)") { script in
      try script.open()
      try script.put("a")
      try script.put("b", .buffered, bytes: 3000)
      try script.put("c", .buffered)
      script.watch()
      try script.kill()
      try script.kill()
      try script.put("d")
    },
    CrashScenario("recovery with nothing to copy") { script in
      try script.open()
      script.watch()
      try script.kill()
      try script.kill()
      try script.put("a", .buffered)
      try script.kill()
    },
    CrashScenario("recovery of a torn group (E5)") { script in
      try script.open()
      try script.put("a")
      for key in ["b", "c", "d"] { try script.put(key, .buffered, bytes: 2000) }
      script.watch()
      try script.powerCut(5)
      try script.put("e")
      try script.powerCut(6)
    },
    CrashScenario("an unclean open after a clean close") { script in
      try script.open()
      try script.put("ab")
      try script.reopen()
      script.watch()
      try script.put("c")
      try script.kill()
      try script.put("d")
    },
  ]

  static let bases = [
    CrashScenario("a base is written", CrashScenario.eager) { script in
      try script.open()
      try script.put("a")
      try script.put("b")
      script.watch()
      try script.work()
      try script.put("c")
    },
    CrashScenario("the log is kept back to the second newest slot (E3)", CrashScenario.eager) { script in
      try script.open()
      try script.put("a")
      try script.work()
      script.alsoCheck = CrashScenario.checkWithoutNewestSlot(script)
      script.watch()
      for key in ["b", "c", "d"] {
        try script.put(key)
        try script.work()
      }
    },
    CrashScenario("files are recycled (E8)", CrashScenario.eager) { script in
      try script.open()
      for key in ["a", "b", "c", "d"] {
        try script.put(key)
        try script.work()
      }
      script.watch()
      for key in ["e", "f"] {
        try script.put(key)
        try script.work()
      }
    },
    CrashScenario("commits go on while a base is written", CrashScenario.eager) { script in
      try script.open()
      try script.put("a")
      script.watch()
      script.database.executor.runOneStep()
      try script.enqueue("b")
      script.database.executor.runOneStep()
      try script.put("c")
      try script.work()
      try script.put("d")
    },
    CrashScenario("a base over folded layers (E17)", CrashScenario.eager) { script in
      try script.open()
      try script.putLarge(8)
      try script.put("a")
      try script.putLarge(8, from: 4)
      script.watch()
      try script.work()
      try script.remove("a")
      try script.work()
    },
    CrashScenario("a base of nothing", CrashScenario.eager) { script in
      try script.open()
      try script.put("a")
      try script.remove("a")
      script.watch()
      try script.work()
      try script.put("b")
    },
    CrashScenario("bases after recoveries", CrashScenario.eager) { script in
      try script.open()
      try script.put("a")
      try script.work()
      try script.put("b")
      script.watch()
      try script.powerCut(4)
      try script.work()
      try script.put("c")
      try script.work()
      try script.kill()
      try script.put("d")
    },
  ]

  static let largeBatches = [
    CrashScenario("a large batch in several frames with one mark (E17)") { script in
      try script.open()
      try script.put("a")
      script.watch()
      try script.putLarge(12)
      try script.put("b")
    },
    CrashScenario("a large batch over files (E17)") { script in
      try script.open()
      try script.put("a")
      try script.put("b")
      script.watch()
      try script.putLarge(30)
    },
    CrashScenario("a torn large batch, then commits (E17)") { script in
      try script.open()
      try script.put("a")
      try script.enqueue("c", .buffered)
      try script.putLarge(16, waits: false)
      let whole = script.database.files
      // Write everything but the end.
      whole.stopAfter(whole.operationCount + 1)
      try script.work()
      script.watch()
      try script.powerCut(1)
      try script.put("b")
      try script.putLarge(8)
      try script.powerCut(2)
    },
    CrashScenario("two large batches wait (E17)") { script in
      try script.open()
      try script.putLarge(8)
      script.watch()
      try script.putLarge(8, from: 4, waits: false)
      try script.putLarge(8, from: 8, waits: false)
      try script.enqueue("a")
      try script.putLarge(8, from: 2)
      try script.work()
      try script.verify()
    },
    CrashScenario("a view held over folds and bases (E14, E16)", CrashScenario.eager) { script in
      try script.open()
      try script.putLarge(8)
      try script.put("abc")
      let view = try script.database.engine.view()
      let state = script.database.history.lastState
      script.watch()
      try script.putLarge(8, from: 4)
      try script.work()
      try script.remove("ab")
      try script.work()
      try state.verify(view, random: script.random, ranges: 8)
    },
  ]

  static let closing = [
    CrashScenario("a clean close") { script in
      try script.open()
      try script.put("a")
      try script.put("b", .buffered)
      script.watch()
      try script.close()
    },
    CrashScenario("a close with commits that nobody waits for") { script in
      try script.open()
      try script.enqueue("a")
      try script.enqueue("b", .buffered)
      script.watch()
      try script.close()
    },
    CrashScenario("a close with large batches", CrashScenario.eager) { script in
      try script.open()
      try script.putLarge(8)
      try script.putLarge(8, from: 4, waits: false)
      script.watch()
      try script.close()
    },
    CrashScenario("a close when a seal alone stands behind the base", CrashScenario.eager) { script in
      try script.open()
      try script.put("a")
      try script.work()
      try script.wait(seconds: 3)
      script.watch()
      try script.close()
    },
    CrashScenario("closed, opened, closed") { script in
      try script.open()
      try script.put("a")
      script.watch()
      try script.reopen()
      try script.reopen()
      try script.put("b")
      try script.reopen()
    },
    CrashScenario("a close after a recovery") { script in
      try script.open()
      try script.put("a")
      try script.put("b", .buffered)
      try script.powerCut(9)
      script.watch()
      try script.close()
    },
  ]

  /// With the newest of two slots zeroed everything must still be there: its checkpoint's log is kept (E3).
  static func checkWithoutNewestSlot(_ script: Script) -> (SimulatedFileSystem, CrashChecker.Promise) throws -> Void {
    { image, promise in
      let copy = image.killedProcess()
      let slots = try SuperblockStore.read(directory: SimulatedDatabase.folder, fileSystem: copy)
      var newest: (slot: Int, number: UInt64)?
      var count = 0
      for (slot, reading) in slots.enumerated() {
        guard case .valid(let superblock) = reading else { continue }
        count += 1
        if superblock.number > newest?.number ?? 0 { newest = (slot, superblock.number) }
      }
      guard count >= 2, let newest else { return }
      let start = newest.slot * SuperblockFormat.slotBytes
      copy.zero(SimulatedDatabase.folder + "/SUPER", start..<start + SuperblockFormat.slotBytes)
      try within("without the newest slot") {
        _ = try script.checker.check(copy, promise, random: script.random, reopens: false)
      }
    }
  }
}
