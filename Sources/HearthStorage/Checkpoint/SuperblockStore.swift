/// The file `SUPER`: reads its four slots and writes the next one.
///
/// Slots are written in turn, never one of the two newest good ones: so a write that fails or tears leaves both
/// (E4). Not thread-safe: the checkpoint owns it.
final class SuperblockStore: @unchecked Sendable {
  static let fileName = "SUPER"
  static let freshName = "SUPER.new"

  let path: String
  private let fileSystem: any FileSystem
  private var file: any File
  /// What each slot holds as far as it is known; a slot whose write failed is unknown.
  private var slots: [Superblock?]
  private var lastSlot: Int
  private let faults = StorageFaults.injected
  /// Above the number of every slot ever seen, also of those that don't count.
  private(set) var nextNumber: UInt64

  private init(path: String, fileSystem: any FileSystem, file: any File, slots: [Superblock?], nextNumber: UInt64) {
    self.path = path
    self.fileSystem = fileSystem
    self.file = file
    self.slots = slots
    self.nextNumber = nextNumber
    lastSlot = slots.indices.max { (slots[$0]?.number ?? 0) < (slots[$1]?.number ?? 0) } ?? 0
  }

  /// All slots as they stand, without judging whether what they name exists.
  static func read(
    directory: String, fileSystem: any FileSystem
  ) throws(StorageError) -> [Superblock.Reading] {
    try read(file: directory + "/" + fileName, fileSystem: fileSystem)
  }

  /// All slots of a file that may have any name.
  static func read(file path: String, fileSystem: any FileSystem) throws(StorageError) -> [Superblock.Reading] {
    let file = try fileSystem.open(path, .read)
    defer { file.close() }
    let image = try file.readBytes(SuperblockFormat.slotBytes * SuperblockFormat.slotCount, at: 0)
    return (0..<SuperblockFormat.slotCount).map { slot in
      let start = slot * SuperblockFormat.slotBytes
      guard start < image.count else { return .invalid }
      let end = min(start + SuperblockFormat.slotBytes, image.count)
      return image[start..<end].withUnsafeBytes { Superblock.read($0, slot: slot) }
    }
  }

  /// - Parameter slots: by slot index, the superblocks that count.
  static func open(
    directory: String, fileSystem: any FileSystem, slots: [Superblock?], nextNumber: UInt64
  ) throws(StorageError) -> SuperblockStore {
    let path = directory + "/" + fileName
    return SuperblockStore(
      path: path, fileSystem: fileSystem, file: try fileSystem.open(path, .readWrite), slots: slots,
      nextNumber: nextNumber)
  }

  /// Makes the file of a new database, with its first slot; it appears under its name only when it is whole.
  static func create(
    directory: String, fileSystem: any FileSystem, first: Superblock
  ) throws(StorageError) -> SuperblockStore {
    let path = directory + "/" + fileName
    let freshPath = directory + "/" + freshName
    if try fileSystem.kind(of: freshPath) != nil { try fileSystem.remove(freshPath) }
    let file = try fileSystem.open(freshPath, .create)
    try file.allocate(UInt64(SuperblockFormat.slotBytes * SuperblockFormat.slotCount))
    try file.write(bytes: first.encoded(slot: 0), at: 0)
    try file.sync()
    try fileSystem.rename(freshPath, to: path)
    try fileSystem.syncDirectory(directory)
    return SuperblockStore(
      path: path, fileSystem: fileSystem, file: file, slots: [first, nil, nil, nil],
      nextNumber: first.number + 1)
  }

  /// The newest slot known to be good, and the one before it.
  var newest: (Superblock?, Superblock?) {
    let good = slots.compactMap { $0 }.sorted { $0.number > $1.number }
    return (good.first, good.dropFirst().first)
  }

  /// Writes `superblock` into the next slot and syncs it. After a failure another slot is tried once; then the error
  /// comes out, and what the slots tried hold is unknown until one of them is written again.
  func write(_ superblock: Superblock) throws(StorageError) {
    nextNumber = max(nextNumber, superblock.number + 1)
    do {
      try writeOnce(superblock)
    } catch {
      // A descriptor whose sync failed is not trusted again.
      file.close()
      file = try fileSystem.open(path, .readWrite)
      try writeOnce(superblock)
    }
  }

  private func writeOnce(_ superblock: Superblock) throws(StorageError) {
    let (first, second) = newest
    var slot = (lastSlot + 1) % SuperblockFormat.slotCount
    while let held = slots[slot], held == first || held == second {
      slot = (slot + 1) % SuperblockFormat.slotCount
    }
    if faults.contains(.newestSlotOverwritten) { slot = slots.firstIndex { $0 != nil && $0 == first } ?? 0 }
    lastSlot = slot
    slots[slot] = nil
    try file.write(bytes: superblock.encoded(slot: slot), at: UInt64(slot * SuperblockFormat.slotBytes))
    if !faults.contains(.slotNotSynced) { try file.sync() }
    slots[slot] = superblock
  }

  /// Makes sure that the slots are on the disk, before anything goes that only older ones need: the process that wrote
  /// the newest may have been killed before its sync, and then it is in the system's cache alone.
  func settle() throws(StorageError) {
    if !faults.contains(.slotNotSettled) { try file.sync() }
  }

  func close() {
    file.close()
  }
}
