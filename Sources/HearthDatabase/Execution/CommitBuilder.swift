internal import HearthModel
internal import HearthStorage

/// Derives the engine's batch from writes and the state they meet.
enum CommitBuilder {
  /// - Parameter view: What the writes meet. Every operation states what it found there.
  /// - Throws: ``ModelError`` for a write that cannot take place, ``StorageError`` for a read that failed.
  static func batch(of mutations: [Mutation], on view: View) throws -> KeyValueBatch {
    var changes: [Change] = []
    // Where each document is in `changes`; one write, the usual case, needs no table.
    var places: [DocumentKey: Int] = [:]
    for mutation in mutations {
      let place: Int
      if mutations.count == 1 {
        place = 0
        changes.append(try Change(mutation.key, view))
      } else if let known = places[mutation.key] {
        place = known
      } else {
        place = changes.count
        places[mutation.key] = place
        changes.append(try Change(mutation.key, view))
      }
      try changes[place].change.apply(mutation)
    }
    var batch = KeyValueBatch(baseVersion: view.version)
    for change in changes {
      try change.change.check()
      try change.add(to: &batch)
    }
    // A document that stays as it is still decided the outcome: the batch must not be applied over a newer one.
    if !batch.isEmpty {
      for change in changes where change.change.isNoOp {
        batch.require(
          .documents, key: change.key, unchangedSince: view.version, wasAbsent: change.stored == nil)
      }
    }
    return batch
  }

  private struct Change {
    let key: [UInt8]
    /// The document as it is stored: what the batch states that it found.
    let stored: (size: Int, createTime: Int64)?
    var change: DocumentChange

    init(_ document: DocumentKey, _ view: View) throws {
      key = KeySchema.key(of: document)
      let found = try view.withValue(.documents, key) { bytes in
        (size: bytes.count, document: try DocumentCodec.decode(bytes, key: document))
      }
      stored = found.map { ($0.size, $0.document.createTime) }
      change = DocumentChange(key: document, before: found?.document.fields)
    }

    func add(to batch: inout KeyValueBatch) throws {
      if change.isNoOp { return }
      guard let fields = change.after else {
        if let stored { try batch.remove(.documents, key: key, oldSize: stored.size) }
        return
      }
      // A document that was deleted and set again in one commit was there before and after: it keeps its age.
      let encoded = DocumentCodec.encode(fields, createTime: stored?.createTime)
      if let stored {
        try batch.replace(.documents, key: key, value: encoded.bytes, oldSize: stored.size)
      } else {
        try batch.insert(.documents, key: key, value: encoded.bytes)
      }
      batch.stampVersion(atValueOffset: encoded.versionOffset)
      for offset in encoded.timeOffsets { batch.stampTime(atValueOffset: offset) }
    }
  }
}
