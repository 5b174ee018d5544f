import Testing

@testable import HearthStorage
@testable import HearthTestSupport

/// A small model on the real ``PageCache``, ``EpochDomain`` and ``TreeSnapshot``, exhausted: every interleaving of
/// readers in the middle of a descent, one that evicts what they look at, and a merge that publishes a new tree, lets
/// go of what it replaced, and removes the old segment. Frames are poisoned when they are freed, and every page that a
/// reader looks at is compared with the bytes that belong there.
struct PageMergeModelTests {
  private enum Mistake {
    case none
    /// A reader keeps a page beyond its pin.
    case unpinsEarly
    /// The old segment is written again instead of removed.
    case reusesSegment
  }

  /// Two trees on disk, the second made from the first by a merge; what each page holds; what a read must give.
  private struct Disk {
    static let key: Bytes = [20]
    var files: [String: Bytes] = [:]
    var roots: [TreeRoot] = []
    /// By the word of their place.
    var pages: [UInt64: Bytes] = [:]
    /// Places that the second tree no longer has.
    var replaced: [UInt64] = []
    let folder = "/db"

    init() throws {
      let (fileSystem, directory) = try Self.empty()
      let sizing = PageSizing(targetBytes: 600, grownBytesMax: 16 << 10, countMin: 3)
      let writer = try SegmentWriter(directory, segment: 1, lineage: 9, checkpoint: 1)
      let builder = TreeBuilder(writer, .documents, sizing: sizing)
      for number in UInt8(0)..<60 {
        let key: Bytes = [number]
        let value = Bytes(repeating: number, count: 20)
        try key.withKeyBytes { key in try value.withUnsafeBytes { try builder.append(key, $0) } }
      }
      let first = try #require(try builder.finish())
      _ = try writer.finish()
      let cache = PageCache(budgetBytes: 1 << 20, epochs: EpochDomain())
      let snapshot = TreeSnapshot(
        commitVersion: 1, roots: [first, nil, nil], segments: SegmentSet([try Self.open(directory, 1)]), cache: cache)

      let memtable = Memtable()
      var changes = Roots()
      let value = Bytes(repeating: 99, count: 20)
      Self.key.withUnsafeBytes { key in
        value.withUnsafeBytes { value in
          _ = try! memtable.apply(
            .replace, .documents, key: key, value: value, oldSize: 20, version: 2, number: 1, to: &changes)
        }
      }
      let second = try SegmentWriter(directory, segment: 2, lineage: 9, checkpoint: 2)
      let stack = LayerStack(top: LayerStack.Layer(memtable: memtable, roots: changes), snapshot: snapshot)
      let merge = try TreeMerge(stack, .documents, into: second, sizing: sizing, rewritesAll: false)
      while try !merge.step(budget: 100) {}
      let merged = try merge.finish()
      _ = try second.finish()
      roots = [first, try #require(merged.root)]
      replaced = merged.killed.map(\.place.word)
      try expect(first.level == 1 && replaced.count == 2, "level \(first.level), \(replaced.count) pages replaced")
      for segment: UInt64 in [1, 2] {
        let reader = try Self.open(directory, segment)
        for block in try reader.listBlocks().blocks {
          pages[block.reference.place.word] = try reader.withRaw(block.reference, expecting: .page) { Bytes($1) }
        }
        let path = directory.filePath(segment)
        files[path] = try fileSystem.open(path, .read).bytes(at: 0, count: Int(reader.fileBytes))
      }
    }

    static func empty() throws -> (MemoryFileSystem, SegmentDirectory) {
      let fileSystem = MemoryFileSystem()
      let directory = SegmentDirectory(database: "/db", fileSystem: fileSystem)
      _ = try fileSystem.createDirectory("/db")
      _ = try fileSystem.createDirectory(directory.path)
      return (fileSystem, directory)
    }

    static func open(_ directory: SegmentDirectory, _ segment: UInt64) throws -> SegmentReader {
      try SegmentReader.open(directory, segment: segment, lineage: 9)
    }

    /// All pages of a tree but those on the way to the key, which push these out.
    func others(than path: [UInt64]) -> [UInt64] { pages.keys.sorted().filter { !path.contains($0) } }
  }

  /// One run under one schedule.
  private final class World {
    let disk: Disk
    let mistake: Mistake
    let directory: SegmentDirectory
    let cache: PageCache
    var current: TreeSnapshot?
    var readers = [Reader(), Reader()]
    var isRight = true

    struct Reader {
      var snapshot: TreeSnapshot?
      var pin: EpochDomain.Pin?
      var root: PageReader?
      var leaf: PageReader?
    }

    init(_ disk: Disk, _ mistake: Mistake, budgetBytes: Int) throws {
      self.disk = disk
      self.mistake = mistake
      let (fileSystem, directory) = try Disk.empty()
      for (path, bytes) in disk.files { try fileSystem.open(path, .create).write(bytes, at: 0) }
      self.directory = directory
      cache = PageCache(budgetBytes: budgetBytes, epochs: EpochDomain())
      current = TreeSnapshot(
        commitVersion: 1, roots: [disk.roots[0], nil, nil], segments: SegmentSet([try Disk.open(directory, 1)]),
        cache: cache)
    }

    /// Whether the page still is what belongs in its place. Compares before anything in it is followed.
    private func isWhole(_ page: PageReader, _ place: UInt64) -> Bool {
      guard let bytes = disk.pages[place] else { return false }
      return bytes.withUnsafeBytes {
        $0.elementsEqual(UnsafeRawBufferPointer(start: page.start, count: bytes.count))
      }
    }

    // MARK: Readers

    func take(_ index: Int) { readers[index].snapshot = current }

    func pin(_ index: Int) { readers[index].pin = cache.epochs.pin() }

    func findRoot(_ index: Int) throws {
      guard let snapshot = readers[index].snapshot, let root = snapshot.root(.documents) else { return }
      readers[index].root = try snapshot.rootPage(root, .documents)
      if mistake == .unpinsEarly { unpin(index) }
    }

    func findLeaf(_ index: Int) throws {
      guard let snapshot = readers[index].snapshot, let root = readers[index].root,
        isWhole(root, snapshot.root(.documents)!.child.base.place.word)
      else {
        isRight = false
        return
      }
      let child = Disk.key.withKeyBytes { root.childIndex($0) }
      readers[index].leaf = try snapshot.child(child, of: root, .documents)
      // What the root says of its child is read again: it must still be there.
      isRight = isRight && isWhole(root, snapshot.root(.documents)!.child.base.place.word)
    }

    /// The value must be that of the tree which the reader took.
    func look(_ index: Int) {
      guard let snapshot = readers[index].snapshot, let root = readers[index].root, let leaf = readers[index].leaf,
        isWhole(root, snapshot.root(.documents)!.child.base.place.word)
      else {
        isRight = false
        return
      }
      let child = Disk.key.withKeyBytes { root.childIndex($0) }
      guard isWhole(leaf, root.childPlace(child)), let found = Disk.key.withKeyBytes({ leaf.find($0) }) else {
        isRight = false
        return
      }
      if leaf.value(found)[0] != (snapshot.commitVersion == 1 ? Disk.key[0] : 99) { isRight = false }
    }

    func unpin(_ index: Int) {
      if let pin = readers[index].pin { cache.epochs.unpin(pin) }
      readers[index].pin = nil
    }

    func end(_ index: Int) {
      unpin(index)
      readers[index] = Reader()
    }

    // MARK: The others

    /// Somebody reads other pages until nothing of before is left, and what nobody looks at is freed.
    func evict() throws {
      cache.epochs.withPin {
        for word: UInt64 in 1 << 40..<1 << 40 + 24 {
          _ = cache.page(word, .leaf) {
            let frame = PageFrame.allocate(200, place: word)
            frame.mutableBytes.initializeMemory(as: UInt8.self, repeating: 0x5A)
            return frame
          }
        }
      }
      cache.epochs.collect()
    }

    /// The new tree is there for who comes now.
    func publish() throws {
      var segments = SegmentSet([try Disk.open(directory, 2)])
      if let old = current?.segments[1] { segments.insert(old) }
      current = TreeSnapshot(commitVersion: 2, roots: [disk.roots[1], nil, nil], segments: segments, cache: cache)
    }

    /// What the merge wrote comes into the cache; what it replaced is not asked for any more.
    func warm() {
      for place in disk.others(than: disk.replaced) where place >> 32 == 2 {
        let bytes = disk.pages[place]!
        let frame = PageFrame.allocate(bytes.count, place: place)
        frame.mutableBytes.copyBytes(from: bytes)
        cache.insert(frame, .leaf)
      }
      for place in disk.replaced { cache.remove(place) }
      cache.epochs.collect()
    }

    /// The file of the old segment goes; who has it open reads on.
    func removeSegment() throws {
      let path = directory.filePath(1)
      if mistake == .reusesSegment {
        try directory.fileSystem.open(path, .readWrite).write(Bytes(repeating: 0, count: 20_000), at: 8192)
      } else {
        try directory.fileSystem.remove(path)
      }
    }
  }

  private typealias Step = @Sendable (World) throws -> Void

  /// - Returns: schedules run, and how many of them showed something wrong.
  private func explore(
    _ programs: [[Step]], mistake: Mistake = .none, budgetBytes: Int
  ) throws -> (schedules: Int, wrong: Int) {
    let disk = try Disk()
    var schedules = 0
    var wrong = 0
    var order: [Int] = []
    var rest = programs.map(\.count)
    func run() throws {
      schedules += 1
      let world = try World(disk, mistake, budgetBytes: budgetBytes)
      var done = programs.map { _ in 0 }
      do {
        for actor in order where world.isRight {
          try programs[actor][done[actor]](world)
          done[actor] += 1
        }
      } catch is StorageError {
        world.isRight = false
      }
      for index in world.readers.indices { world.end(index) }
      world.cache.epochs.collect()
      if !world.isRight { wrong += 1 }
      try expect(world.cache.epochs.waiting == 0, "frames are left: \(order)")
    }
    func descend() throws {
      guard rest.contains(where: { $0 > 0 }) else { return try run() }
      for actor in programs.indices where rest[actor] > 0 {
        rest[actor] -= 1
        order.append(actor)
        try descend()
        order.removeLast()
        rest[actor] += 1
      }
    }
    try descend()
    return (schedules, wrong)
  }

  private static func reader(_ index: Int) -> [Step] {
    [
      { $0.take(index) }, { $0.pin(index) }, { try $0.findRoot(index) }, { try $0.findLeaf(index) }, { $0.look(index) },
      { $0.end(index) },
    ]
  }

  /// Its steps in three.
  private static func briefReader(_ index: Int) -> [Step] {
    [
      {
        $0.take(index)
        $0.pin(index)
        try $0.findRoot(index)
      }, { try $0.findLeaf(index) },
      {
        $0.look(index)
        $0.end(index)
      },
    ]
  }

  private static let evictions: [Step] = [{ try $0.evict() }, { try $0.evict() }]
  private static let merge: [Step] = [{ try $0.publish() }, { $0.warm() }, { try $0.removeSegment() }]
  /// For the tree's own pages, or for one of them, which goes when the next one comes.
  private static let budgets = [4 << 10, 400]

  @Test(arguments: budgets) func noInterleavingTakesAPageFromItsReader(budgetBytes: Int) throws {
    let one = try explore([Self.reader(0), Self.evictions, Self.merge], budgetBytes: budgetBytes)
    #expect(one.schedules == 4_620 && one.wrong == 0)
    let two = try explore(
      [Self.briefReader(0), Self.briefReader(1), [Self.evictions[0]], Self.merge], budgetBytes: budgetBytes)
    #expect(two.schedules == 16_800 && two.wrong == 0)
    print("pages: \(one.schedules + two.schedules) interleavings of descents, evictions and a merge exhausted")
  }

  @Test func aReaderThatUnpinsEarlyIsNoticed() throws {
    let (_, wrong) = try explore(
      [Self.reader(0), [Self.evictions[0]], [Self.merge[0]]], mistake: .unpinsEarly, budgetBytes: 400)
    #expect(wrong > 0)
  }

  @Test func aSegmentThatIsWrittenAgainIsNoticed() throws {
    let (_, wrong) = try explore(
      [Self.reader(0), [Self.evictions[0]], Self.merge], mistake: .reusesSegment, budgetBytes: 400)
    #expect(wrong > 0)
  }
}
