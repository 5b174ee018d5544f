import Foundation
import HearthTestSupport
import Testing

@testable import HearthStorage

/// What only the operating system's files can show.
@Suite struct POSIXFileSystemTests {
  private let files = POSIXFileSystem()

  private func withFolder(_ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("hearth-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder.path)
  }

  @Test func errorsNameCallPathOffsetAndTheSystemsText() throws {
    try withFolder { folder in
      let path = folder + "/missing"
      let opening = #expect(throws: StorageError.self) { _ = try files.open(path, .read) }
      #expect(
        opening?.description
          == "notFound: The file could not be opened (\(path)): open: No such file or directory (2)")
      try files.open(path, .create).close()
      let readOnly = try files.open(path, .read)
      let writing = #expect(throws: StorageError.self) { try readOnly.write([1], at: 77) }
      #expect(
        writing?.description
          == "io: The file could not be written (\(path), offset 77): pwrite: Bad file descriptor (9)")
    }
  }

  @Test func allocatedFilesHaveRealBlocks() throws {
    try withFolder { folder in
      let file = try files.open(folder + "/a", .create)
      try file.allocate(3 << 20)
      try file.sync()
      var status = stat()
      #expect(stat(folder + "/a", &status) == 0)
      #expect(Int(status.st_blocks) * 512 >= 3 << 20)
    }
  }

  @Test func deviceAndPipeAreNoFiles() throws {
    try withFolder { folder throws in
      #expect(mkfifo(folder + "/pipe", 0o600) == 0)
      #expect(try files.kind(of: folder + "/pipe") == .other)
      for path in [folder + "/pipe", "/dev/null"] {
        let error = #expect(throws: StorageError.self) { _ = try files.open(path, .read) }
        #expect(error?.code == .io)
      }
    }
  }

  /// Bug log 192: a folder from a stranger leads to nothing outside of it.
  @Test func linksInPlaceOfFilesAreNeitherReadNorWritten() throws {
    try withFolder { folder throws in
      let secret = folder + "/secret"
      try files.open(secret, .create).write(Array("precious".utf8), at: 0)
      let owner = LockOwner(processID: 1, startTime: 1, host: "h")
      for (name, target) in [("link", secret), ("dangling", folder + "/made-through-a-link")] {
        let path = folder + "/" + name
        #expect(symlink(target, path) == 0)
        for mode in [FileOpenMode.read, .readWrite] {
          let error = #expect(throws: StorageError.self) { _ = try files.open(path, mode) }
          #expect(error?.description == "io: The path is a symbolic link; put the file itself there (\(path))")
        }
        #expect(throws: StorageError.self) { _ = try files.open(path, .create) }
        let locking = #expect(throws: StorageError.self) { _ = try files.lock(path, owner: owner) }
        #expect(locking?.message.contains("symbolic link") == true)
        #expect(throws: StorageError.self) { _ = try files.lockHolder(path) }
      }
      #expect(try files.kind(of: folder + "/made-through-a-link") == nil)
      let file = try files.open(secret, .read)
      #expect(try file.bytes(at: 0, count: Int(try file.size())) == Array("precious".utf8))
    }
  }

  @Test func aLockThatIsNoFileIsRefusedByName() throws {
    try withFolder { folder throws in
      #expect(mkfifo(folder + "/LOCK", 0o600) == 0)
      let error = #expect(throws: StorageError.self) {
        _ = try files.lock(folder + "/LOCK", owner: LockOwner(processID: 1, startTime: 1, host: ""))
      }
      #expect(error?.message.contains("something else than a file") == true)
      #expect(error?.place?.file == folder + "/LOCK")
    }
  }

  #if os(Linux)
  /// A device that is always full.
  @Test func aFullVolumeIsResourceExhausted() throws {
    let descriptor = Foundation.open("/dev/full", O_RDWR)
    try #require(descriptor >= 0)
    let file = POSIXFile(path: "/dev/full", descriptor: descriptor)
    let error = #expect(throws: StorageError.self) { try file.write([1], at: 0) }
    #expect(error?.code == .resourceExhausted)
    #expect(error?.cause == "pwrite: No space left on device (28)")
  }

  @Test func aReadOnlyVolumeIsPermissionDenied() {
    let error = #expect(throws: StorageError.self) { _ = try files.createDirectory("/proc/hearth") }
    #expect(error?.code == .notFound || error?.code == .permissionDenied)
    let locking = #expect(throws: StorageError.self) {
      _ = try files.lock("/proc/version", owner: LockOwner(processID: 1, startTime: 1, host: ""))
    }
    #expect(locking?.code == .permissionDenied || locking?.code == .io)
  }
  #endif

  @Test func aRecordedTraceShowsWhatSucceededInOrder() throws {
    try withFolder { folder in
      let recording = RecordingFileSystem(files, prefix: folder)
      let file = try recording.open(folder + "/a", .create)
      try file.write([1, 2], at: 7)
      try file.sync()
      #expect(throws: StorageError.self) { try recording.remove(folder + "/b") }
      try recording.syncDirectory(folder)
      recording.note("acknowledged")
      try recording.rename(folder + "/a", to: folder + "/b")
      #expect(
        recording.trace == [
          "create /a", "write /a @7 2", "sync /a", "syncDirectory ", "acknowledged", "rename /a -> /b",
        ])
    }
  }

  @Test func theVolumeHasRoom() throws {
    try withFolder { folder in
      let available = try #require(try files.availableBytes(at: folder))
      #expect(available > 0 && available < 1 << 60)
    }
  }

  @Test func whatLockFilesMaySayIsReadWithoutTrust() throws {
    #expect(LockOwner(text: []) == nil)
    #expect(LockOwner(text: Array("pid 1\nstarted 2\nhost x".utf8)) == nil)
    #expect(LockOwner(text: Array("pid x\nstarted 2\nhost x\n".utf8)) == nil)
    #expect(LockOwner(text: Array("pid 99999999999999\nstarted 2\nhost x\n".utf8)) == nil)
    #expect(LockOwner(text: [0xFF, 0xFE, 10]) == nil)
    let owner = LockOwner(processID: -5, startTime: .min, host: "a b")
    #expect(LockOwner(text: owner.text) == owner)
    // A hostile time must not trap on its way into the message.
    for time in [Int64.min, -1, 0, .max] {
      let error = LockOwner.lockedError("p", holder: LockOwner(processID: 1, startTime: time, host: ""))
      #expect(error.code == .locked)
    }
    #expect(
      LockOwner.lockedError("p", holder: LockOwner(processID: 1, startTime: 0, host: "")).message
        == "The database is open for writing in process 1 on this host since 1970-01-01 00:00:00 UTC; close it there")
  }

  /// A lock file whose text is of another, earlier process: only while locked does it count.
  @Test func aStaleLockFileHoldsNobodyUp() throws {
    try withFolder { folder in
      let path = folder + "/LOCK"
      try files.open(path, .create).write(Array(repeating: UInt8(ascii: "x"), count: 600), at: 0)
      #expect(try files.lockHolder(path) == nil)
      let owner = LockOwner.thisProcess(since: 17)
      let lock = try files.lock(path, owner: owner)
      defer { lock.release() }
      #expect(owner.processID == getpid())
      #expect(try files.lockHolder(path) == owner)
      #expect(try files.open(path, .read).size() == UInt64(owner.text.count))
    }
  }

  #if os(Linux)
  /// Another process holds the lock (flock's own command speaks another kind of lock, so Python asks for ours), is
  /// seen, and its death frees it.
  @Test func aDeadProcessLeavesNoLock() throws {
    let python = "/usr/bin/python3"
    guard FileManager.default.isExecutableFile(atPath: python) else { return }
    try withFolder { folder in
      let path = folder + "/LOCK"
      let script = """
        import fcntl, struct, sys, time, os
        f = open(sys.argv[1], "w+")
        fcntl.fcntl(f, 37, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0))
        f.write("pid %d\\nstarted 5000000\\nhost over-there\\n" % os.getpid()); f.flush()
        print("locked", flush=True)
        time.sleep(60)
        """
      let child = Process()
      child.executableURL = URL(fileURLWithPath: python)
      child.arguments = ["-c", script, path]
      let output = Pipe()
      child.standardOutput = output
      try child.run()
      var told = Data()
      while told.last != UInt8(ascii: "\n") {
        let more = output.fileHandleForReading.availableData
        try #require(!more.isEmpty, "Python could not lock")
        told += more
      }
      let holder = LockOwner(processID: child.processIdentifier, startTime: 5_000_000, host: "over-there")
      #expect(try files.lockHolder(path) == holder)
      let error = #expect(throws: StorageError.self) { _ = try files.lock(path, owner: .thisProcess(since: 0)) }
      #expect(error?.code == .locked)
      #expect(
        error?.message.contains("process \(child.processIdentifier) on host over-there since 1970-01-01 00:00:05 UTC")
          == true)
      kill(child.processIdentifier, SIGKILL)
      child.waitUntilExit()
      #expect(try files.lockHolder(path) == nil)
      try files.lock(path, owner: .thisProcess(since: 0)).release()
    }
  }
  #endif
}
