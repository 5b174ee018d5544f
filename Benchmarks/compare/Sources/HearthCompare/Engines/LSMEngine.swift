import Foundation

/// LevelDB or RocksDB. Documents and all index keys lie in one key space: their first bytes differ.
///
/// Inserts do not look whether the key is free. What reads before it writes takes one of many locks, chosen by the key.
final class LSMEngine<Library: LSMLibrary>: Engine {
  let library: Library
  let locks = (0..<1024).map { _ in NSLock() }

  init(_ library: Library) { self.library = library }

  var about: EngineAbout { library.about }

  func session() throws -> any Session { LSMSession(self) }

  func close() throws { library.close() }
}

private final class LSMSession<Library: LSMLibrary>: Session {
  private let engine: LSMEngine<Library>
  private let library: Library
  private let batch: OpaquePointer
  private var key = BenchDocuments.pathPrefix + [UInt8](repeating: 0, count: 20)
  private var value: [UInt8] = []
  /// The first key above all documents.
  private let documentsEnd = Array(BenchDocuments.pathPrefix.dropLast()) + [UInt8(ascii: "/") + 1]

  init(_ engine: LSMEngine<Library>) {
    self.engine = engine
    library = engine.library
    batch = engine.library.makeBatch()
  }

  deinit { library.destroy(batch) }

  func insert(_ documents: ArraySlice<CompareDocument>) throws {
    for document in documents {
      library.put(batch, document.key, document.stored.value)
      for key in document.stored.indexKeys { library.put(batch, key, []) }
    }
    try library.write(batch)
  }

  func read(_ key: [UInt8], _ digest: inout AnswerDigest) throws -> Bool {
    try library.get(key) { digest.add($0) }
  }

  func update(_ change: ScoreChange) throws { try replace(change) { _ in } }

  func readModifyWrite(_ change: ScoreChange, _ digest: inout AnswerDigest) throws {
    try replace(change) { digest.add($0) }
  }

  private func replace(_ change: ScoreChange, _ see: (UnsafeRawBufferPointer) -> Void) throws {
    let lock = change.key.withUnsafeBytes { engine.locks[Int(AnswerDigest.hash($0) & 1023)] }
    try lock.withLock {
      let isFound = try library.get(change.key) {
        see($0)
        value.replaceAll($0)
      }
      guard isFound else { throw CompareError.missing(change.key) }
      change.apply(to: &value)
      library.put(batch, change.key, value)
      try library.write(batch)
    }
  }

  func scan(from key: [UInt8], limit: Int, _ digest: inout AnswerDigest) throws -> Int {
    var found = 0
    try walk(key, documentsEnd) { _, value in
      digest.add(value, place: found)
      found += 1
      return found < limit
    }
    return found
  }

  func newest(_ query: Query, limit: Int, _ digest: inout AnswerDigest) throws -> Int {
    try documents(query, limit, &digest)
  }

  func byAge(_ query: Query, limit: Int, _ digest: inout AnswerDigest) throws -> Int {
    try documents(query, limit, &digest)
  }

  private func documents(_ query: Query, _ limit: Int, _ digest: inout AnswerDigest) throws -> Int {
    var found = 0
    try walk(query.lower, query.upper) { entry, _ in
      key.replaceID(entry)
      guard try library.get(key, { digest.add($0, place: found) }) else { throw CompareError.missing(key) }
      found += 1
      return found < limit
    }
    return found
  }

  func count(_ query: Query) throws -> Int {
    var found = 0
    try walk(query.lower, query.upper) { _, _ in
      found += 1
      return true
    }
    return found
  }

  func scanAll(_ digest: inout AnswerDigest) throws -> Int {
    var found = 0
    try walk(BenchDocuments.pathPrefix, documentsEnd) { _, value in
      digest.add(value)
      found += 1
      return true
    }
    return found
  }

  @inline(__always)
  private func walk(
    _ lower: [UInt8], _ upper: [UInt8],
    _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws -> Bool
  ) throws {
    try lower.withUnsafeBytes { lower in
      try upper.withUnsafeBytes { upper in
        try library.walk(from: lower, to: upper, body)
      }
    }
  }
}
