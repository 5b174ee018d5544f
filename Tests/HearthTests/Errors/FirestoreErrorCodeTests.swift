import Foundation
import Hearth
import Testing

/// Every way in which app code looks at an error.
struct FirestoreErrorCodeTests {
  private func failing() async throws {
    try await Firestore.inMemory().document("c/absent").updateData(["a": 1])
  }

  @Test func anErrorMatchesEveryIdiom() async throws {
    do {
      try await failing()
      Issue.record("an update of an absent document should fail")
    } catch let error as NSError {
      #expect(error.domain == FirestoreErrorDomain && error.domain == "FIRFirestoreErrorDomain")
      #expect(error.code == FirestoreErrorCode.notFound.rawValue)
      #expect(FirestoreErrorCode.Code(rawValue: error.code) == .notFound)
      #expect(error.localizedDescription.contains("c/absent"))
    }
    do {
      try await failing()
    } catch FirestoreErrorCode.unavailable {
      Issue.record("matched another code")
    } catch FirestoreErrorCode.notFound {
    } catch {
      Issue.record("did not match its code: \(error)")
    }
    do {
      try await failing()
    } catch let error as FirestoreErrorCode {
      #expect(error.code == .notFound && error.code != .aborted)
      switch error.code {
      case .aborted: Issue.record("matched another code")
      case .notFound: break
      default: Issue.record("did not match its code")
      }
    }
  }

  @Test func aHandedErrorCastsAsItIsThrown() async throws {
    let firestore = try Firestore.inMemory(settings: .onQueue("errors"))
    let error: UncheckedBox<Error?> = await withCheckedContinuation { done in
      firestore.document("c/absent").updateData(["a": 1]) { done.resume(returning: UncheckedBox(value: $0)) }
    }
    #expect(error.value as NSError? != nil && error.value as? NSError != nil)
    #expect((error.value as? FirestoreErrorCode)?.code == .notFound)
    switch error.value {
    case FirestoreErrorCode.notFound?: break
    default: Issue.record("did not match its code")
    }
  }

  @Test func errorsCanBeMadeByApps() {
    let error = FirestoreErrorCode(.unavailable)
    #expect(FirestoreErrorCode.errorDomain == FirestoreErrorDomain && error.code == 14)
    let described = FirestoreErrorCode(.aborted, userInfo: [NSLocalizedDescriptionKey: "why"])
    #expect(described.localizedDescription == "why")
    #expect(FirestoreErrorCode(.aborted) != FirestoreErrorCode(.internal))
  }

  @Test func theNumbersAreFirestores() {
    let numbers: [FirestoreErrorCode.Code] = [
      .OK, .cancelled, .unknown, .invalidArgument, .deadlineExceeded, .notFound, .alreadyExists, .permissionDenied,
      .resourceExhausted, .failedPrecondition, .aborted, .outOfRange, .unimplemented, .internal, .unavailable,
      .dataLoss,
      .unauthenticated,
    ]
    #expect(numbers.map(\.rawValue) == Array(0...16))
  }
}
