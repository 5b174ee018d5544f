import HearthTestSupport

@testable import HearthStorage

/// A database to be damaged: its files, every state it went through, and where on disk each part of that stands.
struct DamageSample: Sendable, CustomStringConvertible {
  /// Bytes of a file.
  struct Piece: Hashable, Sendable {
    var file: String
    var range: Range<Int>
  }

  /// A frame of the log.
  struct Frame: Sendable {
    var piece: Piece
    /// Where its file begins, as a position.
    var firstPosition: UInt64
    var position: UInt64
    var end: UInt64
    var syncedThrough: UInt64
    var version: UInt64
    /// Whether the version is whole with it.
    var isLast: Bool
  }

  /// One entry of the newest checkpoint's trees with the blocks that lead to it.
  struct Entry: Sendable {
    var key: Bytes
    var path: [Piece]
  }

  let name: String
  let options: StorageOptions
  /// By name, within the folder.
  let files: [String: Bytes]
  /// By version.
  let states: [UInt64: ModelState]
  let lastVersion: UInt64
  /// The newest checkpoint; `nil` when none was made.
  private(set) var checkpoint: (number: UInt64, version: UInt64)?
  /// What the newest slot needs to count: the record, and the lengths of segments.
  private(set) var record: Piece?
  /// Pages and long values that the newest checkpoint's trees lead to.
  private(set) var live: Set<Piece> = []
  /// By `TreeID.rawValue`, in the order of keys.
  private(set) var entries: [[Entry]] = [[], [], []]
  private(set) var frames: [Frame] = []

  var description: String { name }

  init(_ name: String, options: StorageOptions, files: [String: Bytes], states: [UInt64: ModelState]) throws {
    self.name = name
    self.options = options
    self.files = files
    self.states = states
    lastVersion = states.keys.max() ?? 0
    let disk = MemoryFileSystem()
    for folder in ["/db", "/db/wal", "/db/segments"] { _ = try disk.createDirectory(folder) }
    for (name, bytes) in files { try disk.open("/db/" + name, .create).write(bytes, at: 0) }
    try readLog(disk)
    try readTrees(disk)
  }

  private mutating func readLog(_ disk: MemoryFileSystem) throws {
    for name in files.keys where name.hasPrefix("wal/") && name.hasSuffix(WALDirectory.fileSuffix) {
      var first: UInt64 = 0
      try WALDump.read("/db/" + name, fileSystem: disk) { item in
        switch item {
        case .header(let report): first = report.firstPosition ?? 0
        case .frame(let frame):
          // With its padding: without it a frame does not count.
          let start = Int(frame.offset)
          let byteCount = alignUp(UInt64(frame.byteCount), WALFormat.frameAlignment)
          frames.append(
            Frame(
              piece: Piece(file: name, range: start..<start + Int(byteCount)), firstPosition: first,
              position: frame.position, end: frame.position + byteCount,
              syncedThrough: frame.syncedThrough, version: frame.commitVersion,
              isLast: frame.kind == "commit" || frame.kind == "lastPart"))
        default: break
        }
        return true
      }
    }
    frames.sort { $0.position < $1.position }
  }

  private mutating func readTrees(_ disk: MemoryFileSystem) throws {
    let directory = SegmentDirectory(database: "/db", fileSystem: disk)
    guard let found = try CheckpointCheck.checkpoint(of: "/db", directory) else { return }
    checkpoint = (found.record.number, found.record.commitVersion)
    record = DamageSample.piece(found.place)
    let (readers, failures) = CheckpointCheck.open(found.record, directory)
    try expect(failures.isEmpty, "the sample \(name) is not whole")
    for tree in TreeID.allCases {
      let reader = TreeReader(found.record.roots[Int(tree.rawValue)], tree, SegmentSet(readers))
      guard let root = reader.root, let page = try reader.loadRoot() else { continue }
      try walk(page, [DamageSample.piece(root.child.base)], reader, tree)
    }
  }

  private mutating func walk(_ page: LoadedPage, _ path: [Piece], _ tree: TreeReader, _ id: TreeID) throws {
    live.formUnion(path)
    for index in 0..<page.reader.count {
      guard page.reader.isLeaf else {
        let child = DamageSample.piece(page.reader.child(index).base)
        try walk(try tree.load(child: index, of: page), path + [child], tree, id)
        continue
      }
      var path = path
      if page.reader.isBlob(index) {
        path.append(DamageSample.piece(try BlobReference(page.reader.value(index)).block))
      }
      live.formUnion(path)
      entries[Int(id.rawValue)].append(Entry(key: page.reader.key(index).bytes, path: path))
    }
  }

  static func piece(_ block: BlockReference) -> Piece {
    let start = Int(block.place.offset)
    let path = SegmentDirectory(database: "", fileSystem: MemoryFileSystem()).filePath(block.place.segment)
    return Piece(file: String(path.dropFirst()), range: start..<start + block.byteCount)
  }
}
