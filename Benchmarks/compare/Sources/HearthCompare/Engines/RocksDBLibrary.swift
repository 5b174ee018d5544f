import CRocksDB
import Foundation

/// RocksDB by its C interface; reads see values in place.
final class RocksDBLibrary: LSMLibrary, @unchecked Sendable {
  private let database: OpaquePointer
  private let options: OpaquePointer?
  private let reading = rocksdb_readoptions_create()
  private let writing = rocksdb_writeoptions_create()
  private let folder: String
  private let settings: EngineSettings

  init(_ folder: String, _ settings: EngineSettings) throws {
    self.folder = folder
    self.settings = settings
    options = Self.options(settings)
    rocksdb_writeoptions_set_sync(writing, settings.isDurable ? 1 : 0)
    var message: UnsafeMutablePointer<CChar>?
    guard let database = rocksdb_open(options, folder, &message) else {
      let text = message.map { String(cString: $0) } ?? "no database"
      rocksdb_free(message)
      throw CompareError("RocksDB: \(text)")
    }
    self.database = database
  }

  static func options(_ settings: EngineSettings) -> OpaquePointer? {
    let options = rocksdb_options_create()
    rocksdb_options_set_create_if_missing(options, 1)
    rocksdb_options_set_compression(options, Int32(rocksdb_lz4_compression))
    rocksdb_options_set_write_buffer_size(options, 64 << 20)
    rocksdb_options_set_max_open_files(options, -1)
    if settings.usesDirectIO {
      rocksdb_options_set_use_direct_reads(options, 1)
      rocksdb_options_set_use_direct_io_for_flush_and_compaction(options, 1)
    }
    let table = rocksdb_block_based_options_create()
    rocksdb_block_based_options_set_block_cache(table, rocksdb_cache_create_lru(settings.cacheBytes))
    rocksdb_block_based_options_set_filter_policy(table, rocksdb_filterpolicy_create_bloom(10))
    rocksdb_options_set_block_based_table_factory(options, table)
    return options
  }

  var about: EngineAbout {
    EngineAbout(
      version: version,
      settings: "one key space, LZ4, bloom filter of 10 bits, write buffer 64 MiB, block cache "
        + "\(settings.cacheBytes >> 20) MiB, level compaction, sync=\(settings.isDurable), blind inserts, locks by key "
        + "around updates" + (settings.usesDirectIO ? ", direct I/O" : ""),
      bulkLoad: "sorted files of about 64 MiB by SstFileWriter, taken in by move")
  }

  /// The C interface does not tell it, the first lines of the database's own log do.
  private var version: String {
    let log = try? String(contentsOfFile: folder + "/LOG", encoding: .utf8)
    guard let log, let mark = log.firstRange(of: "RocksDB version: ") else { return "of an unknown version" }
    return String(log[mark.upperBound...].prefix { !$0.isWhitespace })
  }

  @inline(__always)
  func get(_ key: [UInt8], _ body: (UnsafeRawBufferPointer) -> Void) throws -> Bool {
    try key.withUnsafeBytes { key in
      var message: UnsafeMutablePointer<CChar>?
      let value = rocksdb_get_pinned(database, reading, key.characters, key.count, &message)
      try check(&message)
      guard let value else { return false }
      var count = 0
      let bytes = rocksdb_pinnableslice_value(value, &count)
      body(UnsafeRawBufferPointer(bytes, count))
      rocksdb_pinnableslice_destroy(value)
      return true
    }
  }

  @inline(__always)
  func walk(
    from lower: UnsafeRawBufferPointer, to upper: UnsafeRawBufferPointer,
    _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws -> Bool
  ) throws {
    let bounded = rocksdb_readoptions_create()
    defer { rocksdb_readoptions_destroy(bounded) }
    rocksdb_readoptions_set_iterate_upper_bound(bounded, upper.characters, upper.count)
    let iterator = rocksdb_create_iterator(database, bounded)
    defer { rocksdb_iter_destroy(iterator) }
    rocksdb_iter_seek(iterator, lower.characters, lower.count)
    while rocksdb_iter_valid(iterator) != 0 {
      var (keyCount, valueCount) = (0, 0)
      let key = rocksdb_iter_key(iterator, &keyCount)
      let value = rocksdb_iter_value(iterator, &valueCount)
      guard try body(UnsafeRawBufferPointer(key, keyCount), UnsafeRawBufferPointer(value, valueCount)) else { return }
      rocksdb_iter_next(iterator)
    }
    var message: UnsafeMutablePointer<CChar>?
    rocksdb_iter_get_error(iterator, &message)
    try check(&message)
  }

  func makeBatch() -> OpaquePointer { rocksdb_writebatch_create() }

  func put(_ batch: OpaquePointer, _ key: [UInt8], _ value: [UInt8]) {
    key.withUnsafeBytes { key in
      value.withUnsafeBytes { value in
        rocksdb_writebatch_put(batch, key.characters, key.count, value.characters, value.count)
      }
    }
  }

  func write(_ batch: OpaquePointer) throws {
    var message: UnsafeMutablePointer<CChar>?
    rocksdb_write(database, writing, batch, &message)
    rocksdb_writebatch_clear(batch)
    try check(&message)
  }

  func destroy(_ batch: OpaquePointer) { rocksdb_writebatch_destroy(batch) }

  /// Takes sorted files in, which are moved.
  func ingest(_ files: [String]) throws {
    let choice = rocksdb_ingestexternalfileoptions_create()
    defer { rocksdb_ingestexternalfileoptions_destroy(choice) }
    rocksdb_ingestexternalfileoptions_set_move_files(choice, 1)
    let names: [UnsafePointer<CChar>?] = files.map { UnsafePointer(strdup($0)) }
    defer { for name in names { free(UnsafeMutablePointer(mutating: name)) } }
    var message: UnsafeMutablePointer<CChar>?
    names.withUnsafeBufferPointer {
      rocksdb_ingest_external_file(database, $0.baseAddress, files.count, choice, &message)
    }
    try check(&message)
  }

  func close() {
    rocksdb_close(database)
    rocksdb_options_destroy(options)
    rocksdb_readoptions_destroy(reading)
    rocksdb_writeoptions_destroy(writing)
  }

  private func check(_ message: inout UnsafeMutablePointer<CChar>?) throws {
    if message != nil { try check(&message, "RocksDB") { rocksdb_free($0) } }
  }
}

/// Writes sorted files and lets the database take them in: nothing goes through log or memory tables.
final class RocksDBBulkLoader: BulkLoader {
  private static let fileBytes = 64 << 20

  private let folder: String
  private let settings: EngineSettings
  private let writer: OpaquePointer?
  private var files: [String] = []
  private var written = 0
  private var isOpen = false
  /// Which index the open file holds; `nil` for documents.
  private var kind: IndexKind?

  init(_ folder: String, _ settings: EngineSettings) throws {
    self.folder = folder
    self.settings = settings
    writer = rocksdb_sstfilewriter_create(rocksdb_envoptions_create(), RocksDBLibrary.options(settings))
  }

  func append(_ documents: ArraySlice<CompareDocument>) throws {
    for document in documents { try put(document.key, document.stored.value) }
  }

  func append(_ keys: ArraySlice<[UInt8]>, to index: IndexKind) throws {
    // Keys of an index may order before those written last, which one file can't hold.
    if index != kind { try endFile() }
    kind = index
    for key in keys { try put(key, []) }
  }

  private func put(_ key: [UInt8], _ value: [UInt8]) throws {
    var message: UnsafeMutablePointer<CChar>?
    if !isOpen {
      files.append("\(folder)/bulk-\(files.count).sst")
      rocksdb_sstfilewriter_open(writer, files[files.count - 1], &message)
      try check(message)
      isOpen = true
      written = 0
    }
    key.withUnsafeBytes { key in
      value.withUnsafeBytes { value in
        rocksdb_sstfilewriter_put(writer, key.characters, key.count, value.characters, value.count, &message)
      }
    }
    try check(message)
    written += key.count + value.count
    if written >= Self.fileBytes { try endFile() }
  }

  private func endFile() throws {
    guard isOpen else { return }
    isOpen = false
    var message: UnsafeMutablePointer<CChar>?
    rocksdb_sstfilewriter_finish(writer, &message)
    try check(message)
  }

  func finish() throws {
    try endFile()
    rocksdb_sstfilewriter_destroy(writer)
    let library = try RocksDBLibrary(folder, settings)
    try library.ingest(files)
    library.close()
  }

  private func check(_ message: UnsafeMutablePointer<CChar>?) throws {
    guard let message else { return }
    defer { rocksdb_free(message) }
    throw CompareError("RocksDB: \(String(cString: message))")
  }
}
