import CLevelDB

/// LevelDB by its C interface, whose `get` hands out a copy that has to be freed.
final class LevelDBLibrary: LSMLibrary, @unchecked Sendable {
  private let database: OpaquePointer
  private let options = leveldb_options_create()
  private let reading = leveldb_readoptions_create()
  private let writing = leveldb_writeoptions_create()
  private let cache: OpaquePointer?
  private let filter = leveldb_filterpolicy_create_bloom(10)
  private let settings: EngineSettings

  init(_ folder: String, _ settings: EngineSettings) throws {
    self.settings = settings
    cache = leveldb_cache_create_lru(settings.cacheBytes)
    leveldb_options_set_create_if_missing(options, 1)
    leveldb_options_set_write_buffer_size(options, 64 << 20)
    leveldb_options_set_compression(options, Int32(leveldb_snappy_compression))
    leveldb_options_set_cache(options, cache)
    leveldb_options_set_filter_policy(options, filter)
    leveldb_writeoptions_set_sync(writing, settings.isDurable ? 1 : 0)
    var message: UnsafeMutablePointer<CChar>?
    guard let database = leveldb_open(options, folder, &message) else {
      let text = message.map { String(cString: $0) } ?? "no database"
      leveldb_free(message)
      throw CompareError("LevelDB: \(text)")
    }
    self.database = database
  }

  var about: EngineAbout {
    EngineAbout(
      version: "\(leveldb_major_version()).\(leveldb_minor_version())",
      settings: "one key space, Snappy, bloom filter of 10 bits, write buffer 64 MiB, block cache "
        + "\(settings.cacheBytes >> 20) MiB, sync=\(settings.isDurable), blind inserts, locks by key around updates",
      bulkLoad: "batches of 4096 in key order, then opened anew, which syncs them")
  }

  @inline(__always)
  func get(_ key: [UInt8], _ body: (UnsafeRawBufferPointer) -> Void) throws -> Bool {
    try key.withUnsafeBytes { key in
      var message: UnsafeMutablePointer<CChar>?
      var count = 0
      let value = leveldb_get(database, reading, key.characters, key.count, &count, &message)
      try check(&message)
      guard let value else { return false }
      body(UnsafeRawBufferPointer(value, count))
      leveldb_free(value)
      return true
    }
  }

  @inline(__always)
  func walk(
    from lower: UnsafeRawBufferPointer, to upper: UnsafeRawBufferPointer,
    _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws -> Bool
  ) throws {
    let iterator = leveldb_create_iterator(database, reading)
    defer { leveldb_iter_destroy(iterator) }
    leveldb_iter_seek(iterator, lower.characters, lower.count)
    while leveldb_iter_valid(iterator) != 0 {
      var (keyCount, valueCount) = (0, 0)
      let key = UnsafeRawBufferPointer(leveldb_iter_key(iterator, &keyCount), keyCount)
      guard key.precedes(upper) else { return }
      let value = leveldb_iter_value(iterator, &valueCount)
      guard try body(key, UnsafeRawBufferPointer(value, valueCount)) else { return }
      leveldb_iter_next(iterator)
    }
    var message: UnsafeMutablePointer<CChar>?
    leveldb_iter_get_error(iterator, &message)
    try check(&message)
  }

  func makeBatch() -> OpaquePointer { leveldb_writebatch_create() }

  func put(_ batch: OpaquePointer, _ key: [UInt8], _ value: [UInt8]) {
    key.withUnsafeBytes { key in
      value.withUnsafeBytes { value in
        leveldb_writebatch_put(batch, key.characters, key.count, value.characters, value.count)
      }
    }
  }

  func write(_ batch: OpaquePointer) throws {
    var message: UnsafeMutablePointer<CChar>?
    leveldb_write(database, writing, batch, &message)
    leveldb_writebatch_clear(batch)
    try check(&message)
  }

  func destroy(_ batch: OpaquePointer) { leveldb_writebatch_destroy(batch) }

  func close() {
    leveldb_close(database)
    leveldb_cache_destroy(cache)
    leveldb_filterpolicy_destroy(filter)
    leveldb_options_destroy(options)
    leveldb_readoptions_destroy(reading)
    leveldb_writeoptions_destroy(writing)
  }

  private func check(_ message: inout UnsafeMutablePointer<CChar>?) throws {
    if message != nil { try check(&message, "LevelDB") { leveldb_free($0) } }
  }
}

/// Batches in key order: LevelDB has nothing for bulk loads.
final class LevelDBBulkLoader: BulkLoader {
  private let folder: String
  private let settings: EngineSettings
  private let library: LevelDBLibrary
  private let batch: OpaquePointer

  init(_ folder: String, _ settings: EngineSettings) throws {
    self.folder = folder
    self.settings = settings
    library = try LevelDBLibrary(folder, settings)
    batch = library.makeBatch()
  }

  func append(_ documents: ArraySlice<CompareDocument>) throws {
    for document in documents { library.put(batch, document.key, document.stored.value) }
    try library.write(batch)
  }

  func append(_ keys: ArraySlice<[UInt8]>, to index: IndexKind) throws {
    for key in keys { library.put(batch, key, []) }
    try library.write(batch)
  }

  func finish() throws {
    library.destroy(batch)
    library.close()
    // The log was never synced; opening anew turns it into a table, and tables are.
    try LevelDBLibrary(folder, settings).close()
  }
}
