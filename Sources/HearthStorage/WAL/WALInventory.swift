/// What lies in the `wal` folder, by content.
struct WALInventory {
  struct Item {
    let path: String
    let header: WALFileHeader
    /// The file is shorter than its header says.
    let isCut: Bool
  }

  let directory: WALDirectory
  private(set) var logs: [Item] = []
  /// Files that promise nothing and may go: never finished, or made ahead.
  private(set) var unfinished: [String] = []
  /// Names that are not ours; left alone.
  private(set) var foreignNames: [String] = []
  /// The first thing found that no crash can leave behind.
  private(set) var damage: StorageError?
  /// Above every number in a name.
  private(set) var nextNumber: UInt64 = 1

  /// - Parameter lineage: of the database; a log of another one is damage.
  /// - Throws: `.unsupportedFormat` for a file of another format version; what reading throws.
  init(_ directory: WALDirectory, lineage: UInt64) throws(StorageError) {
    self.directory = directory
    let names: [String]
    do throws(StorageError) {
      names = try directory.fileSystem.contents(ofDirectory: directory.path)
    } catch {
      guard error.code == .notFound else { throw error }
      throw StorageError(.corruption, "the folder of the log is missing; put it back from a copy", file: directory.path)
    }
    for name in names {
      let path = directory.path + "/" + name
      guard let number = WALDirectory.number(of: name) else {
        foreignNames.append(name)
        continue
      }
      nextNumber = max(nextNumber, number &+ 1)
      if name.hasSuffix(WALDirectory.freshSuffix) {
        unfinished.append(path)
        continue
      }
      try add(path, directory.fileSystem, lineage: lineage)
    }
    logs.sort { ($0.header.firstPosition, $0.header.generation) < ($1.header.firstPosition, $1.header.generation) }
    for (a, b) in zip(logs, logs.dropFirst())
    where a.header.firstPosition == b.header.firstPosition && a.header.generation == b.header.generation {
      note("the same log file is here twice (\(a.path) is the other); move the copy away", b.path)
    }
  }

  private mutating func add(
    _ path: String, _ fileSystem: any FileSystem, lineage: UInt64
  ) throws(StorageError) {
    let file = try fileSystem.open(path, .read)
    defer { file.close() }
    switch try WALFileHeader.read(from: file) {
    case .invalid:
      note("the log file has no valid header", path)
    case .otherFormat(let version):
      throw StorageError(
        .unsupportedFormat,
        "log format \(version) is not the one this build reads (\(WALFormat.version)); use the build that wrote it",
        file: path, offset: UInt64(WALFormat.Header.version))
    case .valid(let header) where header.lineage != lineage:
      note("the log file belongs to another database; move it away", path)
    case .valid(let header):
      let item = Item(path: path, header: header, isCut: try file.size() < header.fileBytes)
      logs.append(item)
    }
  }

  private mutating func note(_ message: String, _ path: String) {
    if damage == nil { damage = StorageError(.corruption, message, file: path) }
  }
}
