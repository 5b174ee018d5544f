// A program to be killed: writes numbered commits and says on standard output which are acknowledged.
//
// Usage: hearth-test-writer FOLDER durable|buffered
// Commit n puts key n (8 bytes, big-endian) with a value made of n, and key 0 with n. A line "n" on standard output
// means that commit n was acknowledged.

import HearthStorage

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#endif

func bytes(_ number: UInt64) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { [UInt8]($0) } }

let arguments = CommandLine.arguments
guard arguments.count == 3 else { exit(2) }
let durability: Durability = arguments[2] == "durable" ? .durable : .buffered
var options = StorageOptions()
// Small, so that files are changed, bases written and large batches folded between two kills.
options.logFileBytesMax = 256 << 10
options.logBytesMax = 128 << 10
options.memtableBudgetBytes = 256 << 10
let clock = SystemClock()
let environment = StorageEnvironment(
  fileSystem: POSIXFileSystem(), clock: clock, executor: ThreadExecutor(clock: clock), random: SystemRandom())
do {
  let engine = try StorageEngine.open(at: arguments[1], options: options, environment: environment)
  var number = try engine.view().version
  while true {
    number += 1
    let value = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: number % 97 == 0 ? 80_000 : 200)
    try engine.commit(durability) { view in
      var batch = KeyValueBatch(baseVersion: view.version)
      try batch.put(.documents, key: bytes(0), value: bytes(number), reading: view)
      try batch.insert(.documents, key: bytes(number), value: bytes(number) + value)
      // Old ones go, so that the state stays small and the log outgrows it.
      if number > 200 { try batch.delete(.documents, key: bytes(number - 200), reading: view) }
      return batch
    }
    let line = [UInt8]("\(number)\n".utf8)
    guard write(1, line, line.count) == line.count else { exit(0) }
  }
} catch {
  let line = [UInt8]("failed: \(error)\n".utf8)
  _ = write(2, line, line.count)
  exit(1)
}
