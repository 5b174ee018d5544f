@testable import HearthStorage
@testable import HearthTestSupport

extension CrashScenario {
  /// A slot of `SUPER` that a killed process has written and not synced: the next process sees it, a power cut takes it
  /// back, and then the two before it must have all they need.
  static let slots = [
    CrashScenario(slotNotSynced, eager) { script in
      try beginCheckpoints(script)
      script.dieBefore("sync ", "/SUPER")
      try script.work()
      try script.expectInterrupted()
      script.alsoCheck = CrashScenario.checkWithoutNewestSlot(script)
      script.watch()
      try script.kill()
      try script.put("d", .buffered)
      try script.kill()
      try script.put("e")
    },
    CrashScenario("a slot that a killed process had not synced, and a damaged base (E3)", eager) { script in
      try beginCheckpoints(script)
      script.dieBefore("sync ", "/SUPER")
      try script.work()
      try script.expectInterrupted()
      script.alsoCheck = CrashScenario.checkWithoutNewestSegment(script)
      script.watch()
      try script.kill()
      try script.put("d", .buffered)
      try script.work()
      try script.put("e")
    },
    CrashScenario("the first checkpoint's slot was not synced by a killed process, then frames are torn (E6)", eager) {
      script in
      try script.open()
      try script.put("a")
      script.dieBefore("sync ", "/SUPER")
      try script.work()
      try script.expectInterrupted()
      script.watch()
      try script.kill()
      // The log goes on at the slot's position. Where a power cut takes back the slot, it is read from its beginning, and
      // what these frames say of before must prove nothing about themselves.
      try script.put("b", .buffered)
      try script.put("c", .buffered)
    },
    CrashScenario("killed while a close writes its slots (E3)", eager) { script in
      try beginCheckpoints(script)
      try script.work()
      // The first slot that the close writes, in which the log is not needed any more.
      script.dieBefore("sync ", "/SUPER")
      script.database.expectsFaults = true
      try? script.close()
      try script.expectInterrupted()
      script.alsoCheck = CrashScenario.checkWithoutNewestSlot(script)
      script.watch()
      try script.kill()
      try script.reopen()
      try script.put("e")
    },
  ]

  /// Noticed by it: `StorageFaults.slotNotSettled`.
  static let slotNotSynced = "a slot that a killed process had not synced, and a damaged one (E3)"

  /// Two checkpoints, and a third that is due.
  private static func beginCheckpoints(_ script: Script) throws {
    try script.open()
    for key in ["a", "b"] {
      try script.put(key)
      try script.work()
    }
    try script.put("c")
  }

  /// With the newest segment cut, everything must still be there, from the one before (E3).
  static func checkWithoutNewestSegment(_ script: Script) -> (SimulatedFileSystem, CrashChecker.Promise) throws -> Void
  {
    { image, promise in
      let copy = image.killedProcess()
      let slots = try SuperblockStore.read(directory: SimulatedDatabase.folder, fileSystem: copy)
      var found = slots.compactMap { if case .valid(let superblock) = $0 { superblock } else { nil } }
      found.sort { $0.number > $1.number }
      guard found.count >= 2, found[0].record != found[1].record, let record = found[0].record else { return }
      let path = SimulatedDatabase.segmentPath(record.place.segment)
      copy.cut(path, to: copy.byteCount(path) - 64)
      try within("without the newest segment") {
        _ = try script.checker.check(copy, promise, random: script.random, reopens: false)
      }
    }
  }
}
