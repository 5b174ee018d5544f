/// The numbers of all views that may still be read, so that a memtable knows which old nodes nobody sees.
///
/// Threading: any thread; a view dies on whichever thread lets go of it last.
final class LiveViews: ViewRegistry, @unchecked Sendable {
  /// Ascending; dead ones stay as holes until they reach the front.
  private struct Live {
    var numbers: [UInt64] = []
    var isDead: [Bool] = []
    var front = 0
  }

  private let lock = Lock()
  /// Under `lock`.
  private var live = Live()

  /// Numbers grow from call to call.
  func viewBorn(number: UInt64) {
    lock.withLock {
      live.numbers.append(number)
      live.isDead.append(false)
    }
  }

  func viewDied(number: UInt64) {
    lock.withLock {
      // Most views die young: look from the back.
      var index = live.numbers.count - 1
      while live.numbers[index] != number { index -= 1 }
      live.isDead[index] = true
      while live.front < live.numbers.count, live.isDead[live.front] { live.front += 1 }
      if live.front > 1024, live.front > live.numbers.count / 2 { Self.compact(&live) }
      while let last = live.isDead.last, last, live.numbers.count > live.front {
        live.numbers.removeLast()
        live.isDead.removeLast()
      }
    }
  }

  /// The live numbers, ascending.
  func liveNumbers() -> [UInt64] {
    lock.withLock {
      Self.compact(&live)
      return live.numbers
    }
  }

  private static func compact(_ live: inout Live) {
    let kept = live.numbers.indices.filter { !live.isDead[$0] }
    live.numbers = kept.map { live.numbers[$0] }
    live.isDead = [Bool](repeating: false, count: live.numbers.count)
    live.front = 0
  }
}
