import HearthStorage

extension SimulatedFileSystem {
  /// What a power cut now could leave. The disk itself goes on unchanged.
  /// - Parameter unwritten: What stands in new blocks whose writes were lost.
  package func crash(unwritten: SimulatedCrash.Unwritten = .zeros) -> SimulatedCrash {
    withLock { SimulatedCrash(self, unwritten: unwritten) }
  }

  /// The disk after a power cut now, keeping of the unsynced operations what the seed says; unwritten places hold
  /// garbage half of the time.
  package func randomCrash(seed: UInt64) -> SimulatedFileSystem {
    let garbage = SeededRandom.mix(seed ^ 0x67_6172_6261_6765)
    return crash(unwritten: garbage & 1 == 0 ? .zeros : .garbage(seed: garbage)).randomImage(seed: seed)
  }

  /// The disk after a power cut that loses everything it may.
  package func durableImage() -> SimulatedFileSystem { crash().image { _ in false } }

  /// The disk as the next process finds it after this one was killed: every byte written is there, nothing more is
  /// durable than was, locks are free. The old system must not be used any more.
  package func killedProcess() -> SimulatedFileSystem {
    withLock {
      let copy = SimulatedFileSystem(sectorBytes: sectorBytes)
      copy.files = files.mapValues { file in
        var file = file
        file.openCount = 0
        file.lockOwnerToken = nil
        return file
      }
      copy.directories = directories
      copy.durableDirectories = durableDirectories
      copy.directoryOperations = directoryOperations
      copy.nextNode = nextNode
      // Calls of the two processes must not be taken for one.
      copy.continueNumbering(self)
      return copy
    }
  }

  /// Hash of all names and bytes as the program sees them, without those of the locks' owners, which differ from process
  /// to process. Equal for equal disks; of a crash image it counts distinct durable states.
  package var imageHash: UInt64 {
    withLock {
      var sum: UInt64 = 1
      walk { path, node in
        let content = path.hasSuffix("/LOCK") ? 0 : node.flatMap { files[$0]?.live.hash } ?? 0
        sum = SeededRandom.mix(sum ^ SimulatedBytes.hash(of: Array(path.utf8)) &+ content &+ (node == nil ? 1 : 2))
      }
      return sum
    }
  }

  /// Paths of all files, in byte order.
  package var allFiles: [String] {
    withLock {
      var paths: [String] = []
      walk { path, node in if node != nil { paths.append(path) } }
      return paths
    }
  }

  /// All files with their bytes, as the program sees them.
  package func snapshotLive() -> [String: [UInt8]] {
    withLock {
      var result: [String: [UInt8]] = [:]
      walk { path, node in if let node { result[path] = files[node]!.live.array } }
      return result
    }
  }

  /// A file's bytes as the program sees them; `nil` when there is none.
  package func imageBytes(_ path: String) -> [UInt8]? {
    withLock { fileNode(path).map { files[$0]!.live.array } }
  }

  /// A file's bytes that every crash keeps; `nil` when a crash may lose its name.
  package func durableBytes(_ path: String) -> [UInt8]? { durableImage().imageBytes(path) }

  // MARK: Damage at rest: the program and the disk both see it, nobody is told.

  package func flipBit(_ path: String, _ offset: Int, bit: Int = 0) {
    damage(path) { bytes in if offset < bytes.count { bytes.flipBit(bit, at: offset) } }
  }

  package func zero(_ path: String, _ range: Range<Int>) {
    damage(path) { $0.zero(range) }
  }

  package func cut(_ path: String, to byteCount: Int) {
    damage(path) { if byteCount < $0.count { $0.resize(to: byteCount) } }
  }

  package func overwrite(_ path: String, _ bytes: [UInt8], at offset: Int) {
    damage(path) { content in bytes.withUnsafeBytes { content.write($0, at: offset) } }
  }

  /// Puts a durable file there, as if by another program; replaces one of that name. The folder must exist.
  package func place(_ path: String, _ bytes: [UInt8]) {
    withLock {
      guard let found = try? find(path) else { preconditionFailure("No folder for \(path)") }
      if let replaced = directories[found.directory]![found.name] { files[replaced]?.isLinked = false }
      var file = SimulatedFileNode()
      file.live = SimulatedBytes(bytes)
      file.durable = file.live
      files[nextNode] = file
      directories[found.directory]![found.name] = nextNode
      durableDirectories[found.directory]![found.name] = nextNode
      nextNode += 1
    }
  }

  /// Makes a folder and its name durable at once, for the start of a test.
  package func placeDirectory(_ path: String) {
    withLock {
      guard let found = try? find(path), directories[found.directory]![found.name] == nil else {
        preconditionFailure("No room for the folder \(path)")
      }
      directories[nextNode] = [:]
      durableDirectories[nextNode] = [:]
      directories[found.directory]![found.name] = nextNode
      durableDirectories[found.directory]![found.name] = nextNode
      nextNode += 1
    }
  }

  private func damage(_ path: String, _ change: (inout SimulatedBytes) -> Void) {
    withLock {
      guard let node = fileNode(path) else { preconditionFailure("There is no file \(path) to damage") }
      change(&files[node]!.live)
      change(&files[node]!.durable)
    }
  }

  private func fileNode(_ path: String) -> Int? {
    guard let found = try? find(path), let node = directories[found.directory]![found.name], files[node] != nil else {
      return nil
    }
    return node
  }

  /// Everything with a name, in byte order; files with their node, folders with none.
  private func walk(_ body: (String, Int?) -> Void) {
    func visit(_ directory: Int, _ prefix: String) {
      for (name, node) in directories[directory]!.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
        let path = prefix + "/" + name
        if directories[node] != nil {
          body(path, nil)
          visit(node, path)
        } else {
          body(path, node)
        }
      }
    }
    visit(0, "")
  }
}
