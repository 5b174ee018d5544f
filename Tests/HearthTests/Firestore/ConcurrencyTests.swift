import Foundation
import Hearth
import Testing

/// Reads, writes and closing at the same time.
struct ConcurrencyTests {
  /// A write with a handler and a read by a task wait for the same commit; each must get its answer.
  @Test(.timeLimit(.minutes(2)))
  func readsByTasksTakeNothingFromTheHandlersOfWrites() async throws {
    let firestore = try Firestore.inMemory(settings: .onQueue("both"))
    let handled = Counter()
    for n in 0..<300 {
      let document = firestore.document("c/\(n % 7)")
      sync { document.setData(["n": n]) { #expect($0 == nil && handled.add(1) > 0) } }
      async let first = document.getDocument()
      async let second = firestore.collection("c").whereField("n", isEqualTo: n).getDocuments()
      #expect(try await first.get("n") as? Int == n)
      #expect(try await second.count == 1)
    }
    await withCheckedContinuation { done in
      firestore.waitForPendingWrites { _ in firestore.document("c/d").getDocument { _, _ in done.resume() } }
    }
    #expect(handled.value == 300)
  }

  /// Whatever another thread orders meanwhile, a thread sees its own writes.
  @Test(.timeLimit(.minutes(2)))
  func everyThreadSeesItsOwnWrites() async throws {
    let firestore = try Firestore.inMemory(settings: .onQueue("own"))
    await withTaskGroup(of: Void.self) { group in
      for caller in 0..<4 {
        group.addTask {
          for n in 0..<200 {
            let document = firestore.document("c/\(caller)")
            sync { document.setData(["n": n]) }
            #expect((try? await document.getDocument())?.get("n") as? Int == n)
          }
        }
      }
    }
  }

  @Test(.timeLimit(.minutes(2)))
  func whatRunsWhileTheDatabaseIsClosedIsAnsweredOnce() async throws {
    for round in 0..<20 {
      let firestore = try Firestore.inMemory(settings: .onQueue("closing"))
      let answers = Counter()
      let wrong = Counter()
      let calls = 4 * 60
      @Sendable func answer(_ error: (any Error)?) {
        answers.add(1)
        if let error, (error as? FirestoreErrorCode)?.code != .failedPrecondition { wrong.add(1) }
      }
      await withTaskGroup(of: Void.self) { group in
        for caller in 0..<2 {
          group.addTask {
            for n in 0..<30 {
              let document = firestore.document("c/\(caller)-\(n)")
              sync {
                document.setData(["n": n], completion: answer)
                document.getDocument { answer($1) }
                firestore.collection("c").getDocuments { answer($1) }
              }
              do {
                try await firestore.batch().setData(["n": n], forDocument: document).commit()
                answer(nil)
              } catch {
                answer(error)
              }
            }
          }
        }
        group.addTask {
          if round > 0 { try? await Task.sleep(for: .microseconds(round * 200)) }
          #expect(throws: Never.self) { try firestore.close() }
        }
      }
      // Answers come in order, so the last one comes after all the others.
      await withCheckedContinuation { done in firestore.waitForPendingWrites { _ in done.resume() } }
      #expect(answers.value == calls && wrong.value == 0, "round \(round)")
    }
  }
}
