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
    var unchanged: [Change] = []
    for change in changes {
      let outcome = try change.change.outcome()
      if case .unchanged = outcome { unchanged.append(change) }
      try batch.add(outcome, key: change.key)
    }
    // A document that stays as it is still decided the outcome: the batch must not be applied over a newer one.
    if !batch.isEmpty {
      for change in unchanged {
        batch.require(.documents, key: change.key, unchangedSince: view.version, wasAbsent: change.wasAbsent)
      }
    }
    return batch
  }

  private struct Change {
    let key: [UInt8]
    /// What the batch states that it found.
    let wasAbsent: Bool
    var change: DocumentChange

    init(_ document: DocumentKey, _ view: View) throws {
      key = KeySchema.key(of: document)
      let stored = try view.get(.documents, key)
      wasAbsent = stored == nil
      change = try DocumentChange(key: document, stored: stored)
    }
  }
}

extension KeyValueBatch {
  fileprivate mutating func add(_ outcome: DocumentChange.Outcome, key: [UInt8]) throws {
    let encoded: DocumentCodec.Encoded
    switch outcome {
    case .unchanged: return
    case .removed(let oldSize): return try remove(.documents, key: key, oldSize: oldSize)
    case .inserted(let document):
      try insert(.documents, key: key, value: document.bytes)
      encoded = document
    case .replaced(let document, let oldSize):
      try replace(.documents, key: key, value: document.bytes, oldSize: oldSize)
      encoded = document
    }
    stampVersion(atValueOffset: encoded.versionOffset)
    for offset in encoded.timeOffsets { stampTime(atValueOffset: offset) }
  }
}
