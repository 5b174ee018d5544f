/// What the files of a database say, without replaying anything. For people and for a database in any state.
package struct DatabaseReport: Sendable {
  package struct Slot: Sendable {
    package let index: Int
    /// `valid`, `empty`, `damaged`, or what is unknown about it.
    package let state: String
    /// The fields of a valid one.
    package let number: UInt64?
    package let commitVersion: UInt64?
    package let commitTime: Int64?
    package let logPosition: UInt64?
    /// Whether it names a checkpoint; without one the state before the log is empty.
    package let hasCheckpoint: Bool?
    package let stateBytes: UInt64?
    /// Documents, index entries, catalog entries.
    package let entryCounts: [UInt64]?
    package let lineage: UInt64?
  }

  package struct LogFile: Sendable {
    package let path: String
    package let report: WALFileReport
  }

  package let directory: String
  package let slots: [Slot]
  package let files: [LogFile]
  /// Names in the folder and in its `wal` that are not the database's.
  package let foreignNames: [String]
  /// What kept something from being read; the rest of the report is there all the same.
  package let problems: [StorageError]
  /// Who has it open for writing.
  package let lockHolder: LockOwner?

  /// - Throws: `.notFound`, `.notADatabase`, or what reading the folder itself throws.
  package init(_ directory: String, fileSystem: any FileSystem) throws(StorageError) {
    self.directory = directory
    switch try fileSystem.kind(of: directory) {
    case .directory: break
    case nil: throw StorageError(.notFound, "there is no database here", file: directory)
    default: throw StorageError(.notADatabase, "a database is a folder, but this is a file", file: directory)
    }
    let names = try fileSystem.contents(ofDirectory: directory)
    let own = [
      SuperblockStore.fileName, SuperblockStore.freshName, StorageEngine.walName, StorageEngine.segmentsName,
      StorageEngine.lockName,
    ]
    var foreignNames = names.filter { !own.contains($0) }
    guard names.contains(SuperblockStore.fileName) || names.contains(StorageEngine.walName) else {
      if foreignNames.isEmpty { throw StorageError(.notFound, "there is no database here", file: directory) }
      throw StorageError(
        .notADatabase, "the folder holds other files (\(foreignNames[0])) and no database", file: directory)
    }
    var problems: [StorageError] = []
    func trying<R>(_ read: () throws(StorageError) -> R) -> R? {
      do throws(StorageError) {
        return try read()
      } catch {
        problems.append(error)
        return nil
      }
    }
    let readings =
      names.contains(SuperblockStore.fileName)
      ? trying { () throws(StorageError) in
        try SuperblockStore.read(directory: directory, fileSystem: fileSystem)
      } : nil
    slots = (readings ?? []).enumerated().map { Slot($0, $1) }
    var files: [LogFile] = []
    let wal = directory + "/" + StorageEngine.walName
    let walNames =
      names.contains(StorageEngine.walName)
      ? trying { () throws(StorageError) in try fileSystem.contents(ofDirectory: wal) } : nil
    for name in walNames ?? [] {
      let path = wal + "/" + name
      guard WALDirectory.number(of: name) != nil else {
        foreignNames.append(StorageEngine.walName + "/" + name)
        continue
      }
      let report = trying { () throws(StorageError) in try DatabaseReport.logFile(path, fileSystem) }
      if let report { files.append(LogFile(path: path, report: report)) }
    }
    self.files = files
    self.foreignNames = foreignNames
    let holder = trying { () throws(StorageError) in
      try fileSystem.lockHolder(directory + "/" + StorageEngine.lockName)
    }
    lockHolder = holder ?? nil
    self.problems = problems
  }

  private static func logFile(_ path: String, _ fileSystem: any FileSystem) throws(StorageError) -> WALFileReport {
    let file = try fileSystem.open(path, .read)
    defer { file.close() }
    let size = try file.size()
    return switch try WALFileHeader.read(from: file) {
    case .valid(let header): WALFileReport(header, fileBytes: size, problem: nil)
    case .otherFormat(let version): WALFileReport(nil, fileBytes: size, problem: "format \(version)")
    case .invalid:
      WALFileReport(
        nil, fileBytes: size, problem: path.hasSuffix(WALDirectory.freshSuffix) ? "unused" : "no valid header")
    }
  }
}

extension DatabaseReport.Slot {
  init(_ index: Int, _ reading: Superblock.Reading) {
    self.index = index
    var superblock: Superblock?
    switch reading {
    case .valid(let found):
      state = "valid"
      superblock = found
    case .empty: state = "empty"
    case .invalid: state = "damaged"
    case .otherFormat(let version): state = "format \(version)"
    case .unknownFeatures(let features): state = "unknown features 0x\(String(features, radix: 16))"
    }
    number = superblock?.number
    commitVersion = superblock?.commitVersion
    commitTime = superblock?.commitTime
    logPosition = superblock?.logPosition
    hasCheckpoint = superblock.map { $0.record != nil }
    stateBytes = superblock?.stateBytes
    entryCounts = superblock?.entryCounts
    lineage = superblock?.lineage
  }
}
