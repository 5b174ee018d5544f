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
      // Most views die young: the back comes first, then the middle of what is left.
      var (low, high, index) = (0, numbers.count, numbers.count - 1)
      while numbers[index] != number {
        if numbers[index] < number { low = index + 1 } else { high = index }
        index = (low + high) / 2
      }
      numbers.remove(at: index)
    }
  }

  /// The lowest live number.
  var oldestNumber: UInt64? { lock.withLock { numbers.first } }

  /// The live numbers, ascending.
  func liveNumbers() -> [UInt64] { lock.withLock { numbers } }

  /// Calls `body` with the live numbers, ascending; none is born or dies meanwhile.
  func withNumbers<R>(_ body: (UnsafeBufferPointer<UInt64>) -> R) -> R {
    lock.withLock { numbers.withUnsafeBufferPointer(body) }
  }
}
