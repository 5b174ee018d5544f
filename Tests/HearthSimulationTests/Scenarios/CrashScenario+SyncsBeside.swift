@testable import HearthStorage
@testable import HearthTestSupport

extension CrashScenario {
  @Sendable private static func overdueByBytes(_ options: inout StorageOptions) { options.unsyncedBytesMax = 1500 }

  /// `.buffered` commits are synced beside those who write: a flush notes up to where, the syncer syncs later, and claims
  /// no more than was noted.
  static let syncsBeside =
    [
      CrashScenario("a sync beside the writers, overdue by time") { script in
        try script.open()
        script.watch()
        try script.put("a", .buffered)
        try script.putOverdue("b")
        try script.syncBeside()
        try script.put("c", .buffered)
        try script.wait(seconds: 3)
        script.database.noteSynced()
        try script.put("d", .buffered)
      },
      CrashScenario("a sync beside the writers, overdue by bytes", overdueByBytes) { script in
        try script.open()
        script.watch()
        try script.put("a", .buffered, bytes: 900)
        try script.put("b", .buffered, bytes: 900)
        try script.expectNoted()
        try script.put("c", .buffered, bytes: 900)
        try script.syncBeside()
        try script.put("d", .buffered, bytes: 900)
      },
      CrashScenario("commits are written between the note and the sync (E7)") { script in
        try script.open()
        script.watch()
        try script.put("a", .buffered)
        try script.putOverdue("b")
        try script.put("c", .buffered)
        try script.put("d", .buffered, bytes: 3900)
        try script.syncBeside()
        try script.put("e", .buffered)
        try script.put("f")
      },
      CrashScenario(unwrittenBetweenNoteAndSync) { script in
        try script.open()
        script.watch()
        try script.put("a", .buffered)
        try script.putOverdue("b")
        try script.enqueue("c", .buffered, bytes: 4500)
        try script.syncBeside()
        try script.enqueue("d", .buffered)
        try script.work()
      },
      CrashScenario("a durable commit between the note and the sync") { script in
        try script.open()
        script.watch()
        try script.put("a", .buffered)
        try script.putOverdue("b")
        try script.put("c")
        try script.put("d", .buffered)
        try script.syncBeside()
        try script.put("e", .buffered)
        try script.put("f")
      },
      CrashScenario("the log goes on in another file between the note and the sync (E8)") { script in
        try script.open()
        script.watch()
        try script.put("a", .buffered, bytes: 4200)
        try script.putOverdue("b")
        try script.put("c", .buffered, bytes: 5000)
        try expect(SimulatedDatabase.logs(on: script.database.files).count == 2, "one file took them all")
        try script.syncBeside()
        try script.put("d", .buffered)
        try script.put("e")
      },
      CrashScenario("a merge between the note and the sync", eager) { script in
        try script.open()
        script.watch()
        try script.put("a", .buffered)
        try script.putOverdue("b")
        _ = script.database.engine.maintenanceStep()
        try expect(script.database.engine.maintenance?.merge != nil, "no merge has begun")
        try script.syncBeside()
        try script.work()
        try script.put("c", .buffered)
        try script.kill()
        try script.put("d")
      },
      CrashScenario("a commit is given up between the note and the sync") { script in
        try script.open()
        try script.put("a", .buffered, bytes: 4200)
        script.watch()
        try script.putOverdue("b")
        script.database.expectsFaults = true
        script.database.files.inject(SimulatedFault(.create, effect: .fail(.resourceExhausted)))
        try script.database.commit(.buffered) { batch, _, _ in
          try batch.put(.documents, [99], Bytes(repeating: 9, count: 5000))
        }
        try expect(script.database.history.commits.last?.fate == .failed, "there was room")
        try script.syncBeside()
        try script.put("d", .buffered)
        try script.put("e")
        try script.verify()
      },
      CrashScenario("killed between the note and the sync") { script in
        try script.open()
        script.watch()
        try script.put("a", .buffered)
        try script.putOverdue("b")
        try script.put("c", .buffered)
        try script.kill()
        try script.put("d", .buffered)
        try script.putOverdue("e")
        try script.powerCut(3)
        try script.put("f")
      },
      CrashScenario("closed between the note and the sync") { script in
        try script.open()
        script.watch()
        try script.put("a", .buffered)
        try script.putOverdue("b")
        try script.enqueue("c", .buffered)
        try script.reopen()
        try script.put("d")
      },
    ] + failingSyncs

  /// Noticed by it: `StorageFaults.claimedBesideTooMuch`.
  static let unwrittenBetweenNoteAndSync = "commits wait, not written yet, while a sync beside is made (E6)"

  /// After a failed sync nobody knows what the disk holds, and the system tells it once: no later commit counts on it.
  private static let failingSyncs = [
    ("EIO", SimulatedFault.Effect.fail(.io)), ("EIO that loses the pages", .loseDirtyPages(.io)),
  ].flatMap { name, effect in
    [
      CrashScenario("a sync beside fails, \(name)") { script in
        try script.open()
        try script.put("a")
        script.watch()
        try script.put("b", .buffered)
        try script.putOverdue("c")
        try script.enqueue("d", .buffered)
        try script.enqueue("e")
        try script.syncBesideFailing(effect)
        try script.work()
        try expect(script.database.history.commits.suffix(2).allSatisfy { $0.fate == .failed }, "a commit came through")
        try expect(!script.database.isWritable, "writing goes on after a failed sync")
        try script.putRefused("f")
        try script.putRefused("g", .buffered)
        try script.verify()
        try script.reopen()
        try script.put("h")
      },
      CrashScenario("a sync beside fails, \(name), and nobody commits") { script in
        try script.open()
        script.watch()
        try script.put("b", .buffered)
        try script.putOverdue("c")
        try script.syncBesideFailing(effect)
        // The syncer itself finds out with the next sync that is due.
        try script.wait(seconds: 1)
        try expect(!script.database.isWritable, "writing goes on after a failed sync")
        try script.kill()
        try script.put("h", .buffered)
      },
      CrashScenario("a sync beside fails, \(name), while a durable commit is written") { script in
        try script.open()
        script.watch()
        try script.put("b", .buffered)
        try script.putOverdue("c")
        script.before("write ", "") { try script.syncBesideFailing(effect) }
        try script.putRefused("d")
        try script.expectInterrupted()
        try expect(!script.database.isWritable, "writing goes on after a failed sync")
        try script.reopen()
        try script.put("h")
      },
      CrashScenario("a sync beside fails, \(name), while the log goes on in another file") { script in
        try script.open()
        try script.put("a", bytes: 4200)
        script.watch()
        try script.put("b", .buffered)
        try script.putOverdue("c")
        script.before("allocate ", "") { try script.syncBesideFailing(effect) }
        script.database.expectsFaults = true
        try script.put("d", .buffered, bytes: 5000)
        try script.expectInterrupted()
        try expect(script.database.history.commits.last?.fate == .failed, "the next file was begun")
        try script.reopen()
        try script.put("h")
      },
      CrashScenario("a sync beside fails, \(name), while a buffered commit is written") { script in
        try script.open()
        script.watch()
        try script.put("b", .buffered)
        try script.putOverdue("c")
        script.before("write ", "") { try script.syncBesideFailing(effect) }
        try script.put("d", .buffered)
        try script.expectInterrupted()
        try script.putRefused("e")
        try script.reopen()
        try script.put("h")
      },
      CrashScenario("a sync fails, \(name), while a database is closed that noted one") { script in
        try script.open()
        script.watch()
        try script.put("a", .buffered)
        try script.putOverdue("b")
        try script.enqueue("c")
        script.database.expectsFaults = true
        script.database.files.inject(SimulatedFault(.sync, effect: effect))
        try script.reopen()
        try script.put("h")
      },
    ]
  }
}
