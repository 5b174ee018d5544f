import HearthTestSupport
import Testing

@testable import HearthStorage

/// Slots that check but were made by nobody who means well (bug log 189): no number in them traps.
struct SuperblockTests {
  static let fields: [(name: String, set: @Sendable (inout Superblock, UInt64) -> Void)] = [
    ("number", { $0.number = $1 }), ("lineage", { $0.lineage = $1 }),
    ("recordSegmentBytes", { $0.recordSegmentBytes = $1 }),
    ("record.segment", { $0.record?.place.segment = $1 }),
    ("record.unit", { $0.record?.place.unit = UInt32(truncatingIfNeeded: $1) }),
    ("record.byteCount", { $0.record?.byteCount = Int($1 & 0xFFFF_FFFF) }),
    ("commitVersion", { $0.commitVersion = $1 }),
    ("commitTime", { $0.commitTime = Int64(bitPattern: $1) }), ("logPosition", { $0.logPosition = $1 }),
    ("logGeneration", { $0.logGeneration = $1 }), ("stateBytes", { $0.stateBytes = $1 }),
    ("entryCounts[0]", { $0.entryCounts[0] = $1 }), ("entryCounts[2]", { $0.entryCounts[2] = $1 }),
  ]
  static let extremes: [UInt64] = [
    0, 1, 1 << 31, 1 << 62, (1 << 63) - 1, 1 << 63, UInt64.max - 4096, UInt64.max - 1, .max,
  ]

  /// Names and bytes of a database that was closed.
  private func closedDatabase() throws -> HostileFileTests.Files {
    let fileSystem = MemoryFileSystem()
    let engine = try StorageEngine.open(at: "/db", environment: HostileFileTests.environment(fileSystem))
    try put(engine, 1)
    try engine.close()
    return try HostileFileTests.files(fileSystem)
  }

  private func put(_ engine: StorageEngine, _ number: UInt8) throws {
    try engine.commit { view in
      var batch = KeyValueBatch(baseVersion: view.version)
      try batch.put(.documents, key: [number], value: [number], reading: view)
      return batch
    }
  }

  @Test(arguments: 0..<fields.count) func noNumberInASlotThatChecksTraps(field: Int) throws {
    let files = try closedDatabase()
    let image = try #require(files["SUPER"])
    let slots = (0..<SuperblockFormat.slotCount).compactMap { slot -> Superblock? in
      let start = slot * SuperblockFormat.slotBytes
      let reading = image[start..<start + SuperblockFormat.slotBytes].withUnsafeBytes {
        Superblock.read($0, slot: slot)
      }
      if case .valid(let superblock) = reading { return superblock }
      return nil
    }
    let newest = try #require(slots.max { $0.number < $1.number })
    #expect(newest.record != nil)
    var opened = 0
    for isBased in [true, false] {
      for value in Self.extremes {
        for readOnly in [true, false] {
          var forged = newest
          forged.number += 1
          if !isBased {
            (forged.record, forged.recordSegmentBytes, forged.stateBytes) = (nil, 0, 0)
            forged.entryCounts = [0, 0, 0]
          }
          Self.fields[field].set(&forged, value)
          var changed = files
          changed["SUPER"]?.replaceSubrange(
            3 * SuperblockFormat.slotBytes..<4 * SuperblockFormat.slotBytes, with: forged.encoded(slot: 3))
          let fileSystem = try HostileFileTests.place(changed)
          var options = StorageOptions()
          options.readOnly = readOnly
          do {
            let engine = try StorageEngine.open(
              at: "/db", options: options, environment: HostileFileTests.environment(fileSystem))
            opened += 1
            _ = try HostileFileTests.state(engine)
            if !readOnly { try put(engine, 2) }
            try engine.close()
            _ = try DatabaseReport("/db", fileSystem: fileSystem)
          } catch is StorageError {}
        }
      }
    }
    // Not everything may be refused: then nothing would be tried.
    #expect(opened > 0)
  }
}
