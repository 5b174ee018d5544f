import CWiredTiger
import Foundation

/// One thread's session of WiredTiger with a cursor on each table.
final class WiredTigerAccess: Session {
  private let session: WiredTigerSession
  private let documents: WiredTigerCursor
  /// By ``IndexKind/rawValue``.
  private let indexes: [WiredTigerCursor]
  private var key = BenchDocuments.pathPrefix + [UInt8](repeating: 0, count: 20)
  private var value: [UInt8] = []

  init(_ session: WiredTigerSession) throws {
    self.session = session
    documents = try WiredTigerEngine.cursor(session, WiredTigerEngine.documents, "overwrite=true")
    indexes = try WiredTigerEngine.indexes.map { try WiredTigerEngine.cursor(session, $0, "overwrite=true") }
  }

  deinit { _ = session.pointee.close(session, nil) }

  /// Runs `body` as a transaction, again while others are in its way. `body` returns WiredTiger's last answer.
  private func writing(_ body: () throws -> Int32) throws {
    while true {
      try WiredTigerEngine.check(session.pointee.begin_transaction(session, nil))
      var result: Int32
      do {
        result = try body()
      } catch {
        _ = session.pointee.rollback_transaction(session, nil)
        throw error
      }
      if result == 0 {
        result = session.pointee.commit_transaction(session, nil)
        if result == 0 { return }
      } else {
        _ = session.pointee.rollback_transaction(session, nil)
      }
      guard result == HEARTH_WT_ROLLBACK else { return try WiredTigerEngine.check(result) }
      sched_yield()
    }
  }

  func insert(_ new: ArraySlice<CompareDocument>) throws {
    try writing {
      for document in new {
        let result = document.key.withUnsafeBytes { key in
          document.stored.value.withUnsafeBytes { WiredTigerEngine.insert(documents, key, $0) }
        }
        if result != 0 { return result }
        for (kind, key) in document.stored.indexKeys.enumerated() {
          let result = WiredTigerEngine.insertEntry(indexes[kind], key)
          if result != 0 { return result }
        }
      }
      return 0
    }
  }

  /// The bytes stay valid until the cursor moves; the caller resets it.
  @inline(__always)
  private func get(_ key: [UInt8]) throws -> UnsafeRawBufferPointer? {
    let result = key.withUnsafeBytes { key in
      var item = WT_ITEM(key)
      hearth_wt_set_key(documents, &item)
      return documents.pointee.search(documents)
    }
    if result == HEARTH_WT_NOTFOUND { return nil }
    try WiredTigerEngine.check(result)
    return try currentValue(documents)
  }

  @inline(__always)
  private func currentValue(_ cursor: WiredTigerCursor) throws -> UnsafeRawBufferPointer {
    var item = WT_ITEM()
    try WiredTigerEngine.check(hearth_wt_get_value(cursor, &item))
    return item.bytes
  }

  func read(_ key: [UInt8], _ digest: inout AnswerDigest) throws -> Bool {
    guard let bytes = try get(key) else { return false }
    digest.add(bytes)
    try WiredTigerEngine.check(documents.pointee.reset(documents))
    return true
  }

  func update(_ change: ScoreChange) throws {
    try writing { try replace(change) { _ in } }
  }

  func readModifyWrite(_ change: ScoreChange, _ digest: inout AnswerDigest) throws {
    var answer = digest
    try writing {
      // Begins anew when the transaction is rolled back.
      answer = digest
      return try replace(change) { answer.add($0) }
    }
    digest = answer
  }

  private func replace(_ change: ScoreChange, _ see: (UnsafeRawBufferPointer) -> Void) throws -> Int32 {
    guard let bytes = try get(change.key) else { throw CompareError.missing(change.key) }
    see(bytes)
    value.replaceAll(bytes)
    change.apply(to: &value)
    return change.key.withUnsafeBytes { key in
      value.withUnsafeBytes { WiredTigerEngine.insert(documents, key, $0) }
    }
  }

  /// Calls `body` with the cursor on each entry from `lower` on until it returns `false`.
  @inline(__always)
  private func walk(
    _ cursor: WiredTigerCursor, from lower: UnsafeRawBufferPointer, _ body: () throws -> Bool
  ) throws {
    var item = WT_ITEM(lower)
    hearth_wt_set_key(cursor, &item)
    var exact: Int32 = 0
    var result = cursor.pointee.search_near(cursor, &exact)
    if result == 0, exact < 0 { result = cursor.pointee.next(cursor) }
    while result == 0 {
      guard try body() else { break }
      result = cursor.pointee.next(cursor)
    }
    if result != 0, result != HEARTH_WT_NOTFOUND { try WiredTigerEngine.check(result) }
    try WiredTigerEngine.check(cursor.pointee.reset(cursor))
  }

  @inline(__always)
  private func currentKey(_ cursor: WiredTigerCursor) throws -> UnsafeRawBufferPointer {
    var item = WT_ITEM()
    try WiredTigerEngine.check(hearth_wt_get_key(cursor, &item))
    return item.bytes
  }

  func scan(from key: [UInt8], limit: Int, _ digest: inout AnswerDigest) throws -> Int {
    var found = 0
    try key.withUnsafeBytes { key in
      try walk(documents, from: key) {
        digest.add(try currentValue(documents), place: found)
        found += 1
        return found < limit
      }
    }
    return found
  }

  func newest(_ query: Query, limit: Int, _ digest: inout AnswerDigest) throws -> Int {
    try documents(query, .cityCreated, limit, &digest)
  }

  func byAge(_ query: Query, limit: Int, _ digest: inout AnswerDigest) throws -> Int {
    try documents(query, .age, limit, &digest)
  }

  /// Index and documents as of one moment, by a transaction around both.
  private func documents(
    _ query: Query, _ kind: IndexKind, _ limit: Int, _ digest: inout AnswerDigest
  ) throws -> Int {
    let index = indexes[kind.rawValue]
    var found = 0
    try WiredTigerEngine.check(session.pointee.begin_transaction(session, nil))
    do {
      try query.withIndexBounds { lower, upper in
        try walk(index, from: lower) {
          let entry = try currentKey(index)
          guard upper.isEmpty || entry.precedes(upper) else { return false }
          key.replaceID(entry)
          guard let bytes = try get(key) else { throw CompareError.missing(key) }
          digest.add(bytes, place: found)
          found += 1
          return found < limit
        }
      }
    } catch {
      _ = session.pointee.rollback_transaction(session, nil)
      throw error
    }
    try WiredTigerEngine.check(documents.pointee.reset(documents))
    try WiredTigerEngine.check(session.pointee.commit_transaction(session, nil))
    return found
  }

  func count(_ query: Query) throws -> Int {
    let index = indexes[IndexKind.created.rawValue]
    var found = 0
    try query.withIndexBounds { lower, upper in
      try walk(index, from: lower) {
        guard try currentKey(index).precedes(upper) else { return false }
        found += 1
        return true
      }
    }
    return found
  }

  func scanAll(_ digest: inout AnswerDigest) throws -> Int {
    var found = 0
    while true {
      let result = documents.pointee.next(documents)
      if result == HEARTH_WT_NOTFOUND { return found }
      try WiredTigerEngine.check(result)
      digest.add(try currentValue(documents))
      found += 1
    }
  }
}
