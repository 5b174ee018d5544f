import Testing

@testable import HearthStorage

struct BulkBuilderTests {
  private func key(_ number: Int) -> [UInt8] {
    Array("collection/".utf8) + [UInt8(number >> 8), UInt8(number & 255)]
  }

  private func append(_ key: [UInt8], _ value: [UInt8] = [1], to builder: inout BulkBuilder) throws(StorageError) {
    let result = (key + [0]).withUnsafeBytes { key in
      value.withUnsafeBytes { value in
        Result<Void, StorageError> { () throws(StorageError) in
          try builder.append(key: UnsafeRawBufferPointer(rebasing: key.dropLast()), value: value, version: 5)
        }
      }
    }
    try result.get()
  }

  @Test(arguments: [0, 1, 4, 5, 16, 17, 64, 65, 1000])
  func aBuiltTreeShowsItsEntriesAndTakesChanges(_ count: Int) throws {
    let memtable = Memtable(leafSlotsMax: 4, innerSlotsMax: 4)
    var builder = BulkBuilder(memtable, .documents, number: 1)
    for number in 0..<count { try append(key(number * 2), [UInt8(number & 255)], to: &builder) }
    var roots = Roots()
    roots.documents = builder.finish()
    let built = roots
    memtable.checkInvariants(roots.documents)
    #expect(roots.documents.total == count)
    #expect(roots.documents.newest == (count == 0 ? 0 : 5))
    for number in 0..<count {
      try memtable.apply(.insert, .documents, key(number * 2 + 1), version: 6, number: 2, to: &roots)
      if number % 3 == 0 {
        try memtable.apply(.remove, .documents, key(number * 2), oldSize: 1, version: 6, number: 2, to: &roots)
      }
    }
    memtable.checkInvariants(roots.documents)
    memtable.checkInvariants(built.documents)
    let view = View(
      number: 1, version: 5, commitTime: 0,
      stack: LayerStack(top: LayerStack.Layer(memtable: memtable, roots: built)), registry: nil)
    var seen = 0
    try view.scan(.documents) { bytes, value in
      #expect(Array(bytes) == key(seen * 2))
      #expect(Array(value) == [UInt8(seen & 255)])
      seen += 1
      return true
    }
    #expect(seen == count)
  }

  @Test func nodesAreFull() throws {
    let memtable = Memtable()
    var builder = BulkBuilder(memtable, .documents, number: 1)
    let count = Node.leafCapacity * Node.innerCapacity
    for number in 0..<count { try append(key(number), to: &builder) }
    _ = builder.finish()
    #expect(memtable.statistics.nodesLive == Node.innerCapacity + 1)
  }

  @Test func keysOutOfOrderAreRefused() throws {
    let memtable = Memtable()
    var builder = BulkBuilder(memtable, .documents, number: 1)
    try append([5], to: &builder)
    for wrong in [[5], [4], []] as [[UInt8]] {
      let error = #expect(throws: StorageError.self) { try append(wrong, to: &builder) }
      #expect(error?.code == .invalidArgument)
    }
    try append([5, 0], to: &builder)
    let root = builder.finish()
    #expect(root.total == 2)
    memtable.checkInvariants(root)
  }
}
