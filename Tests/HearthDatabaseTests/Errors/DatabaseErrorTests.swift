import HearthModel
import HearthStorage
import Testing

@testable import HearthDatabase

struct DatabaseErrorTests {
  /// The table of semantics.md 16, for what the layers below can throw.
  @Test func errorsOfTheLayersBelowGetFirestoresCodes() {
    let storage: [(StorageError.Code, DatabaseError.Code)] = [
      (.invalidArgument, .invalidArgument), (.corruption, .dataLoss), (.io, .internal),
      (.resourceExhausted, .resourceExhausted), (.locked, .unavailable), (.permissionDenied, .permissionDenied),
      (.notFound, .unavailable), (.unsupportedFormat, .unavailable), (.notADatabase, .unavailable),
      (.closed, .failedPrecondition), (.conflict, .aborted), (.readOnly, .failedPrecondition),
    ]
    #expect(storage.count == StorageError.Code.allCases.count)
    for (code, expected) in storage {
      let error = DatabaseError(StorageError(code, "what to do", file: "000012.wal", offset: 40960))
      #expect(error.code == expected, "\(code)")
      #expect(error.message == "\(code.rawValue): what to do (000012.wal, offset 40960)")
    }
    #expect(DatabaseError(StorageError(.closed, "stopped", cause: "io: sync failed")).code == .internal)
    #expect(DatabaseError(ModelError.invalidArgument("m")) == DatabaseError(.invalidArgument, "m"))
    #expect(DatabaseError(ModelError.notFound("m")).code == .notFound)
    #expect(DatabaseError(ModelError.alreadyExists("m")).code == .alreadyExists)
    #expect(DatabaseError(ModelError.corruption("m")).code == .dataLoss)
    #expect(DatabaseError(CancellationError() as any Error).code == .cancelled)
    #expect(DatabaseError(StorageError(.locked, "m") as any Error).code == .unavailable)
  }
}
