/// The numbers of all views that may still be read, so that a memtable knows which old nodes nobody sees.
///
/// Threading: any thread; a view dies on whichever thread lets go of it last.
final class LiveViews: ViewRegistry, @unchecked Sendable {
  private let lock = Lock()
  /// Ascending. Under `lock`.
  private var numbers: [UInt64] = []

  /// Numbers grow from call to call.
  func viewBorn(number: UInt64) {
    lock.withLock { numbers.append(number) }
  }

  func viewDied(number: UInt64) {
    lock.withLock {
      // Most views die young: look from the back.
      var index = numbers.count - 1
      while numbers[index] != number { index -= 1 }
      numbers.remove(at: index)
    }
  }

  /// The live numbers, ascending.
  func liveNumbers() -> [UInt64] { lock.withLock { numbers } }

  /// As ``liveNumbers()``, into memory that is there.
  func copyNumbers(to target: inout [UInt64]) {
    target.removeAll(keepingCapacity: true)
    lock.withLock { target.append(contentsOf: numbers) }
  }
}
