import Foundation
import Testing

@testable import HearthStorage
@testable import HearthTestSupport

/// Sixteen real threads that write what they derive from what is there, on few keys, under settings that keep bases,
/// folds and new files going on beside them.
struct HammeringTests {
  private final class Log: @unchecked Sendable {
    struct Entry {
      var version: UInt64
      var key: UInt8
      var value: UInt64
    }
    private let lock = Lock()
    private var entries: [Entry] = []
    private var failures: [String] = []
    func add(_ entry: Entry) { lock.withLock { entries.append(entry) } }
    func fail(_ text: String) { lock.withLock { failures.append(text) } }
    var all: [Entry] { lock.withLock { entries } }
    var errors: [String] { lock.withLock { failures } }
  }

  static let threads = 16
  static let keys: UInt8 = 5

  private func number(_ bytes: Bytes) -> UInt64 { bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) } }
  private func bytes(_ number: UInt64) -> Bytes {
    (0..<8).map { UInt8(truncatingIfNeeded: number >> UInt64(56 - 8 * $0)) }
  }

  private func environment(_ files: SimulatedFileSystem) -> StorageEnvironment {
    let clock = SystemClock()
    return StorageEnvironment(
      fileSystem: files, clock: clock, executor: ThreadExecutor(clock: clock), random: SystemRandom())
  }

  private var options: StorageOptions {
    Script.options {
      $0.logBytesMax = 16 << 10
      $0.logFileBytesMax = 64 << 10
      $0.memtableBudgetBytes = 64 << 10
      $0.largeBatchBytesMax = 2 << 10
      $0.pageBytes = 512
      $0.pageCacheBytes = 32 << 10
    }
  }

  /// Every counter is derived from its value before; a third of the commits is durable, some are large.
  private func hammer(_ engine: StorageEngine, _ log: Log, rounds: Int, durable: Int) -> [Thread] {
    (0..<Self.threads).map { index in
      let thread = Thread {
        for round in 0..<rounds {
          let key = UInt8((index * 7 + round) % Int(Self.keys))
          var value: UInt64 = 0
          do {
            let receipt = try engine.commit(round % durable == 0 ? .durable : .buffered) { view in
              var batch = KeyValueBatch(baseVersion: view.version)
              value = (try view.get(.documents, [key]).map { self.number($0) } ?? 0) + 1
              try batch.put(.documents, key: [key], value: self.bytes(value), reading: view)
              if round % 24 == 23 {
                for part in 0..<12 {
                  try batch.put(
                    .indexes, key: [UInt8(index), UInt8(part)], value: Bytes(repeating: UInt8(part), count: 250),
                    reading: view)
                }
              }
              return batch
            }
            log.add(Log.Entry(version: receipt.version, key: key, value: value))
          } catch {
            log.fail("\(error)")
          }
        }
      }
      thread.stackSize = 4 << 20
      return thread
    }
  }

  private func run(_ threads: [Thread]) {
    for thread in threads { thread.start() }
    while !threads.allSatisfy(\.isFinished) { usleep(2000) }
  }

  @Test func theFinalStateExplainsEveryAcknowledgedCommit() throws {
    let files = SimulatedDatabase.disk()
    var engine = try StorageEngine.open(at: SimulatedDatabase.folder, options: options, environment: environment(files))
    let log = Log()
    let rounds = 120
    run(hammer(engine, log, rounds: rounds, durable: 3))
    #expect(log.errors == [])
    let entries = log.all.sorted { $0.version < $1.version }
    #expect(entries.count == Self.threads * rounds)
    #expect(Set(entries.map(\.version)).count == entries.count)
    // In the order of versions each counter goes up by one.
    var counters = [UInt64](repeating: 0, count: Int(Self.keys))
    for entry in entries {
      counters[Int(entry.key)] += 1
      #expect(entry.value == counters[Int(entry.key)], "version \(entry.version) of key \(entry.key)")
    }
    func check(_ engine: StorageEngine) throws {
      let view = try engine.view()
      for key in 0..<Self.keys { #expect(try view.get(.documents, [key]).map { number($0) } == counters[Int(key)]) }
      #expect(try view.count(.documents) == Int(Self.keys))
      #expect(try view.count(.indexes) == Self.threads * 12)
      #expect(view.version == entries.last?.version)
    }
    try check(engine)
    try engine.close()
    engine = try StorageEngine.open(at: SimulatedDatabase.folder, options: options, environment: environment(files))
    try check(engine)
    try engine.close()
  }

  /// The power fails while all sixteen write: what was acknowledged as durable before is there, and what is there is
  /// the state after some commit.
  @Test func aPowerCutAmongSixteenThreadsLeavesAPrefix() throws {
    for round in 0..<6 {
      let files = SimulatedDatabase.disk()
      let engine = try StorageEngine.open(
        at: SimulatedDatabase.folder, options: options, environment: environment(files))
      let log = Log()
      let threads = hammer(engine, log, rounds: 60, durable: 1)
      for thread in threads { thread.start() }
      var crashes: [(promised: UInt64, image: SimulatedFileSystem)] = []
      while !threads.allSatisfy(\.isFinished) {
        usleep(5000)
        guard crashes.count < 12 else { continue }
        let promised = log.all.map(\.version).max() ?? 0
        crashes.append((promised, files.randomCrash(seed: UInt64(round * 100 + crashes.count))))
      }
      #expect(log.errors == [])
      let entries = log.all.sorted { $0.version < $1.version }
      for (promised, image) in crashes {
        let recovered = try StorageEngine.open(
          at: SimulatedDatabase.folder, options: options, environment: environment(image))
        let view = try recovered.view()
        #expect(view.version >= promised)
        for key in 0..<Self.keys {
          let wanted = entries.last { $0.key == key && $0.version <= view.version }?.value
          #expect(try view.get(.documents, [key]).map { number($0) } == wanted, "key \(key) at version \(view.version)")
        }
        recovered.abandon()
      }
      try engine.close()
    }
  }
}
