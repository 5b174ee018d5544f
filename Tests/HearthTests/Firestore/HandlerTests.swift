import Foundation
import Hearth
import Testing

/// Where and when handlers run.
struct HandlerTests {
  @Test func handlersNeverOverlap() async throws {
    // A concurrent queue: Hearth itself keeps them apart.
    let settings = FirestoreSettings()
    settings.dispatchQueue = DispatchQueue(label: "concurrent", attributes: .concurrent)
    let firestore = try Firestore.inMemory(settings: settings)
    let running = Counter()
    let finished = Counter()
    await withCheckedContinuation { done in
      for n in 0..<200 {
        let handler: (Error?) -> Void = { error in
          #expect(error == nil)
          #expect(running.add(1) == 1, "two handlers run at once")
          // Long enough for another to begin meanwhile, if one could.
          Thread.sleep(forTimeInterval: 0.000_5)
          running.add(-1)
          if finished.add(1) == 400 { done.resume() }
        }
        let document = firestore.document("c/\(n)")
        document.setData(["n": n], completion: handler)
        document.getDocument { snapshot, error in
          // The write before it is seen, although nobody waited for it.
          #expect(snapshot?.get("n") as? Int == n)
          handler(error)
        }
      }
    }
  }

  @Test func handlersRunOnTheMainQueueUnlessSetOtherwise() async throws {
    let firestore = try Firestore.inMemory()
    await withCheckedContinuation { done in
      firestore.document("c/d").setData([:]) { _ in
        dispatchPrecondition(condition: .onQueue(.main))
        done.resume()
      }
    }
    let queue = DispatchQueue(label: "own")
    let settings = FirestoreSettings()
    settings.dispatchQueue = queue
    let other = try Firestore.inMemory(settings: settings)
    await withCheckedContinuation { done in
      other.collection("c").getDocuments { _, _ in
        dispatchPrecondition(condition: .onQueue(queue))
        done.resume()
      }
    }
  }

  @Test func aHandlerIsNotCalledBeforeTheCallReturns() async throws {
    // All on one queue: a handler that ran inside the call would find `isReturned` false.
    let queue = DispatchQueue(label: "calls")
    let settings = FirestoreSettings()
    settings.dispatchQueue = queue
    let firestore = try Firestore.inMemory(settings: settings)
    await withCheckedContinuation { done in
      queue.async {
        let isReturned = Counter()
        // A bad path fails at once, which must not show.
        firestore.document("").getDocument { _, error in
          #expect(error != nil && isReturned.value == 1)
          firestore.document("").setData([:]) { error in
            #expect(error != nil && isReturned.value == 2)
            done.resume()
          }
          isReturned.add(1)
        }
        isReturned.add(1)
      }
    }
  }

  @Test func handlersMayStartFurtherReadsAndWrites() async throws {
    let firestore = try Firestore.inMemory(settings: .onQueue("nested"))
    let names = await withCheckedContinuation { done in
      firestore.collection("c").addDocument(data: ["name": "a"]) { _ in
        firestore.collection("c").getDocuments { first, _ in
          first!.documents[0].reference.updateData(["name": "b"]) { _ in
            firestore.collection("c").getDocuments { second, _ in
              done.resume(returning: [first, second].map { $0!.documents[0].get("name") as! String })
            }
          }
        }
      }
    }
    #expect(names == ["a", "b"])
  }

  @Test func waitingForPendingWritesComesAfterThem() async throws {
    let firestore = try Firestore.inMemory(settings: .onQueue("pending"))
    sync { for n in 0..<50 { firestore.document("c/\(n)").setData([:]) } }
    let error = await withCheckedContinuation { done in
      firestore.waitForPendingWrites { done.resume(returning: UncheckedBox(value: $0)) }
    }
    #expect(error.value == nil)
    try await firestore.waitForPendingWrites()
    #expect(try await firestore.collection("c").getDocuments().count == 50)
  }
}

/// Runs calls that nobody waits for: inside an async function the compiler takes them for the awaited ones.
func sync(_ body: () -> Void) { body() }

/// A number that several threads change.
final class Counter: @unchecked Sendable {
  private let lock = NSLock()
  private var count = 0

  var value: Int { lock.withLock { count } }

  @discardableResult
  func add(_ amount: Int) -> Int {
    lock.withLock {
      count += amount
      return count
    }
  }
}
