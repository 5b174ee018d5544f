internal import Foundation
internal import HearthDatabase
internal import HearthModel

// How operations reach the database, in the three forms the API has.
extension Firestore {
  /// Runs `body` and turns errors of the layers below into users' errors.
  static func translatingErrors<R>(_ body: () throws -> R) throws -> R {
    do { return try body() } catch { throw FirestoreErrorCode.wrapping(error) }
  }

  /// Runs a read for a handler: off the calling thread, in the order of the calls.
  func read<R>(
    _ completion: @escaping (R?, (any Error)?) -> Void, _ body: @escaping @Sendable (Database) throws -> R
  ) {
    let completion = UncheckedSendable(completion)
    let handlers = handlers
    readQueue.async {
      let result = Result { try Firestore.translatingErrors { try body(self.database()) } }
      let delivered = UncheckedSendable(result)
      handlers.deliver {
        switch delivered.value {
        case .success(let value): completion.value(value, nil)
        case .failure(let error): completion.value(nil, error)
        }
      }
    }
  }

  /// Runs a read for a task, off its actor.
  func read<R>(_ body: @Sendable (Database) async throws -> R) async throws -> sending R {
    do { return try await body(database()) } catch { throw FirestoreErrorCode.wrapping(error) }
  }

  /// Orders a write now and tells `completion` how it went.
  ///
  /// - Parameters:
  ///   - completion: Called once on the handler queue when the write is as durable as the settings ask, or with the
  ///     error. Without one an error is logged.
  ///   - make: What to write; an error out of it is the write's.
  func write(
    _ completion: ((_ error: (any Error)?) -> Void)?, to place: @autoclosure () -> String,
    _ make: () throws -> [Mutation]
  ) {
    let report = reporter(completion, place())
    do {
      try database().enqueue(make(), durability.stored) { result in report(result.failure) }
    } catch {
      report(error)
    }
  }

  /// Hands an error to the handler, or logs it if there is none.
  private func reporter(
    _ completion: ((_ error: (any Error)?) -> Void)?, _ place: String
  ) -> @Sendable ((any Error)?) -> Void {
    guard let completion else {
      return { error in
        guard let error else { return }
        Log.warning("write", "\(place.quotedForMessage) was not written: \(DatabaseError(error))")
      }
    }
    let handlers = handlers
    let boxed = UncheckedSendable(completion)
    return { error in
      let error = error.map { FirestoreErrorCode.wrapping($0) }
      handlers.deliver { boxed.value(error) }
    }
  }

  /// Writes, and returns when that is as durable as the settings ask.
  nonisolated(nonsending) func commit(_ make: () throws -> [Mutation]) async throws {
    do {
      try await database().commit(make(), durability.stored)
    } catch {
      throw FirestoreErrorCode.wrapping(error)
    }
  }
}

extension FirestoreSettings.Durability {
  var stored: Database.Durability {
    switch self {
    case .durable: .durable
    case .buffered: .buffered
    }
  }
}
