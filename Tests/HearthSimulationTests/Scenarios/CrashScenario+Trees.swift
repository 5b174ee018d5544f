@testable import HearthStorage
@testable import HearthTestSupport

/// Scripts over trees of several levels, with small pages.
extension CrashScenario {
  static let trees = merges + shapes + longValues + failingMerges + recoveriesOverTrees

  /// A merge is due after each commit, and no batch is a layer of its own.
  @Sendable private static func small(_ options: inout StorageOptions) {
    options.logBytesMax = 0
    options.pageBytes = 256
    options.largeBatchBytesMax = 1 << 20
    options.logFileBytesMin = 32 << 10
  }

  /// Batches of more than a kilobyte are layers.
  @Sendable private static func layered(_ options: inout StorageOptions) {
    small(&options)
    options.largeBatchBytesMax = 1 << 10
  }

  /// Each merge writes more than one segment.
  @Sendable private static func segmented(_ options: inout StorageOptions) {
    small(&options)
    options.segmentBytesMin = 10 << 10
  }

  /// A checkpoint with a tree of at least two levels above the leaves.
  private static func plant(_ script: Script, _ count: Int = 80) throws {
    try script.open()
    try script.fill(0..<count)
    try script.work()
    let root = script.database.engine.maintenance?.checkpoint?.record.roots[0]
    try expect(root?.level ?? 0 >= 2 || count < 80, "the tree has level \(root?.level ?? 0)")
  }

  private static func removed(_ script: Script) -> Int {
    script.database.files.trace.count { $0.hasPrefix("remove ") && $0.hasSuffix(".seg") }
  }

  private static func segmentsCreated(_ script: Script) -> Int {
    script.database.files.trace.count { $0.hasPrefix("create ") && $0.contains("/segments/") }
  }

  // MARK: - Merges

  private static let merges = [
    CrashScenario("a merge into a tree of several levels", small) { script in
      try plant(script)
      script.watch()
      try script.fill(7..<9, bytes: 40)
      try script.fill(200..<202)
      try script.work()
      try script.verify()
    },
    CrashScenario("merges in a row recycle the log behind the second slot (E3, E8)", small) { script in
      try plant(script)
      script.alsoCheck = CrashScenario.checkWithoutNewestSlot(script)
      script.watch()
      for round in 0..<3 {
        try script.fill(round * 20..<round * 20 + 2, bytes: 30)
        try script.work()
      }
    },
    CrashScenario("segments go when two slots do without them (E3)", segmented) { script in
      try plant(script, 30)
      script.alsoCheck = CrashScenario.checkWithoutNewestSegment(script)
      script.watch()
      for round in 0..<3 {
        try script.fill(0..<30, bytes: 20 + round)
        try script.work()
      }
      try expect(removed(script) > 0, "no segment was removed")
    },
    CrashScenario("killed between the segments that go (E3)", segmented) { script in
      try plant(script, 60)
      try script.fill(0..<60, bytes: 22)
      try script.work()
      script.before("remove ", ".seg") { script.dieBefore("remove ", ".seg") }
      try script.fill(0..<3, bytes: 9)
      try script.work()
      try script.fill(0..<3, bytes: 10)
      try script.work()
      try script.expectInterrupted()
      script.watch()
      try script.kill()
      try script.put("a")
      try script.work()
    },
    CrashScenario("commits go on beside each step of a merge", small) { script in
      try plant(script)
      try script.fill(3..<5)
      script.watch()
      for number in 0..<4 {
        _ = script.database.engine.maintenanceStep()
        try script.fill(number * 17..<number * 17 + 1, number % 2 == 0 ? .durable : .buffered, bytes: 33)
      }
      try script.work()
      try script.verify()
    },
    CrashScenario("a view is held over merges in a row (E14, E16)", small) { script in
      try plant(script)
      let view = try script.database.engine.view()
      let state = script.database.history.lastState
      script.watch()
      for round in 0..<3 {
        try script.clear(round * 10..<round * 10 + 8)
        try script.work()
        try state.verify(view, random: script.random, ranges: 4)
      }
    },
    CrashScenario("a merge of changes that cancel out", small) { script in
      try plant(script)
      try script.put("x")
      try script.work()
      let before = script.database.engine.maintenance?.checkpoint?.record
      script.watch()
      try script.fill(300..<303)
      try script.clear(300..<303)
      try script.work()
      let after = script.database.engine.maintenance?.checkpoint?.record
      try expect(before?.number != after?.number, "no checkpoint was made")
      try expect(before?.roots.map(\.?.child.entryCount) == after?.roots.map(\.?.child.entryCount), "entries changed")
    },
    CrashScenario("an idle tree is left alone (E11)", small) { script in
      try plant(script)
      let segments = segmentsCreated(script)
      script.watch()
      for _ in 0..<5 { try script.wait(seconds: 4) }
      try expect(segmentsCreated(script) <= segments + 2, "idle work does not end")
      let settled = script.database.files.trace.count
      for _ in 0..<5 { try script.wait(seconds: 4) }
      try expect(script.database.files.trace.count == settled, "idle work does not end")
    },
    CrashScenario("three trees change in one merge", small) { script in
      try script.open()
      for tree in TreeID.allCases { try script.fill(0..<30, tree: tree) }
      try script.work()
      script.watch()
      for tree in TreeID.allCases { try script.fill(5..<7, bytes: 50, tree: tree) }
      try script.work()
      try script.verify()
    },
  ]

  // MARK: - Shapes

  private static let shapes = [
    CrashScenario("pages join and the root falls (E10, E32)", small) { script in
      try plant(script)
      script.watch()
      try script.clear(2..<78)
      try script.work()
      let root = script.database.engine.maintenance?.checkpoint?.record.roots[0]
      try expect(root?.level == 0, "the root stays on level \(root?.level ?? 255)")
      try script.fill(20..<24)
      try script.work()
    },
    CrashScenario("leaves lose their last entries (E10)", small) { script in
      try plant(script)
      script.watch()
      try script.clear(20..<45)
      try script.work()
      try script.verify()
      try script.fill(30..<31)
      try script.work()
      try script.verify()
    },
    CrashScenario("a tree loses all and grows again (E10, E32)", segmented) { script in
      try plant(script, 40)
      script.watch()
      try script.clear(0..<40)
      try script.work()
      try expect(script.database.engine.maintenance?.checkpoint?.record.roots[0] == nil, "a tree without entries")
      try script.fill(0..<12)
      try script.work()
      try script.put("a")
      try script.work()
    },
    CrashScenario("a tree grows by a level", small) { script in
      try plant(script, 20)
      let level = script.database.engine.maintenance?.checkpoint?.record.roots[0]?.level ?? 0
      script.watch()
      try script.fill(20..<90)
      try script.work()
      let now = script.database.engine.maintenance?.checkpoint?.record.roots[0]?.level ?? 0
      try expect(now > level, "level \(now) after \(level)")
    },
    CrashScenario("pairs come and go over a tree (E12, E22)", small) { script in
      try plant(script)
      // No merge comes between.
      script.database.engine.lock.withLock { script.database.engine.sequencer.mergeRetryPosition = .max }
      script.watch()
      try script.fill(100..<103)
      try script.clear(100..<103)
      try script.clear(10..<13)
      try script.verify()
      try script.fill(10..<12, bytes: 44)
      try script.clear(11..<12)
      try script.verify()
      try script.kill()
      try script.verify()
    },
    CrashScenario("counts over a tree, layers and what is not durable yet (E21)", layered) { script in
      try plant(script)
      script.watch()
      try script.putLarge(6, waits: false)
      try script.clear(40..<44)
      try script.fill(41..<43, .buffered)
      try script.verify()
      try script.work()
      try script.verify()
    },
    CrashScenario("a large batch is layered over a tree (E17)", layered) { script in
      try plant(script)
      script.watch()
      try script.putLarge(8)
      try script.fill(3..<5)
      try script.work()
      try script.verify()
    },
    CrashScenario("a torn large batch over a tree, then a merge (E17)", layered) { script in
      try plant(script)
      script.before("write ", "") { script.dieBefore("write ", "") }
      script.database.expectsFaults = true
      try? script.putLarge(40)
      try script.expectInterrupted()
      script.watch()
      try script.kill()
      try script.fill(3..<5)
      try script.work()
      try script.verify()
    },
  ]

  // MARK: - Long values

  private static let longValues = [
    CrashScenario("long values come, are replaced, and go (E9)", small) { script in
      try plant(script)
      script.watch()
      try script.fill(10..<11, bytes: 70_000)
      try script.work()
      try script.fill(10..<11, bytes: 66_000)
      try script.work()
      try script.clear(10..<11)
      try script.work()
      try script.verify()
    },
    CrashScenario("a leaf with long values is written anew (E9)", small) { script in
      try plant(script)
      try script.fill(10..<12, bytes: 70_000)
      try script.work()
      script.watch()
      try script.fill(12..<13, bytes: 30)
      try script.clear(11..<12)
      try script.work()
      try script.verify()
      try script.kill()
      try script.verify()
    },
    CrashScenario("many small segments are written anew as few", small) { script in
      try plant(script, 800)
      try script.fill(5..<6, bytes: 70_000)
      // Each merge leaves a leaf of its own alive in its segment.
      var rounds = 0
      while script.database.engine.maintenance?.wantsRewrite != true, rounds < 80 {
        rounds += 1
        try script.fill(rounds * 10..<rounds * 10 + 1, bytes: 21)
        try script.work()
      }
      let count = script.database.engine.maintenance?.checkpoint?.record.segments.count ?? 0
      try expect(count > 60, "\(count) segments")
      script.watch()
      try script.fill(0..<1, bytes: 20)
      try script.work()
      let now = script.database.engine.maintenance?.checkpoint?.record.segments.count ?? 0
      try expect(now < count / 2, "\(now) segments after \(count)")
      try script.verify()
    },
  ]

  // MARK: - Failing merges

  private static let failingMerges = [
    CrashScenario("a slot is not written after a merge, another one is (E4)", small) { script in
      try plant(script)
      script.watch()
      script.database.expectsFaults = true
      for round in 0..<2 {
        script.database.files.inject(SimulatedFault(.write, pathSuffix: "SUPER", effect: .short(100, .io)))
        try script.fill(1..<3, bytes: 30 + round)
        try script.work()
      }
      try script.kill()
      try script.fill(5..<6, bytes: 32)
      try script.work()
    },
    CrashScenario("a slot's sync fails after a merge and loses it, another one holds (E4)", small) { script in
      try plant(script)
      script.watch()
      script.database.expectsFaults = true
      script.database.files.inject(SimulatedFault(.sync, pathSuffix: "SUPER", effect: .loseDirtyPages(.io)))
      try script.fill(1..<3, bytes: 30)
      try script.work()
      try script.kill()
      try script.fill(5..<6, bytes: 32)
      try script.work()
    },
    CrashScenario("both slots fail, and what they named stays until a later one holds (E4)", segmented) { script in
      try plant(script, 30)
      script.watch()
      for (round, call) in [SimulatedFault.Call.write, .sync].enumerated() {
        try script.fill(0..<30, bytes: 20 + round)
        try script.failMerge(SimulatedFault(call, times: 2, pathSuffix: "SUPER", effect: .loseDirtyPages(.io)))
      }
      try script.retryMerge()
      try script.verify()
      try script.fill(0..<3, bytes: 25)
      try script.work()
    },
    CrashScenario("a segment's sync fails in a merge, which is made anew", small) { script in
      try plant(script)
      script.watch()
      try script.fill(1..<3, bytes: 30)
      try script.failMerge(
        SimulatedFault(.sync, effect: .loseDirtyPages(.io)), before: "sync \(SimulatedDatabase.folder)/segments")
      try script.fill(3..<5, bytes: 31)
      try script.retryMerge()
      try script.verify()
    },
    CrashScenario("there is no room for a merge, and then there is", small) { script in
      try plant(script)
      script.watch()
      try script.fill(1..<3, bytes: 30)
      try script.failMerge(
        SimulatedFault([.create, .write, .allocate], effect: .fail(.resourceExhausted)),
        before: "create \(SimulatedDatabase.folder)/segments")
      try script.fill(3..<5, bytes: 31)
      try script.retryMerge()
      try script.verify()
    },
  ]

  // MARK: - Recoveries

  private static let recoveriesOverTrees = [
    CrashScenario("killed before a merge's segments have their names (E5)", small) { script in
      try plant(script)
      try script.fill(1..<3, bytes: 30)
      script.dieBefore("rename \(SimulatedDatabase.folder)/segments", "")
      try script.work()
      try script.expectInterrupted()
      script.watch()
      try script.kill()
      try script.fill(3..<4, bytes: 31)
      try script.work()
    },
    CrashScenario("killed before a merge's slot (E5)", small) { script in
      try plant(script)
      try script.fill(1..<3, bytes: 30)
      script.dieBeforeSlot()
      try script.work()
      script.watch()
      try script.kill()
      try script.fill(3..<4, bytes: 31)
      try script.work()
    },
    CrashScenario("recoveries in a row over a tree, each cut off (E5, E30)", small) { script in
      try plant(script)
      try script.fill(1..<3, .buffered, bytes: 30)
      script.watch()
      try script.kill()
      try script.powerCut(3)
      try script.fill(3..<4, .buffered, bytes: 31)
      try script.powerCut(4)
      try script.work()
      try script.verify()
    },
    CrashScenario("a power cut in a merge, then a merge and a close (E5)", small) { script in
      try plant(script)
      try script.fill(1..<3, bytes: 30)
      script.dieBeforeSlot()
      try script.work()
      try script.powerCut(7)
      script.watch()
      try script.fill(3..<4, bytes: 31)
      try script.work()
      try script.close()
    },
    CrashScenario("closed over a tree", small) { script in
      try plant(script)
      try script.fill(1..<3, .buffered, bytes: 30)
      script.watch()
      try script.close()
    },
  ]
}
