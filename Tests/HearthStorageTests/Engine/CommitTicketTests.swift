import Synchronization
import Testing

@testable import HearthStorage

/// One commit can have several watchers: its own handler, and every read that is to see it.
struct CommitTicketTests {
  @Test func everyWatcherIsToldOnceInOrder() {
    let ticket = CommitTicket(receipt: CommitReceipt(version: 7, time: 1), durability: .durable)
    let calls = Mutex<[String]>([])
    func watch(_ name: String) {
      ticket.whenFinished { result in
        calls.withLock { $0.append("\(name) \((try? result.get())?.version ?? 0)") }
      }
    }
    watch("a")
    watch("b")
    #expect(calls.withLock { $0 }.isEmpty && ticket.result == nil)
    ticket.finish(nil)
    watch("late")
    #expect(calls.withLock { $0 } == ["a 7", "b 7", "late 7"])
  }

  @Test func everyWatcherHearsOfAFailure() {
    let ticket = CommitTicket(receipt: CommitReceipt(version: 7, time: 1), durability: .durable)
    let failures = Mutex(0)
    for _ in 0..<3 {
      ticket.whenFinished { if case .failure(let error) = $0, error.code == .io { failures.withLock { $0 += 1 } } }
    }
    ticket.finish(StorageError(.io, "the disk went away"))
    #expect(failures.withLock { $0 } == 3)
  }
}
