import HearthTestSupport
import Testing

@testable import HearthDatabase

struct BoundedHeapTests {
  @Test func keepsTheFirstFewInOrder() {
    var generator = SystemRandomNumberGenerator()
    for round in 0..<200 {
      let elements = (0..<Int.random(in: 0...60, using: &generator)).map { _ in
        Int.random(in: 0...30, using: &generator)
      }
      let capacity = round % 10 + 1
      var heap = BoundedHeap<Int>(capacity: capacity, by: >)
      for element in elements { heap.insert(element) }
      let expected = Array(elements.sorted(by: >).prefix(capacity))
      #expect(heap.sorted() == expected, "\(elements)")
      #expect(heap.last == (expected.count == capacity ? expected.last : nil))
    }
  }
}
