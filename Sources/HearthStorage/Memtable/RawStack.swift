/// A growable array of plain values outside ARC and uniqueness checks, for the lists that every commit appends to.
/// Its owner deallocates it.
struct RawStack<Element: BitwiseCopyable> {
  private var start: UnsafeMutablePointer<Element>
  private var capacity: Int
  private(set) var count = 0

  init() {
    capacity = 32
    start = .allocate(capacity: capacity)
  }

  func deallocate() { start.deallocate() }

  subscript(index: Int) -> Element { start[index] }

  var last: Element? { count == 0 ? nil : start[count &- 1] }

  @inline(__always)
  mutating func append(_ element: Element) {
    if count == capacity { grow() }
    (start + count).initialize(to: element)
    count &+= 1
  }

  @inline(never)
  private mutating func grow() {
    let larger = UnsafeMutablePointer<Element>.allocate(capacity: capacity * 2)
    larger.initialize(from: start, count: count)
    start.deallocate()
    start = larger
    capacity *= 2
  }

  mutating func removeFirst(_ removed: Int) {
    count &-= removed
    if count > 0 { start.update(from: start + removed, count: count) }
  }

  mutating func removeLast(_ removed: Int) { count -= removed }

  mutating func removeAll() { count = 0 }

  /// The first index from which `belongs` holds, given that it never turns false again.
  func partitioningIndex(where belongs: (Element) -> Bool) -> Int {
    var low = 0
    var length = count
    while length > 0 {
      let half = length / 2
      if belongs(start[low + half]) {
        length = half
      } else {
        low += half + 1
        length -= half + 1
      }
    }
    return low
  }
}
