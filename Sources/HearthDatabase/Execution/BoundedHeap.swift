/// The first few of many elements in some order, found in one pass without keeping or sorting the rest: a binary heap
/// with the last one kept on top.
struct BoundedHeap<Element> {
  private let capacity: Int
  private let precedes: (Element, Element) -> Bool
  private var elements: [Element] = []

  /// - Parameters:
  ///   - capacity: How many to keep, at least 1. Nothing is reserved for them.
  ///   - precedes: A strict order.
  init(capacity: Int, by precedes: @escaping (Element, Element) -> Bool) {
    precondition(capacity > 0, "a heap of \(capacity) elements")
    self.capacity = capacity
    self.precedes = precedes
  }

  /// The element to beat, once as many are kept as shall be.
  var last: Element? { elements.count == capacity ? elements[0] : nil }

  /// Keeps the element unless ``last`` precedes it.
  mutating func insert(_ element: Element) {
    if elements.count < capacity {
      elements.append(element)
      siftUp()
    } else if precedes(element, elements[0]) {
      elements[0] = element
      siftDown()
    }
  }

  /// What was kept, in order.
  func sorted() -> [Element] { elements.sorted(by: precedes) }

  private mutating func siftUp() {
    var child = elements.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard precedes(elements[parent], elements[child]) else { return }
      elements.swapAt(parent, child)
      child = parent
    }
  }

  private mutating func siftDown() {
    var parent = 0
    while true {
      var child = 2 * parent + 1
      guard child < elements.count else { return }
      if child + 1 < elements.count, precedes(elements[child], elements[child + 1]) { child += 1 }
      guard precedes(elements[parent], elements[child]) else { return }
      elements.swapAt(parent, child)
      parent = child
    }
  }
}
