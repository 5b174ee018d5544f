/// Loads a base: one batch of inserts in key order, tree by tree, that holds a whole state.
enum BaseReader {
  /// The base as the bottom layer of a stack.
  ///
  /// - Throws: `.corruption` when anything in it is not as it was written, or it is not the base `superblock` names.
  static func load(
    _ item: WALInventory.Item, _ superblock: Superblock, fileSystem: any FileSystem, number: UInt64
  ) throws(StorageError) -> LayerStack.Layer {
    let file = try fileSystem.open(item.path, .read)
    defer { file.close() }
    let reader = try WALFileReader(file, path: item.path, header: item.header)
    let memtable = Memtable()
    var builders = TreeID.allCases.map { BulkBuilder(memtable, $0, number: number) }
    var counts = [UInt64](repeating: 0, count: builders.count)
    var stateBytes: UInt64 = 0
    var isComplete = false
    func damaged(_ message: String, _ position: UInt64, cause: String? = nil) -> StorageError {
      StorageError(.corruption, message, file: item.path, offset: item.header.offset(of: position), cause: cause)
    }
    while let (frame, payload) = try reader.next() {
      guard !isComplete, frame.commitVersion == superblock.commitVersion else {
        throw damaged("a base holds a frame that is not its own", frame.position)
      }
      isComplete = frame.kind == .lastPart
      let raw = UnsafeMutableRawBufferPointer.allocate(byteCount: frame.rawLength, alignment: 16)
      defer { raw.deallocate() }
      if frame.codec == .lz4 { try LZ4Block.decompress(payload, into: raw) } else { raw.copyMemory(from: payload) }
      var operations = BatchReader(UnsafeRawBufferPointer(raw))
      while let operation = operations.next() {
        guard operation.kind == .insert else { throw damaged("a base holds more than inserts", frame.position) }
        do throws(StorageError) {
          try builders[Int(operation.tree.rawValue)].append(
            key: operation.key, value: operation.value, version: superblock.commitVersion)
        } catch {
          throw damaged("the entries of a base are out of order", frame.position, cause: error.description)
        }
        counts[Int(operation.tree.rawValue)] += 1
        stateBytes += UInt64(operation.stateGrowth)
      }
      if operations.isDamaged { throw damaged("a frame holds bytes that are no operation", frame.position) }
    }
    guard isComplete else {
      throw damaged("the base ends early", reader.position, cause: reader.fault.map { "\($0)" })
    }
    guard counts == superblock.entryCounts, stateBytes == superblock.stateBytes else {
      throw damaged("the base holds \(counts) entries, the superblock says \(superblock.entryCounts)", reader.position)
    }
    var roots = Roots()
    for tree in TreeID.allCases { roots[tree] = builders[Int(tree.rawValue)].finish() }
    return LayerStack.Layer(memtable: memtable, roots: roots)
  }
}
