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
    package let hasBase: Bool?
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
  /// Names in the folder that are not the database's.
  package let foreignNames: [String]
  /// Who has it open for writing.
  package let lockHolder: LockOwner?

  /// - Throws: `.notFound`, `.notADatabase`, or what reading throws.
  package init(_ directory: String, fileSystem: any FileSystem) throws(StorageError) {
    self.directory = directory
    switch try fileSystem.kind(of: directory) {
    case .directory: break
    case nil: throw StorageError(.notFound, "there is no database here", file: directory)
    default: throw StorageError(.notADatabase, "a database is a folder, but this is a file", file: directory)
    }
    let names = try fileSystem.contents(ofDirectory: directory)
    guard names.contains(SuperblockStore.fileName) || names.contains(StorageEngine.walName) else {
      throw StorageError(.notADatabase, "the folder holds no database (no SUPER, no wal)", file: directory)
    }
    slots =
      names.contains(SuperblockStore.fileName)
      ? try SuperblockStore.read(directory: directory, fileSystem: fileSystem).enumerated().map { Slot($0, $1) } : []
    var files: [LogFile] = []
    let wal = directory + "/" + StorageEngine.walName
    for name in names.contains(StorageEngine.walName) ? try fileSystem.contents(ofDirectory: wal) : [] {
      let path = wal + "/" + name
      let file = try fileSystem.open(path, .read)
      defer { file.close() }
      let size = try file.size()
      let report: WALFileReport =
        switch try WALFileHeader.read(from: file) {
        case .valid(let header): WALFileReport(header, fileBytes: size, problem: nil)
        case .otherFormat(let version): WALFileReport(nil, fileBytes: size, problem: "format \(version)")
        case .invalid:
          WALFileReport(
            nil, fileBytes: size, problem: name.hasSuffix(WALDirectory.freshSuffix) ? "unused" : "no valid header")
        }
      files.append(LogFile(path: path, report: report))
    }
    self.files = files
    let own = [
      SuperblockStore.fileName, SuperblockStore.freshName, StorageEngine.walName, StorageEngine.lockName,
    ]
    foreignNames = names.filter { !own.contains($0) }
    lockHolder = try fileSystem.lockHolder(directory + "/" + StorageEngine.lockName)
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
    hasBase = superblock?.hasBase
    stateBytes = superblock?.stateBytes
    entryCounts = superblock?.entryCounts
    lineage = superblock?.lineage
  }
}
