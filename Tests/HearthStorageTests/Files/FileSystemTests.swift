import Foundation
import HearthTestSupport
import Testing

@testable import HearthStorage

/// One suite, every implementation: what the engine may rely on whatever it runs on.
@Suite struct FileSystemTests {
  enum Kind: CaseIterable { case posix, memory, simulated, recording }

  /// Runs the body with a file system of that kind and a fresh folder in it.
  private func with(_ kind: Kind, _ body: (any FileSystem, String) throws -> Void) throws {
    switch kind {
    case .posix, .recording:
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent("hearth-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
      defer { try? FileManager.default.removeItem(at: folder) }
      let files = POSIXFileSystem()
      try body(kind == .posix ? files : RecordingFileSystem(files, prefix: folder.path), folder.path)
    case .memory:
      let files = MemoryFileSystem()
      #expect(try files.createDirectory("/db"))
      try body(files, "/db")
    case .simulated:
      let files = SimulatedFileSystem()
      #expect(try files.createDirectory("/db"))
      try body(files, "/db")
    }
  }

  private func code(_ body: () throws -> Void) -> StorageError.Code? {
    do {
      try body()
      return nil
    } catch {
      return (error as? StorageError)?.code
    }
  }

  @Test(arguments: Kind.allCases) func bytesComeBackWhereTheyWereWritten(_ kind: Kind) throws {
    try with(kind) { files, folder in
      let file = try files.open(folder + "/a", .create)
      #expect(try file.size() == 0)
      try file.write(Array("hello".utf8), at: 0)
      try file.write(Array("there".utf8), at: 10)
      #expect(try file.size() == 15)
      #expect(try file.bytes(at: 0, count: 15) == Array("hello\0\0\0\0\0there".utf8))
      try file.write(Array("J".utf8), at: 0)
      #expect(try file.bytes(at: 0, count: 5) == Array("Jello".utf8))
      file.close()
      let again = try files.open(folder + "/a", .read)
      #expect(try again.bytes(at: 3, count: 2) == Array("lo".utf8))
    }
  }

  @Test(arguments: Kind.allCases) func readsAreShortOnlyAtTheEnd(_ kind: Kind) throws {
    try with(kind) { files, folder in
      let file = try files.open(folder + "/a", .create)
      try file.write([1, 2, 3], at: 0)
      #expect(try file.bytes(at: 1, count: 10) == [2, 3])
      #expect(try file.bytes(at: 3, count: 10) == [])
      #expect(try file.bytes(at: 1 << 40, count: 10) == [])
      #expect(try file.bytes(at: .max, count: 10) == [])
      #expect(try file.bytes(at: 0, count: 0) == [])
    }
  }

  /// Across chunk and sector bounds, in pieces of odd sizes.
  @Test(arguments: Kind.allCases) func largeWritesKeepEveryByte(_ kind: Kind) throws {
    try with(kind) { files, folder in
      let file = try files.open(folder + "/a", .create)
      let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 131 &+ $0 >> 9) }
      var offset = 0
      var piece = 1
      while offset < bytes.count {
        let end = min(bytes.count, offset + piece)
        try file.write(Array(bytes[offset..<end]), at: UInt64(offset))
        offset = end
        piece = piece &* 3 % 70_001 + 1
      }
      try file.write(Array(bytes[65_000..<200_000]), at: 65_000)
      #expect(try file.bytes(at: 0, count: 400_000) == bytes)
    }
  }

  @Test(arguments: Kind.allCases) func allocationKeepsBytesAndReadsAsZeros(_ kind: Kind) throws {
    try with(kind) { files, folder in
      let file = try files.open(folder + "/a", .create)
      try file.write([1, 2, 3], at: 0)
      try file.allocate(1_500_000)
      #expect(try file.size() == 1_500_000)
      #expect(try file.bytes(at: 0, count: 2_000_000) == [1, 2, 3] + [UInt8](repeating: 0, count: 1_499_997))
      try file.allocate(10)
      #expect(try file.size() == 1_500_000)
    }
  }

  @Test(arguments: Kind.allCases) func whatWasCutOffReadsAsZerosAfterGrowing(_ kind: Kind) throws {
    try with(kind) { files, folder in
      let file = try files.open(folder + "/a", .create)
      try file.write([UInt8](repeating: 7, count: 200_000), at: 0)
      try file.truncate(to: 70_000)
      #expect(try file.size() == 70_000)
      try file.truncate(to: 200_000)
      let expected = [UInt8](repeating: 7, count: 70_000) + [UInt8](repeating: 0, count: 130_000)
      #expect(try file.bytes(at: 0, count: 200_000) == expected)
      try file.truncate(to: 0)
      #expect(try file.size() == 0)
    }
  }

  @Test(arguments: Kind.allCases) func foldersListTheirNamesInByteOrder(_ kind: Kind) throws {
    try with(kind) { files, folder in
      #expect(try files.contents(ofDirectory: folder) == [])
      for name in ["b", "B", "a", "10", "9", "é", "z"] { try files.open(folder + "/" + name, .create).close() }
      #expect(try files.createDirectory(folder + "/sub"))
      #expect(try !files.createDirectory(folder + "/sub"))
      #expect(try files.contents(ofDirectory: folder) == ["10", "9", "B", "a", "b", "sub", "z", "é"])
      #expect(try files.contents(ofDirectory: folder + "/sub") == [])
      #expect(try files.kind(of: folder + "/sub") == .directory)
      #expect(try files.kind(of: folder + "/a") == .file)
      #expect(try files.kind(of: folder + "/none") == nil)
      #expect(try files.kind(of: folder + "/none/deeper") == nil)
      #expect(try files.kind(of: folder + "/a/deeper") == nil)
      try files.syncDirectory(folder)
    }
  }

  @Test(arguments: Kind.allCases) func renamingReplacesWhatHadTheName(_ kind: Kind) throws {
    try with(kind) { files, folder in
      let old = try files.open(folder + "/a", .create)
      try old.write([1], at: 0)
      let new = try files.open(folder + "/b", .create)
      try new.write([2, 2], at: 0)
      try files.rename(folder + "/b", to: folder + "/a")
      #expect(try files.contents(ofDirectory: folder) == ["a"])
      #expect(try files.open(folder + "/a", .read).bytes(at: 0, count: 9) == [2, 2])
      // The replaced file lives on for who has it open.
      #expect(try old.bytes(at: 0, count: 9) == [1])
      try files.rename(folder + "/a", to: folder + "/a")
      #expect(try files.contents(ofDirectory: folder) == ["a"])
    }
  }

  @Test(arguments: Kind.allCases) func aRemovedFileStaysReadableWhileOpen(_ kind: Kind) throws {
    try with(kind) { files, folder in
      let file = try files.open(folder + "/a", .create)
      try file.write([1, 2], at: 0)
      try files.remove(folder + "/a")
      #expect(try files.kind(of: folder + "/a") == nil)
      #expect(try file.bytes(at: 0, count: 9) == [1, 2])
      try files.open(folder + "/a", .create).write([3], at: 0)
      #expect(try file.bytes(at: 0, count: 9) == [1, 2])
    }
  }

  @Test(arguments: Kind.allCases) func eachMistakeHasItsCode(_ kind: Kind) throws {
    try with(kind) { files, folder in
      let file = folder + "/file"
      let missing = folder + "/missing"
      let sub = folder + "/sub"
      try files.open(file, .create).write([1], at: 0)
      _ = try files.createDirectory(sub)
      try files.open(sub + "/inside", .create).close()

      #expect(code { _ = try files.open(missing, .read) } == .notFound)
      #expect(code { _ = try files.open(missing, .readWrite) } == .notFound)
      #expect(code { _ = try files.open(missing + "/x", .create) } == .notFound)
      #expect(code { _ = try files.open(file, .create) } == .io)
      #expect(code { _ = try files.open(sub, .read) } == .io)
      #expect(code { _ = try files.open(sub, .readWrite) } == .io)
      #expect(code { _ = try files.open(file + "/x", .read) } == .io)
      #expect(code { try files.rename(missing, to: file) } == .notFound)
      #expect(code { try files.rename(file, to: sub) } == .io)
      #expect(code { try files.remove(missing) } == .notFound)
      #expect(code { try files.remove(sub) } == .io)
      #expect(code { try files.removeDirectory(sub) } == .io)
      #expect(code { try files.removeDirectory(missing) } == .notFound)
      #expect(code { try files.removeDirectory(file) } == .io)
      #expect(code { _ = try files.createDirectory(file) } == .io)
      #expect(code { _ = try files.createDirectory(missing + "/x") } == .notFound)
      #expect(code { _ = try files.contents(ofDirectory: missing) } == .notFound)
      #expect(code { _ = try files.contents(ofDirectory: file) } == .io)
      #expect(code { try files.syncDirectory(missing) } == .notFound)
      #expect(code { _ = try files.availableBytes(at: missing) } == .notFound)
      #expect(code { _ = try files.open(folder + "/fi\0le", .read) } == .invalidArgument)
      #expect(code { _ = try files.kind(of: "") } == .invalidArgument)

      let readOnly = try files.open(file, .read)
      #expect(code { try readOnly.write([1], at: 0) } == .io)
      #expect(code { try readOnly.truncate(to: 0) } == .io)
      let writable = try files.open(file, .readWrite)
      #expect(code { try writable.write([1], at: .max) } == .io)
      #expect(code { try writable.truncate(to: .max) } == .io)
      writable.close()
      writable.close()
      #expect(code { try writable.write([1], at: 0) } == .closed)
      #expect(code { _ = try writable.bytes(at: 0, count: 1) } == .closed)
      #expect(code { try writable.sync() } == .closed)

      // None of it changed anything.
      #expect(try files.contents(ofDirectory: folder) == ["file", "sub"])
      #expect(try files.open(file, .read).bytes(at: 0, count: 9) == [1])
      try files.remove(sub + "/inside")
      try files.removeDirectory(sub)
      #expect(try files.contents(ofDirectory: folder) == ["file"])
    }
  }

  @Test(arguments: Kind.allCases) func theSecondWriterLearnsWhoTheFirstIs(_ kind: Kind) throws {
    try with(kind) { files, folder in
      let path = folder + "/LOCK"
      #expect(try files.lockHolder(path) == nil)
      #expect(try files.lockHolder(folder + "/none/LOCK") == nil)
      let owner = LockOwner(processID: 4711, startTime: 1_790_000_000_123_456, host: "kiln")
      let lock = try files.lock(path, owner: owner)
      #expect(try files.lockHolder(path) == owner)
      let text = try files.open(path, .read)
      #expect(
        try String(decoding: text.bytes(at: 0, count: 999), as: UTF8.self)
          == "pid 4711\nstarted 1790000000123456\nhost kiln\n")

      let other = LockOwner(processID: 9, startTime: 0, host: "")
      let error = #expect(throws: StorageError.self) { _ = try files.lock(path, owner: other) }
      #expect(
        error?.description
          == "locked: The database is open for writing in process 4711 on host kiln since 2026-09-21 14:13:20 UTC; "
          + "close it there (\(path))")
      #expect(try files.lockHolder(path) == owner)

      lock.release()
      lock.release()
      #expect(try files.lockHolder(path) == nil)
      let next = try files.lock(path, owner: other)
      #expect(try files.lockHolder(path) == other)
      lock.release()
      #expect(try files.lockHolder(path) == other)
      next.release()
    }
  }

  @Test(arguments: Kind.allCases) func aLockGoesWithItsObject(_ kind: Kind) throws {
    try with(kind) { files, folder in
      let owner = LockOwner(processID: 1, startTime: 2, host: "h")
      _ = try files.lock(folder + "/LOCK", owner: owner)
      #expect(try files.lockHolder(folder + "/LOCK") == nil)
    }
  }

  @Test(arguments: Kind.allCases) func threadsMayShareFilesAndFolders(_ kind: Kind) throws {
    try with(kind) { files, folder in
      let shared = try files.open(folder + "/shared", .create)
      DispatchQueue.concurrentPerform(iterations: 4) { worker in
        do {
          for round in 0..<50 {
            let value = [UInt8](repeating: UInt8(worker + 1), count: 1000)
            try shared.write(value, at: UInt64((round * 4 + worker) * 1000))
            let name = folder + "/\(worker)"
            try files.open(name, .create).write(value, at: 0)
            try files.rename(name, to: name + "x")
            try files.remove(name + "x")
          }
        } catch {
          Issue.record("\(error)")
        }
      }
      let expected = (0..<200).flatMap { [UInt8](repeating: UInt8($0 % 4 + 1), count: 1000) }
      #expect(try shared.bytes(at: 0, count: 300_000) == expected)
      #expect(try files.contents(ofDirectory: folder) == ["shared"])
    }
  }
}
